import NetworkPrimitives

/// Reads bytes as a script of what happens to discovery and its engine, in virtual time, and says
/// what a watcher outside saw go wrong.
///
/// A step is four bytes: what happens, and three numbers that say how. A datagram's step is
/// followed by its bytes. What is cut is left out, so that every input is a script.
package func checkEngine(_ bytes: [UInt8]) -> String? {
    var script = EngineScript(bytes)
    guard var run = EngineRun() else { return "the names can't be made" }
    while let step = script.next(), run.fault == nil {
        run.perform(step)
    }
    run.close()
    return run.fault
}

/// Something that happens to an engine.
struct EngineStep {
    enum Kind: UInt8, CaseIterable {
        case pause, untilDue, datagram, echo, claim, register, updateText, stop, browse, lookUp
        case interfaces, wake, restart, records, subtypes, reconfirm
    }

    var kind: Kind
    var first: UInt8
    var second: UInt8
    var third: UInt8
    /// The bytes of a datagram.
    var payload: ArraySlice<UInt8> = []
}

/// The steps that bytes stand for.
struct EngineScript {
    /// Longer ones find nothing that shorter ones don't, and take their time.
    private static let longest = 200

    private var rest: ArraySlice<UInt8>
    private var count = 0

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> EngineStep? {
        guard count < Self.longest, rest.count >= 4 else { return nil }
        count += 1
        let head = Array(rest.prefix(4))
        rest = rest.dropFirst(4)
        let kinds = EngineStep.Kind.allCases
        var step = EngineStep(
            kind: kinds[Int(head[0]) % kinds.count], first: head[1], second: head[2],
            third: head[3])
        if step.kind == .datagram {
            step.payload = rest.prefix(Int(step.second) << 8 | Int(step.third))
            rest = rest.dropFirst(step.payload.count)
        }
        return step
    }
}

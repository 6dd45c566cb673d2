import LinuxNetworking
import MDNS

/// Publishes many services from one process, for measurements that ask for one after another.
///
///     ManyServices COUNT NAME TYPE PORT [--no-amplification-limit]
///
/// publishes `NAME-0001`, `NAME-0002` and so on, says `established COUNT` when all of them are,
/// and stays until it is ended.
@main
enum ManyServices {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 5, let count = Int(words[1]), let port = UInt16(words[4]) else {
            try StandardStream.error.writeLine(
                "usage: ManyServices COUNT NAME TYPE PORT [--no-amplification-limit]")
            return
        }
        var options = NodeOptions()
        options.limitsAmplification = !words.contains("--no-amplification-limit")
        let node = try await MDNSNode(options)
        var handles: [RegistrationHandle] = []
        for number in 1...count {
            let digits = String(number)
            let name =
                words[2] + "-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            let service = ServiceDescription(
                name: name, type: try ServiceType(words[3]), port: port)
            handles.append(try await node.register(service))
        }
        for handle in handles { try await handle.established() }
        try StandardStream.output.writeLine("established \(count)")
        // The events end with the node, which is never closed: this waits to be ended. What
        // nobody holds would be withdrawn.
        for await _ in await handles[0].watchStatus() {}
        withExtendedLifetime(handles) {}
    }
}

import LinuxNetworking
import MDNS

/// What happens in the demo, a line each, in one order.
actor DemoTranscript {
    private let printer = Printer(isJSON: false, widths: [7, 3, 8, 4, 10])
    private let start = SystemClock.now
    private var sent: [AddressFamily: Int] = [:]
    private var received: [AddressFamily: Int] = [:]
    private var failure: OutputClosed?

    /// A line for a packet.
    func show(_ packet: PacketEvent, of node: String) {
        let family = packet.destination.address.family
        let isSent = packet.direction == .sent
        if isSent { sent[family, default: 0] += 1 } else { received[family, default: 0] += 1 }
        line([
            Cell(elapsed(packet.time), .faint), Cell(node),
            Cell(packet.direction.rawValue, isSent ? .warning : .good),
            Cell(family.name, .faint),
            Cell("\(packet.payload.count) bytes", .faint),
            Cell(MessageSummary.text(of: packet.payload)),
        ])
    }

    /// A line for what a node has done.
    func say(_ text: String) {
        line([Cell(elapsed(SystemClock.now), .faint), Cell("***", .strong), Cell(text, .strong)])
    }

    /// The last line. Throws if nobody read the lines.
    func finish() throws {
        let packets = sent.values.reduce(0, +)
        say("both services found, resolved and looked up; \(packets) packets sent")
        if let failure { throw failure }
    }

    /// What stands in the way of multicast, family by family, with what to do about it.
    ///
    /// Linux gives `lo` no route for IPv6 multicast: that IPv6 can't be used there is reported, and
    /// is no failure as long as IPv4 can.
    func obstacles(_ statuses: [NodeStatus]) -> [String] {
        var obstacles: [String] = []
        for (family, name) in [(AddressFamily.ipv4, "IPv4"), (.ipv6, "IPv6")]
        where statuses.contains(where: { $0.families.contains(family) }) {
            let interfaces = statuses.flatMap(\.interfaces)
            let refusal = interfaces.lazy.compactMap { interface -> String? in
                if case .refused(let reason) = interface.reach[family] { reason } else { nil }
            }.first
            let sendError = interfaces.lazy
                .compactMap { $0.sends[family]?.lastFailure?.description }.first
            let count = sent[family, default: 0]
            if count > 0, received[family, default: 0] > 0 { continue }
            if family == .ipv6, count == 0, statuses.allSatisfy({ $0.families.count == 2 }) {
                say("\(name) is not used: \(refusal ?? sendError ?? "lo has no such address")")
                continue
            }
            obstacles.append(
                "multicast over \(name) is blocked on the interface lo: "
                    + (refusal ?? sendError
                        ?? "\(count) packets were sent to \(IPAddress.multicastDNS(family)) and "
                        + "none came back")
                    + "; let UDP port 5353 pass on lo ('nft list ruleset' shows what forbids it)")
        }
        return obstacles
    }

    private func line(_ cells: [Cell]) {
        guard failure == nil else { return }
        do throws(OutputClosed) {
            try printer.line(cells)
        } catch {
            failure = error
        }
    }

    /// `1.234 s` since the start.
    private func elapsed(_ time: Instant) -> String {
        let milliseconds = max(start.duration(to: time).wholeNanoseconds / 1_000_000, 0)
        let digits = String(milliseconds % 1000)
        return String(milliseconds / 1000) + "."
            + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }
}

import LinuxNetworking
import LocalNetworkAccess
import NetworkPrimitives

/// What `mdns doctor` has found, and how it is shown. A value: it is the same for the same facts.
struct DoctorReport: Hashable, Sendable {
    /// How many services of a type were found.
    struct Services: Hashable, Sendable {
        var type: String
        var count: Int
    }

    var status: LocalNetworkAccessStatus
    var facts: LocalNetworkFacts
    /// How far the request got; `nil` if nothing was sent.
    var progress: LocalNetworkProgress?
    var services: Services?
    /// What became of the connections to a peer.
    private(set) var connections: [DoctorConnection] = []
    /// What hurts most first.
    private(set) var findings: [DoctorFinding]

    init(
        _ assessment: LocalNetworkAssessment, _ facts: LocalNetworkFacts,
        progress: LocalNetworkProgress? = nil
    ) {
        status = assessment.status
        self.facts = facts
        self.progress = progress
        findings = DoctorFinding.ordered(assessment.reasons.map { DoctorFinding($0) })
    }

    /// Adds findings, each at its place.
    mutating func add(_ more: [DoctorFinding]) {
        findings = DoctorFinding.ordered(findings + more)
    }

    /// Notes how many services of a type were found; none is a finding where they could be.
    mutating func add(_ services: Services) {
        self.services = services
        guard services.count == 0, status == .allowed || status == .notRequired else { return }
        add([
            DoctorFinding(
                code: "no-service", severity: .warning, isCertain: false,
                what: "no service of type \(services.type) was found",
                fix: "see whether it is published on this link: 'mdns types'",
                unknown: "whether its host is off, or on another link")
        ])
    }

    /// Notes what became of the connections to each address of a peer.
    mutating func add(_ connections: [DoctorConnection]) {
        self.connections += connections
        let isAlone = !connections.contains { $0.outcome == .connected }
        add(connections.compactMap { $0.finding(isAlone: isAlone) })
    }

    /// Whether there is more than hints.
    var isFaulty: Bool { findings.contains { $0.severity != .hint } }

    private var shownInterfaces: [InterfaceFacts] {
        facts.interfaces.filter {
            facts.selection.contains($0.interface)
                && (facts.selection != .all || !$0.interface.flags.contains(.loopback))
        }
    }

    private func traffic(on interface: InterfaceFacts) -> [TrafficFacts] {
        AddressFamily.allCases.compactMap { family in
            facts.traffic.first {
                $0.interface == interface.interface.index && $0.family == family
            }
        }
    }
}

// MARK: - Lines

extension DoctorReport {
    /// A line each: the status, the facts, the findings.
    func lines(isQuiet: Bool) -> [[Cell]] {
        (isQuiet ? [] : factLines) + findings.map { Self.line(of: $0) }
    }

    private var factLines: [[Cell]] {
        var lines = [
            [
                Cell("status", .faint), Cell(status.rawValue, style),
                Cell(progress.map { Self.steps(of: $0) } ?? "nothing was sent"),
            ]
        ]
        for interface in shownInterfaces {
            let addresses = interface.interface.addresses.map {
                "\($0.address)" + ($0.isTentative ? " (tentative)" : "")
            }
            lines.append(
                [
                    Cell("interface", .faint), Cell(interface.interface.name, .strong),
                    Cell(addresses.isEmpty ? "no address" : addresses.joined(separator: ", ")),
                ]
                    + traffic(on: interface).map { Cell(Self.steps(of: $0)) })
        }
        if facts.neighbourCount > 0 {
            lines.append([Cell("neighbours", .faint), Cell("\(facts.neighbourCount)")])
        }
        if let daemon = facts.hostNameDaemon {
            lines.append([Cell("daemon", .faint), Cell(daemon)])
        }
        if facts.process.hasSystemCallFilter {
            lines.append([Cell("sandbox", .faint), Cell("a system call filter")])
        }
        if let services {
            lines.append([
                Cell("services", .faint), Cell("\(services.count)"), Cell(services.type),
            ])
        }
        for connection in connections {
            lines.append([
                Cell("connection", .faint), Cell(connection.word),
                Cell("\(connection.address) port \(connection.port)"),
            ])
        }
        return lines
    }

    private var style: TextStyle {
        switch status {
        case .allowed, .notRequired: .good
        case .denied: .bad
        case .notDetermined, .unknown: .warning
        }
    }

    private static func line(of finding: DoctorFinding) -> [Cell] {
        let style: TextStyle =
            switch finding.severity {
            case .error: .bad
            case .warning: .warning
            case .hint: .faint
            }
        var cells = [
            Cell(finding.severity.rawValue, style),
            Cell(finding.isCertain ? "certain" : "maybe"), Cell(finding.code, .strong),
            Cell(finding.what),
        ]
        if !finding.fix.isEmpty { cells.append(Cell("fix: " + finding.fix)) }
        if let unknown = finding.unknown {
            cells.append(Cell("can't be known: " + unknown, .faint))
        }
        return cells
    }

    private static func steps(of progress: LocalNetworkProgress) -> String {
        words(
            (progress.hasJoined, "joined"), (progress.hasSent, "sent"),
            (progress.hasLoopedBack, "looped back"), (progress.hasReceived, "received"),
            (progress.isAnswered, "answered"))
    }

    private static func steps(of traffic: TrafficFacts) -> String {
        "\(traffic.family.name): "
            + words(
                (traffic.isJoined, "joined"), (traffic.sentCount > 0, "sent"),
                (traffic.loopedBackCount > 0, "looped back"),
                (traffic.receivedCount > 0, "received"), (traffic.answeredCount > 0, "answered"))
    }

    private static func words(_ steps: (isReached: Bool, word: String)...) -> String {
        let reached = steps.filter { $0.isReached }.map { $0.word }
        return reached.isEmpty ? "nothing reached" : reached.joined(separator: ", ")
    }
}

// MARK: - JSON

extension DoctorReport {
    /// An object each: the status, the facts, the findings.
    func objects(isQuiet: Bool) -> [(inout JSONWriter) -> Void] {
        (isQuiet ? [] : factObjects)
            + findings.map { finding in { Self.write(finding, to: &$0) } }
    }

    private var factObjects: [(inout JSONWriter) -> Void] {
        var objects: [(inout JSONWriter) -> Void] = [{ writeStatus(to: &$0) }]
        for interface in shownInterfaces {
            objects.append { write(interface, to: &$0) }
        }
        if let services {
            objects.append { writer in
                writer.member("event", "services")
                writer.member("type", services.type)
                writer.member("count", services.count)
            }
        }
        for connection in connections {
            objects.append { writer in
                writer.member("event", "connection")
                writer.member("address", connection.address)
                writer.member("port", connection.port)
                writer.member("outcome", connection.word)
            }
        }
        return objects
    }

    private func writeStatus(to writer: inout JSONWriter) {
        writer.member("event", "status")
        writer.member("status", status.rawValue)
        if let progress {
            writer.member("joined", progress.hasJoined)
            writer.member("sent", progress.hasSent)
            writer.member("loopedBack", progress.hasLoopedBack)
            writer.member("received", progress.hasReceived)
            writer.member("answered", progress.isAnswered)
        }
        writer.member("neighbours", facts.neighbourCount)
        writer.key("daemon")
        if let daemon = facts.hostNameDaemon { writer.string(daemon) } else { writer.null() }
        writer.member("filtered", facts.process.hasSystemCallFilter)
    }

    private func write(_ interface: InterfaceFacts, to writer: inout JSONWriter) {
        writer.member("event", "interface")
        writer.member("interface", interface.interface.name)
        writer.key("kind")
        if let kind = interface.kind { writer.string(kind) } else { writer.null() }
        writer.member("mtu", interface.interface.maximumTransmissionUnit)
        writer.key("addresses")
        writer.beginArray()
        for address in interface.interface.addresses { writer.string("\(address.address)") }
        writer.endArray()
        writer.key("traffic")
        writer.beginArray()
        for traffic in traffic(on: interface) {
            writer.beginObject()
            writer.member("family", traffic.family.name)
            writer.member("joined", traffic.isJoined)
            writer.member("sent", traffic.sentCount)
            writer.member("loopedBack", traffic.loopedBackCount)
            writer.member("received", traffic.receivedCount)
            writer.member("answered", traffic.answeredCount)
            if let number = traffic.joinError ?? traffic.sendError {
                writer.member("errno", number)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ finding: DoctorFinding, to writer: inout JSONWriter) {
        writer.member("event", "finding")
        writer.member("code", finding.code)
        writer.member("severity", finding.severity.rawValue)
        writer.member("certain", finding.isCertain)
        writer.member("what", finding.what)
        writer.member("fix", finding.fix)
        if let unknown = finding.unknown { writer.member("unknown", unknown) }
    }
}

import LinuxNetworking
import LocalNetworkAccess
import MDNS
import NetworkPrimitives

/// A host and a port that a connection is tried to: `--peer HOST:PORT`.
struct DoctorPeer: Hashable, Sendable {
    /// What stands before the port.
    enum Host: Hashable, Sendable {
        /// A name that multicast DNS resolves.
        case name(DomainName)
        /// An address; a link-local one may have the name of its interface.
        case address(IPAddress, interface: String?)
    }

    var host: Host
    var port: UInt16
    /// As it was given.
    var text: String

    /// `printer.local:631`, `192.0.2.7:80`, `[fe80::7%eth0]:80`.
    init(_ text: String) throws(UsageError) {
        let hint = "write HOST:PORT, an IPv6 address in brackets: [fe80::7%eth0]:80"
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { throw UsageError("--peer '\(text)' has no port; \(hint)") }
        var name = text[..<colon]
        let isBracketed = name.first == "[" && name.last == "]"
        if isBracketed { name = name.dropFirst().dropLast() }
        self.port = port
        self.text = text
        let parts = name.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        if let first = parts.first, let address = IPAddress(first) {
            guard isBracketed == (address.family == .ipv6),
                parts.count == 1 || (isBracketed && !parts[1].isEmpty)
            else { throw UsageError("--peer '\(text)' is not clear; \(hint)") }
            host = .address(address, interface: parts.count > 1 ? String(parts[1]) : nil)
            return
        }
        guard !isBracketed, !name.contains(":"), let host = try? HostNaming.lookupName(String(name))
        else { throw UsageError("--peer '\(text)' names no host; \(hint)") }
        guard host.isLinkLocal else {
            throw UsageError("--peer '\(host)' belongs to unicast DNS: give its address")
        }
        self.host = .name(host)
    }
}

extension DoctorPeer {
    /// How many addresses of a host are tried.
    static let maximumAddresses = 8

    /// Where to connect to, if the host was given by its address; `nil` if by its name.
    func addresses(among facts: LocalNetworkFacts) throws(UsageError) -> [SocketAddress]? {
        guard case .address(let address, let name) = host else { return nil }
        guard address.family == .ipv6, address.isLinkLocal else {
            return [SocketAddress(address, port: port)]
        }
        let candidates = facts.interfaces.map { $0.interface }.filter { interface in
            if let name { return interface.name == name }
            return !interface.flags.contains(.loopback)
                && facts.selection.isEligible(interface, families: facts.families)
        }
        guard let interface = candidates.first, candidates.count == 1 else {
            throw UsageError(
                name.map { "there is no interface '\($0)' for --peer '\(text)'" }
                    ?? "--peer '\(text)' needs its interface: [\(address)%NAME]:\(port)")
        }
        return [SocketAddress(address, port: port, scope: interface.index)]
    }

    /// That nobody answers for its name.
    var notFound: DoctorFinding {
        DoctorFinding(
            code: "peer-not-found", severity: .error, isCertain: true,
            what: "nobody answers for the host of \(text)",
            fix: "see whether it is on, and whether it has that name: 'mdns browse TYPE --resolve'",
            unknown: "whether it is off, on another link, or kept from answering")
    }

    /// An address as it is shown.
    static func text(of address: SocketAddress, _ facts: LocalNetworkFacts) -> String {
        let interface = facts.interfaces.map { $0.interface }.first { $0.index == address.scope }
        return ServiceFormat.text(address.address, interface: interface?.name ?? "")
    }
}

/// What an attempt to connect to one address of the peer came to.
struct DoctorConnection: Hashable, Sendable {
    /// The address as it is shown, link-local ones with their interface.
    var address: String
    var port: UInt16
    var outcome: ConnectionOutcome

    /// The outcome's name, the same in all versions.
    var word: String {
        switch outcome {
        case .connected: "connected"
        case .reset: "reset"
        case .rejected: "rejected"
        case .rejectedHere: "rejected-here"
        case .unreachable: "unreachable"
        case .failed: "failed"
        case .silent: "silent"
        }
    }

    /// What is wrong; `nil` for a connection.
    ///
    /// - Parameter isAlone: Whether no other address of the peer accepts connections.
    func finding(isAlone: Bool) -> DoctorFinding? {
        func finding(_ what: String, _ fix: String, _ unknown: String? = nil) -> DoctorFinding {
            DoctorFinding(
                code: "connection-\(word)", severity: isAlone ? .error : .warning,
                isCertain: true, what: what, fix: fix, unknown: unknown)
        }
        switch outcome {
        case .connected: return nil
        case .reset:
            return finding(
                "\(address) refuses TCP port \(port) (RST): nothing listens there",
                "start the program there, or have it listen on all addresses: "
                    + "'ss -ltn sport = :\(port)' there shows it",
                "whether a firewall there pretends that ('reject with tcp reset')")
        case .rejected(let type, let code, let sender):
            let who = sender.map { "\($0)" } ?? address
            return finding(
                "\(who) rejects connections to TCP port \(port) of \(address) "
                    + "(ICMP \(type)/\(code))", remedy)
        case .rejectedHere(let type, let code):
            return finding(
                "this host's firewall rejects connections to TCP port \(port) of \(address) "
                    + "(ICMP \(type)/\(code))",
                "allow them out: 'ufw allow out \(port)/tcp', or in nft's output chain "
                    + "'tcp dport \(port) accept'")
        case .unreachable:
            return finding(
                "no host answers for \(address) on the link",
                "see whether it is on, and whether the access point isolates clients",
                "which of the two it is")
        case .failed(let code):
            return finding(
                "this host can't connect to \(address) (\(code))",
                "'ip route get \(address)' shows the way it would take")
        case .silent:
            return finding(
                "nothing comes back from TCP port \(port) of \(address)", remedy,
                "whether that host is off, or its firewall, this one's or the network between "
                    + "drops it")
        }
    }

    private var remedy: String {
        "open the port on that host: 'firewall-cmd --add-port=\(port)/tcp', "
            + "'ufw allow \(port)/tcp', or in nft's input chain 'tcp dport \(port) accept'"
    }

    /// Tries each address at the same time.
    ///
    /// - Parameter limit: How long to wait: three seconds is what the kernel takes to find that
    ///   nobody has an address.
    static func outcomes(
        of addresses: [SocketAddress], within limit: Duration
    ) async -> [ConnectionOutcome] {
        let attempts = addresses.map { address in
            Result { () throws(SystemError) in try ConnectionAttempt(to: address) }
        }
        let begun = attempts.compactMap { try? $0.get() }
        let deadline = SystemClock.now.advanced(by: limit)
        while SystemClock.now < deadline, begun.contains(where: { $0.outcome == nil }) {
            try? await Task.sleep(for: .milliseconds(10))
            for attempt in begun { attempt.update() }
        }
        return attempts.map { attempt in
            switch attempt {
            case .success(let attempt): attempt.outcome ?? .silent
            case .failure(let error): .failed(error.code)
            }
        }
    }
}

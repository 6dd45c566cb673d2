import LinuxEventLoop
import LinuxNetworking
import MDNS

/// What the commands that speak on the network have in common.
enum NetworkCommand {
    /// Starts a node, does the work, and says goodbye, also when SIGINT or SIGTERM came.
    ///
    /// - Parameter hangUps: gets each SIGHUP, which ends the work where nobody wants it, and ends
    ///   when the work is to end.
    static func run(
        _ options: NodeOptions, hangUps: AsyncStream<Void>.Continuation? = nil,
        _ work: (MDNSNode) async throws -> ExitCode
    ) async throws -> ExitCode {
        let signals = try await ProcessSignals.events(of: [.interrupt, .terminate, .hangUp])
        let node = try await MDNSNode(options)
        let watcher = Program.runTask {
            var isFirst = true
            for await signal in signals {
                if signal == .hangUp, let hangUps {
                    hangUps.yield()
                    continue
                }
                // Whoever asks twice does not want to wait for goodbyes.
                if !isFirst { CurrentProcess.exit(signal.exitCode) }
                isFirst = false
                // The work's sequences end with the node, and so it comes to its own end.
                hangUps?.finish()
                await node.close()
            }
        }
        defer { watcher.cancel() }
        do {
            var code = try await work(node)
            if code == .nothingFound { code = await explain(node) }
            if case .failed(let error) = await node.close(), code == .success {
                Printer.printError(
                    "others may list for a while what has gone: \(error.description)")
            }
            return code
        } catch {
            await node.close()
            throw error
        }
    }

    /// Prints what may be the reason that nothing was found.
    ///
    /// - Returns: `network` if nothing at all could be sent, or received.
    private static func explain(_ node: MDNSNode) async -> ExitCode {
        let status = await node.status()
        for failure in status.failures { Printer.printError(failure.description) }
        let works = status.interfaces.contains { interface in
            status.families.contains { family in
                interface.reach[family] != nil
                    && !status.failures.contains {
                        $0.interface == interface.interface.index && $0.families.contains(family)
                    }
            }
        }
        return works || status.failures.isEmpty ? .nothingFound : .network
    }

    /// The time of `--timeout`, else the command's own.
    static func timeout(
        _ arguments: ParsedArguments, otherwise preset: Duration?
    ) throws(UsageError) -> Duration? {
        guard let text = arguments.value(of: "timeout") else { return preset }
        return try ArgumentValues.duration(text, option: "timeout")
    }

    /// The number of `--count`, else without end.
    static func count(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        guard let text = arguments.value(of: "count") else { return .max }
        return try ArgumentValues.count(text, option: "count")
    }

    /// The options that every node has.
    static func options(_ arguments: ParsedArguments) throws(UsageError) -> NodeOptions {
        var options = NodeOptions()
        let interfaces = arguments.values(of: "interface")
        if interfaces.contains("") { throw UsageError("--interface needs a name") }
        if !interfaces.isEmpty { options.interfaces = .named(interfaces) }
        switch (arguments.has("ipv4"), arguments.has("ipv6")) {
        case (true, false): options.families = [.ipv4]
        case (false, true): options.families = [.ipv6]
        default: break
        }
        options.multicastsAnyName = arguments.has("any-domain")
        return options
    }

    /// Refuses a name of unicast DNS that `--any-domain` does not allow.
    static func check(
        _ name: DomainName, _ arguments: ParsedArguments
    ) throws(UsageError) {
        guard !name.isLinkLocal, !arguments.has("any-domain") else { return }
        throw UsageError(
            "'\(name)' belongs to unicast DNS: ask a server for it, or the link with --any-domain")
    }
}

/// The names of interfaces as they are now: one can be renamed while a command runs.
struct InterfaceNames {
    private let node: MDNSNode

    init(_ node: MDNSNode) {
        self.node = node
    }

    /// The interface's name, also of one that has gone.
    func name(of index: InterfaceIndex) async -> String {
        await node.interfaceName(of: index)
    }
}

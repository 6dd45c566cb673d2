import LinuxNetworking
import NetworkPrimitives
import ProcessSupport
import Testing

@Suite("Child processes", .timeLimit(.minutes(5)))
struct ChildProcessTests {
    private func shell(_ script: String, input: ChildCommand.Input = .none) -> ChildCommand {
        ChildCommand("/bin/sh", ["-c", script], input: input)
    }

    @Test("Outputs, errors and the exit status arrive")
    func outcome() async throws {
        let outcome = try await ChildProcess.run(shell("echo one; echo two >&2; exit 7"))
        #expect(outcome.text == "one\n")
        #expect(outcome.errorText == "two\n")
        #expect(outcome.status == .exited(7))
        #expect(!outcome.exceededLimit)
    }

    @Test("Lines arrive while the process runs, and it is answered")
    func conversation() async throws {
        let process = try await ChildProcess.start(
            shell("echo ready; while read line; do echo \"<$line>\"; done; echo bye", input: .pipe))
        var lines = process.outputLines.makeAsyncIterator()
        #expect(await lines.next() == "ready")
        await process.write("hello\n")
        #expect(await lines.next() == "<hello>")
        await process.closeInput()
        #expect(await lines.next() == "bye")
        #expect(await lines.next() == nil)
        #expect(await process.waitForExit().isSuccess)
    }

    @Test("Large input and output pass without a deadlock")
    func large() async throws {
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        let outcome = try await ChildProcess.run(
            ChildCommand("cat", input: .bytes(bytes)))
        #expect(outcome.output == bytes)
    }

    @Test("A process that reads nothing does not hold us up")
    func inputNotWanted() async throws {
        let bytes = [UInt8](repeating: 0, count: 1_000_000)
        let outcome = try await ChildProcess.run(ChildCommand("true", input: .bytes(bytes)))
        #expect(outcome.status.isSuccess)
    }

    @Test("Signals end the process and what it started")
    func signals() async throws {
        let process = try await ChildProcess.start(shell("echo ready; sleep 100 | cat"))
        for await line in process.outputLines {
            #expect(line == "ready")
            await process.terminate()
        }
        #expect(await process.waitForExit() == .signalled(15))
        let other = try await ChildProcess.start(ChildCommand("sleep", ["100"]))
        await other.kill()
        #expect(await other.waitForExit() == .signalled(9))
    }

    @Test("A process over its time is killed")
    func limit() async throws {
        var command = ChildCommand("sleep", ["100"])
        command.limit = .milliseconds(20)
        let outcome = try await ChildProcess.run(command)
        #expect(outcome.status == .signalled(9))
        #expect(outcome.exceededLimit)
    }

    @Test("A cancelled wait kills the process; a cancelled reader stops reading")
    func cancellation() async throws {
        let process = try await ChildProcess.start(shell("exec sleep 100"))
        let reader = Task {
            var lines = process.outputLines.makeAsyncIterator()
            return await lines.next()
        }
        reader.cancel()
        #expect(await reader.value == nil)
        let waiter = Task { await process.waitForExit() }
        waiter.cancel()
        #expect(await waiter.value == .signalled(9))
    }

    @Test("The environment is ours with changes; the folder is the one asked for")
    func surroundings() async throws {
        var command = shell("echo \"$MARK\"; echo \"${HOME-none}\"; pwd; echo \"$PATH\"")
        command.environment = ["MARK": "a b=c", "HOME": nil]
        command.directory = "/proc"
        let outcome = try await ChildProcess.run(command)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.prefix(3) == ["a b=c", "none", "/proc"])
        #expect(lines.last.map(String.init) == ProcessEnvironment["PATH"])
    }

    @Test("A child inherits the three standard streams and nothing else of ours")
    func descriptors() async throws {
        let file = try SystemFile.Reader("/proc/self/status")
        let other = try await ChildProcess.start(ChildCommand("sleep", ["100"]))
        // Descriptors of the test run itself that are inherited are not ours to judge: ours are
        // pipes, eventfds and the like, opened by this process.
        let outcome = try await ChildProcess.run(
            shell("for f in /proc/self/fd/*; do readlink $f; done"))
        let ours = outcome.text.split(separator: "\n").filter {
            $0.contains("eventfd") || $0.contains("eventpoll") || $0.contains("pidfd")
                || $0.contains("timerfd") || $0.contains("/status")
        }
        #expect(ours.isEmpty, "\(outcome.text)")
        _ = try file.next()
        await other.kill()
        _ = await other.waitForExit()
    }

    @Test("No zombie stays")
    func zombies() async throws {
        let process = try await ChildProcess.start(ChildCommand("true"))
        _ = await process.waitForExit()
        #expect(!SystemFile.exists("/proc/\(process.identifier)"))
    }

    @Test("A program that isn't there is an error, not a process")
    func missing() async throws {
        let error = await #expect(throws: SystemError.self) {
            try await ChildProcess.run(ChildCommand("/no/such/program"))
        }
        #expect(error?.code == .noSuchFile)
        #expect(error?.subject == "/no/such/program")
    }

    @Test("The last line needs no line end; output over the limit is cut")
    func edges() async throws {
        let process = try await ChildProcess.start(shell("printf 'a\\n\\nb'"))
        var lines: [String] = []
        for await line in process.outputLines { lines.append(line) }
        #expect(lines == ["a", "", "b"])
        var command = shell("printf 123456789")
        command.outputLimit = 4
        #expect(try await ChildProcess.run(command).text == "1234")
    }
}

import LinuxNetworking
import PacketCapture
import ProcessSupport
import TestSupport
import Testing

@testable import MDNSTool

/// The command as a user meets it, bad input above all.
@Suite struct DecodeCommandTests {
    /// A file of these bytes for the time of `body`.
    func withFile<Result>(
        _ bytes: [UInt8], _ body: (String) async throws -> Result
    ) async throws -> Result {
        let path =
            "/tmp/vicinity-decode-\(CurrentProcess.identifier)-\(UInt64.random(in: 0...(.max)))"
        try SystemFile.write(bytes.span, to: path)
        defer { try? SystemFile.remove(path) }
        return try await body(path)
    }

    func decode(_ bytes: [UInt8], _ options: [String] = []) async throws -> ChildProcess.Outcome {
        try await withFile(bytes) { path in
            try await ProgramRun.run(["decode"] + options + [path])
        }
    }

    /// What is written to the standard error, the file's name taken out.
    func complaint(_ outcome: ChildProcess.Outcome) -> String {
        let words = outcome.errorText.split(separator: " ", omittingEmptySubsequences: false)
        return words.filter { !$0.hasPrefix("/tmp/") }.joined(separator: " ")
    }

    @Test("A sound capture: its packets, nothing else, exit code 0")
    func sound() async throws {
        let file = DecodeTextTests.capture([try DecodeTextTests.response()])
        let outcome = try await decode(file)
        #expect(outcome.status == .exited(0))
        #expect(outcome.text == decodedOutput(ofCapture: file, isJSON: false).output)
        #expect(outcome.errorText == "")
        let json = try await decode(file, ["--json"])
        #expect(json.text == decodedOutput(ofCapture: file, isJSON: true).output)
    }

    @Test("The standard input")
    func standardInput() async throws {
        let file = DecodeTextTests.capture([try DecodeTextTests.response()])
        let outcome = try await ProgramRun.run(["decode", "-"], input: file)
        #expect(outcome.status == .exited(0))
        #expect(outcome.text == decodedOutput(ofCapture: file, isJSON: false).output)
    }

    @Test("A capture that ends early: the packets before, one line with the offset, exit code 4")
    func endsEarly() async throws {
        let response = try DecodeTextTests.response()
        let whole = DecodeTextTests.capture([response, response])
        let outcome = try await decode(Array(whole.dropLast(5)))
        #expect(outcome.status == .exited(4))
        let first = DecodeTextTests.capture([response])
        #expect(outcome.text == decodedOutput(ofCapture: first, isJSON: false).output)
        #expect(
            complaint(outcome)
                == "mdns decode: the file ends 5 bytes before the end of this packet or block "
                + "(at byte \(first.count))\n")
    }

    @Test(
        "Input that is no capture at all",
        arguments: [
            ([], "the file is empty (at byte 0)"),
            (
                Array("hello, world".utf8),
                "neither a pcap nor a pcapng file: it begins with 0x68656c6c (at byte 0)"
            ),
            ([0xA1, 0xB2], "the file ends within its header (at byte 0)"),
        ] as [([UInt8], String)])
    func noCapture(bytes: [UInt8], words: String) async throws {
        let outcome = try await decode(bytes)
        #expect(outcome.status == .exited(4))
        #expect(outcome.text == "")
        #expect(complaint(outcome) == "mdns decode: \(words)\n")
    }

    @Test("A link type that we don't know is named")
    func unknownLinkType() async throws {
        let writer = PcapWriter(linkType: LinkType(rawValue: 220))
        var file = writer.fileHeader
        writer.append([1, 2, 3], at: CaptureTime(seconds: 0), to: &file)
        let outcome = try await decode(file)
        #expect(outcome.status == .exited(4))
        #expect(
            complaint(outcome).hasPrefix(
                "mdns decode: 1 frame passed over: can't find IP packets in frames of "
                    + "Linux USB, padded (220) (at byte 24)\n"))
    }

    @Test("Packets cut by the snap length are counted as cut")
    func cut() async throws {
        let response = try DecodeTextTests.response()
        let file = DecodeTextTests.capture([response, response], cutTo: 100)
        let outcome = try await decode(file)
        #expect(outcome.status == .exited(4))
        #expect(
            complaint(outcome)
                == "mdns decode: 2 packets cut by the snap length (the first at byte 24)\n")
    }

    @Test("A folder and a file that is not there")
    func noFile() async throws {
        let folder = try await ProgramRun.run(["decode", "/tmp"])
        #expect(folder.status == .exited(4))
        #expect(folder.errorText.split(separator: "\n").count == 1)
        #expect(folder.errorText.contains("/tmp"))
        let missing = try await ProgramRun.run(["decode", "/tmp/there/is/no/such/file"])
        #expect(missing.status == .exited(4))
        #expect(missing.errorText.contains("/tmp/there/is/no/such/file"))
    }

    @Test("Bare messages: sound, damaged, and none")
    func messages() async throws {
        func decode(_ bytes: [UInt8]) async throws -> ChildProcess.Outcome {
            try await withFile(bytes) { path in
                try await ProgramRun.run(["decode", "--json", "--message", path])
            }
        }
        let response = try DecodeTextTests.response()
        let sound = try await decode(response)
        #expect(sound.status == .exited(0))
        #expect(JSONValue(sound.output) == decodedLine(ofMessage: response))
        let damaged = try await decode(Array(response.dropLast()))
        #expect(damaged.status == .exited(4))
        #expect(JSONValue(damaged.output)?["malformed"] == .boolean(true))
        #expect(complaint(damaged).hasSuffix(" (at byte 141)\n"))
        let none = try await decode([])
        #expect(none.status == .exited(4))
        #expect(complaint(none) == "mdns decode: the file is empty (at byte 0)\n")
    }

    @Test("Wrong words are exit code 2", arguments: [[], ["a", "b"], ["--message", "a", "b"]])
    func usage(words: [String]) async throws {
        let outcome = try await ProgramRun.run(["decode"] + words)
        #expect(outcome.status == .exited(2))
        #expect(outcome.text == "")
        #expect(outcome.errorText.split(separator: "\n").count == 1)
    }

    @Test("The help describes every key of the JSON")
    func help() async throws {
        let outcome = try await ProgramRun.run(["decode", "--help"])
        #expect(outcome.status == .exited(0))
        for key in [
            "frame", "time", "src", "dst", "sport", "dport", "udp_payload_len",
            "udp_length_field", "id", "flags", "counts", "records", "section", "offset", "name",
            "type", "class", "class_top_bit", "ttl", "rdlength", "rdata", "udp_payload_size",
            "extended_rcode", "version", "options", "malformed", "skipped", "index", "reason",
            "address", "target", "priority", "weight", "port", "strings", "next_name", "types",
            "cpu", "os", "hex",
        ] {
            #expect(outcome.text.contains(key), "\(key)")
        }
    }
}

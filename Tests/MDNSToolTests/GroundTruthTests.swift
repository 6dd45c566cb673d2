import LinuxNetworking
import TestSupport
import Testing

@testable import MDNSTool

/// What an independent dissector read from captures and messages of real peers, beside ours.
@Suite(.shared("captures/public"))
struct GroundTruthTests {
    static let folder = "\(ProjectFiles.shared ?? "")/captures/public"

    /// The captures that have a file of ground truth beside them.
    static let captures: [String] = {
        guard ProjectFiles.shared != nil, let names = try? SystemFile.entries(of: folder) else {
            return []
        }
        return names.filter { $0.hasSuffix(".pcap") || $0.hasSuffix(".pcapng") }
    }()

    @Test("There are captures to compare")
    func present() {
        #expect(Self.captures.count == 51)
    }

    @Test("Every packet and record of a capture is as the dissector says", arguments: captures)
    func capture(name: String) throws {
        let stem = name.prefix { $0 != "." }
        let truth = try lines(of: SystemFile.read("\(Self.folder)/\(stem).jsonl"))
        let ours = try decodedLines(ofCapture: SystemFile.read("\(Self.folder)/\(name)"))
        #expect(ours.count == truth.count)
        for (mine, theirs) in zip(ours, truth) {
            for key in [
                "frame", "src", "dst", "sport", "dport", "udp_payload_len", "udp_length_field",
            ] {
                #expect(mine[key] == theirs[key], "\(name) \(key)")
            }
            compareMessages(mine, theirs, in: "\(name) frame \(mine["frame"]?.integer ?? 0)")
            #expect(mine["malformed"] == theirs["malformed"])
        }
    }

    /// Messages that count as well formed, in which we refuse a record; it is shown, its data
    /// is not.
    static let damaged = [
        "wellformed/zeroconf-android-nsec-odd-next-name.bin":
            "the next name of its NSEC is a pointer forward, and pointers go strictly back"
    ]

    @Test("Every well-formed message is as the dissector says")
    func messages() throws {
        let truths = try lines(of: SystemFile.read("\(Self.folder)/wellformed.jsonl"))
        #expect(truths.count == 20)
        for theirs in truths {
            let file = try #require(theirs["file"]?.text)
            let mine = decodedLine(ofMessage: try SystemFile.read("\(Self.folder)/\(file)"))
            compareMessages(mine, theirs, in: file)
            #expect(mine["malformed"] == .boolean(Self.damaged[file] != nil), "\(file)")
        }
    }

    private func compareMessages(_ mine: JSONValue, _ theirs: JSONValue, in place: String) {
        for key in ["id", "flags", "counts"] {
            #expect(mine[key] == theirs[key], "\(place): \(key)")
        }
        let myRecords = mine["records"]?.elements ?? []
        let theirRecords = theirs["records"]?.elements ?? []
        #expect(myRecords.count == theirRecords.count, "\(place)")
        for (my, their) in zip(myRecords, theirRecords) {
            for key in [
                "section", "offset", "type", "class", "class_top_bit", "rdlength",
            ] {
                #expect(my[key] == their[key], "\(place): \(key)")
            }
            // Of OPT they have the parts of the time to live in the dissector's words.
            if my["type"] == .number("41") {
                #expect(my["udp_payload_size"] == their["udp_payload_size_raw"])
            } else {
                #expect(my["ttl"] == their["ttl"], "\(place): ttl")
            }
            #expect(
                unescaped(my["name"]?.text ?? "?") == their["name"]?.text,
                "\(place): name")
        }
    }

    /// A name's text with its escapes undone, as the dissector writes it: the root is empty.
    private func unescaped(_ name: String) -> String {
        if name == "." { return "" }
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.first else {
                bytes.append(byte)
                continue
            }
            if (0x30...0x39).contains(next) {
                let digits = String(decoding: rest.prefix(3), as: UTF8.self)
                bytes.append(UInt8(digits) ?? 0)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(next)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

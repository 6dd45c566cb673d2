import DNSMessages
import LinuxNetworking
import TestSupport
import Testing

extension MalformedMessage: CustomTestStringConvertible {
    var testDescription: String { file }
}

@Suite(.shared("captures/public"))
struct MalformedMessageTests {
    static let folder = "\(ProjectFiles.shared ?? "")/captures/public/malformed"

    @Test("The table has every file")
    func complete() throws {
        let files = try SystemFile.entries(of: Self.folder)
        #expect(files == MalformedMessage.all.map { "\($0.file).bin" }.sorted())
    }

    @Test("What is kept and what is skipped", arguments: MalformedMessage.all)
    func decoding(of expected: MalformedMessage) throws {
        let bytes = try SystemFile.read("\(Self.folder)/\(expected.file).bin")
        #expect(expected.faults(in: bytes) == [])
    }
}

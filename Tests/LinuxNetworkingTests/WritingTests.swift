import LinuxEventLoop
import ProcessSupport
import Testing

@testable import LinuxNetworking

@Suite("Writing all of it")
struct WritingTests {
    /// Many times what a pipe holds, no two pieces of it alike.
    private let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 8) }

    @Test("A pipe that takes a part at a time, and none for a while, gets all in order")
    func slowReader() async throws {
        let pipe = try Pipe()
        try pipe.writing.setNonBlocking()
        try pipe.reading.setNonBlocking()
        let number = pipe.writing.number
        let bytes = bytes
        let writer = Task(executorPreference: try LoopTaskExecutor(name: "writer")) {
            try SystemCall.writeAll(number, bytes.span)
        }
        var received: [UInt8] = []
        var pieces = 0
        while received.count < bytes.count {
            if let piece = try pipe.reading.read(upTo: 5_000) {
                received += piece
                pieces += 1
            } else {
                await Task.yield()
            }
        }
        try await writer.value
        #expect(received == bytes)
        // A pipe holds 65,536 bytes, so this took many writes.
        #expect(pieces >= bytes.count / 5_000)
    }
}

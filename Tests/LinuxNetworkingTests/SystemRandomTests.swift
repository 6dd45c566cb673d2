import LinuxNetworking
import Testing

@Suite("Random bytes from the kernel")
struct SystemRandomTests {
    private func drawn(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        try SystemRandom.fill(&span)
        return bytes
    }

    /// 4096 bytes hold every value, but for a chance of one in 30,000.
    @Test func bytesAreDrawnUpToTheEnd() throws {
        #expect(try drawn(0) == [])
        let bytes = try drawn(4096)
        #expect(Set(bytes).count > 250)
        #expect(bytes.suffix(32).contains { $0 != 0 })
        #expect(try drawn(32) != drawn(32))
    }

    /// The kernel may give less than it was asked for, after a signal for instance.
    @Test func shortAnswersAreContinued() throws {
        var bytes = [UInt8](repeating: 0, count: 20)
        var asked: [Int] = []
        var span = bytes.mutableSpan
        try unsafe SystemRandom.fill(&span) { start, count in
            asked.append(count)
            for index in 0..<min(count, 7) { unsafe start[index] = UInt8(asked.count) }
            return min(count, 7)
        }
        #expect(asked == [20, 13, 6])
        #expect(
            bytes == [UInt8](repeating: 1, count: 7) + [UInt8](repeating: 2, count: 7)
                + [UInt8](repeating: 3, count: 6))
    }

    @Test func failuresAreThrown() {
        var bytes = [UInt8](repeating: 0, count: 20)
        var span = bytes.mutableSpan
        let refused = SystemError("getrandom", .notPermitted)
        var calls = 0
        var thrown: SystemError?
        do {
            try unsafe SystemRandom.fill(&span) { _, _ throws(SystemError) in
                calls += 1
                if calls == 2 { throw refused }
                return 10
            }
        } catch { thrown = error }
        #expect(thrown == refused && calls == 2)
    }

    /// A source that gives nothing is not asked for ever.
    @Test(arguments: [0, -1, 21])
    func impossibleAnswersAreFailures(_ answer: Int) {
        var bytes = [UInt8](repeating: 0, count: 20)
        var span = bytes.mutableSpan
        var thrown: SystemError?
        do {
            try unsafe SystemRandom.fill(&span) { _, _ throws(SystemError) in answer }
        } catch { thrown = error }
        #expect(thrown?.code == .inputOutput)
    }
}

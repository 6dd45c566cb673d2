import LinuxEventLoop
import LinuxNetworking

/// One output of a child process: its pipe, what came out of it, and who waits for more.
/// Belongs to the `ChildProcess` and lives on its loop.
final class ChildOutlet {
    private var file: FileDescriptor?
    private var watch: Watch?
    private var buffer: LineBuffer
    private var readers: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastReader = 0

    private static let readSize = 1 << 16
    private static let readsPerTurn = 8

    init(_ file: consuming FileDescriptor, limit: Int) {
        self.file = consume file
        buffer = LineBuffer(limit: limit)
    }

    /// Whether nothing more will come.
    var hasEnded: Bool { file == nil }

    func begin(
        on loop: EventLoop, onReady: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) {
        guard let number = file?.number else { return }
        watch = try loop.watch(number: number, for: .readable, onReady: onReady)
    }

    /// Reads what is there. After the exit that is all there will be: at most what a pipe holds,
    /// unless something that the process left behind goes on writing.
    func read(hasExited: Bool) {
        for _ in 0..<(hasExited ? 1 << 10 : Self.readsPerTurn) {
            do throws(SystemError) {
                guard let piece = try file?.read(upTo: Self.readSize) else {
                    if hasExited { end() }
                    break
                }
                guard !piece.isEmpty else {
                    end()
                    break
                }
                buffer.append(piece)
            } catch {
                // Only a broken descriptor fails here: an end as well.
                end()
                break
            }
        }
        for reader in readers.values { reader.resume() }
        readers = [:]
    }

    func nextLine() -> String? {
        buffer.nextLine(atEnd: hasEnded)
    }

    func takeAll() -> [UInt8] {
        buffer.takeAll()
    }

    /// A number for somebody who is going to wait.
    func newReader() -> Int {
        lastReader += 1
        return lastReader
    }

    /// Has somebody woken at the next event. One that happened since they looked counts: between
    /// looking and waiting the actor may have done something else.
    func add(_ continuation: CheckedContinuation<Void, Never>, reader: Int) {
        guard !hasEnded, !buffer.hasUnseenLine else {
            continuation.resume()
            return
        }
        readers[reader] = continuation
    }

    func wake(reader: Int) {
        readers.removeValue(forKey: reader)?.resume()
    }

    private func end() {
        watch?.cancel()
        watch = nil
        file = nil
    }
}

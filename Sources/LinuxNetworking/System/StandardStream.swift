internal import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The two streams that a program writes to. What is written is out when the call returns, so
/// that a reader at the other end of a pipe sees each line at once.
package enum StandardStream: Int32, Sendable {
    /// Results.
    case output = 1
    /// Errors and progress.
    case error = 2

    /// Writes all of the text. Waits for a slow reader: not for a loop's thread.
    ///
    /// Throws `brokenPipe` when nobody reads any more, provided that the program called
    /// `ProcessSignals.ignoreBrokenPipe` at its start; without that it is ended by the signal.
    package func write(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try write(bytes.span)
    }

    /// Writes the text and a line end, in one piece if the kernel takes it so.
    package func writeLine(_ text: String) throws(SystemError) {
        try write(text + "\n")
    }

    /// Writes all bytes.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        do throws(SystemError) {
            try SystemCall.writeAll(rawValue, bytes)
        } catch {
            throw SystemError(
                error.operation, error.code,
                subject: self == .output ? "standard output" : "standard error")
        }
    }

    /// Lets a pipe hold up to a mebibyte, so that a writer of much need not stop for its reader
    /// at every few lines. Where that can't be, as on anything but a pipe, all stays as it was.
    package func widenPipe() {
        // F_SETPIPE_SZ of the kernel, which the C library shows only with its own extensions.
        _ = file_control(rawValue, 1031, 1 << 20)
    }

    /// Whether a person may be looking.
    package var isTerminal: Bool {
        isatty(rawValue) == 1
    }

    /// How many columns the terminal has; nil where there is none or it doesn't say.
    package var terminalWidth: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        // Filled during the call.
        guard unsafe terminal_size(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return ProcessEnvironment["COLUMNS"].flatMap { Int($0) } }
        return Int(size.ws_col)
    }
}

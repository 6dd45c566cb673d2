/// Readers for the values of options and arguments.
enum ArgumentValues {
    /// A time: `5`, `2.5` (seconds), `5s`, `300ms`, `2m`.
    static func duration(_ text: String, option: String) throws(UsageError) -> Duration {
        let units: [(suffix: String, milliseconds: Int64)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("", 1000),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.count)
            guard let thousandths = thousandths(number) else { break }
            return .microseconds(thousandths * unit.milliseconds)
        }
        throw UsageError("--\(option) '\(text)' is not a time; write 5, 2.5, 300ms or 2m")
    }

    /// A number of at least one.
    static func count(_ text: String, option: String) throws(UsageError) -> Int {
        guard let count = Int(text), count > 0 else {
            throw UsageError("--\(option) '\(text)' is not a number of 1 or more")
        }
        return count
    }

    /// A number of at least zero.
    static func limit(_ text: String, option: String) throws(UsageError) -> Int {
        guard let count = Int(text), count >= 0 else {
            throw UsageError("--\(option) '\(text)' is not a number of 0 or more")
        }
        return count
    }

    /// A port; 0 is that of a service that is only listed (RFC 6763 §8).
    static func port(_ text: String) throws(UsageError) -> UInt16 {
        guard let number = UInt16(text) else {
            throw UsageError(
                "'\(text)' is not a port; write a number from 1 to 65535, or 0 to be listed only")
        }
        return number
    }

    /// Thousandths of the decimal number that `text` is; `nil` for other text or a huge number.
    private static func thousandths(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, isDigits(whole), whole.utf8.count <= 9,
            let units = Int64(whole)
        else { return nil }
        guard parts.count == 2 else { return units * 1000 }
        let fraction = parts[1]
        guard isDigits(fraction) else { return nil }
        var value = units
        for place in 0..<3 {
            let digit = fraction.utf8.dropFirst(place).first.map { Int64($0 - 0x30) } ?? 0
            value = value * 10 + digit
        }
        return value
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

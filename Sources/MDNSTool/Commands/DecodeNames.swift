import DNSMessages
import PacketCapture

/// What text and JSON name alike.
enum DecodeNames {
    /// A section's name.
    static func section(_ section: MessageSection) -> String {
        switch section {
        case .question: "question"
        case .answer: "answer"
        case .authority: "authority"
        case .additional: "additional"
        }
    }

    /// Appends bytes as text: UTF-8 that may stand on a terminal as it is, quotes and
    /// backslashes behind a backslash, all else as `\DDD`.
    static func appendEscaped(_ string: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        var rest = string
        while let byte = rest.first {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
                rest = rest.dropFirst()
                continue
            }
            var decoder = UTF8()
            var iterator = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator),
                !SafeText.isUnsafe(scalar)
            {
                let length = UTF8.width(scalar)
                bytes.append(contentsOf: rest.prefix(length))
                rest = rest.dropFirst(length)
            } else {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(decimal: UInt64(byte), digits: 3)
                rest = rest.dropFirst()
            }
        }
    }

    /// Appends `2026-11-30 12:34:56.123456 UTC`.
    static func appendDate(_ time: CaptureTime, to bytes: inout [UInt8]) {
        let (day, second) = floorDivision(time.seconds, 86_400)
        let date = civilDate(daysSince1970: day)
        if date.year < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: date.year.magnitude, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: UInt64(date.month), digits: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(decimal: UInt64(date.day), digits: 2)
        bytes.append(UInt8(ascii: " "))
        bytes.append(decimal: UInt64(second / 3600), digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: UInt64(second / 60 % 60), digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(decimal: UInt64(second % 60), digits: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(time.nanoseconds / 1000), digits: 6)
        bytes.append(text: " UTC")
    }

    /// The date of the Gregorian calendar: years are counted from 1 March, so that the day that
    /// leap years have is their last.
    private static func civilDate(
        daysSince1970 days: Int64
    ) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func floorDivision(
        _ value: Int64, _ divisor: Int64
    ) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

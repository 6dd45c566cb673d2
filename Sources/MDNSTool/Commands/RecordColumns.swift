import DNSMessages

/// The columns between a record's name and its data.
enum RecordColumns {
    static let timeToLive = 40
    static let recordClass = 48
    static let type = 58
    static let data = 64
    /// More bytes than the columns ever take.
    static let room = 160
}

// Written into room that is known to be enough: nothing has to grow byte by byte.
extension OutputSpan<UInt8> {
    /// Appends class and type of a question whose name is `width` wide.
    mutating func appendColumns(of question: Question, after width: Int) {
        let origin = count - width
        pad(from: origin, to: RecordColumns.recordClass)
        append(question.recordClass)
        if question.prefersUnicast { append(text: ",QU") }
        pad(from: origin, to: RecordColumns.type)
        append(question.type)
    }

    /// Appends time to live, class and type of a record whose name is `width` wide.
    mutating func appendColumns(of record: ResourceRecord, after width: Int) {
        let origin = count - width
        pad(from: origin, to: RecordColumns.timeToLive)
        append(decimal: UInt64(record.timeToLive.rawValue))
        pad(from: origin, to: RecordColumns.recordClass)
        append(record.recordClass)
        if record.cacheFlush { append(text: ",flush") }
        pad(from: origin, to: RecordColumns.type)
        append(record.type)
        pad(from: origin, to: RecordColumns.data)
    }

    private mutating func append(_ recordClass: RecordClass) {
        append(text: recordClass == .internet ? "IN" : recordClass.description)
    }

    /// The type's mnemonic; those that nearly all records have without a search.
    private mutating func append(_ type: RecordType) {
        switch type {
        case .a: append(text: "A")
        case .ptr: append(text: "PTR")
        case .txt: append(text: "TXT")
        case .aaaa: append(text: "AAAA")
        case .srv: append(text: "SRV")
        case .nsec: append(text: "NSEC")
        default: append(text: type.description)
        }
    }
}

import DNSMessages
import NetworkPrimitives
import Testing

/// What is equal, what comes first, and what answers a question.
@Suite struct ComparisonTests {
    private let name: DomainName

    init() throws {
        name = try DomainName("box.local")
    }

    private func record(_ text: String) throws -> ResourceRecord {
        let strings = try #require(TextStrings([Array(text.utf8)]))
        return ResourceRecord(name, .txt(strings), timeToLive: .standard)
    }

    @Test("names are sorted without case", arguments: [("a", "B"), ("A", "b"), ("ab", "AC")])
    func order(lesser: String, greater: String) throws {
        let names = try [DomainName("\(lesser).local"), DomainName("\(greater).local")]
        #expect(names[0] < names[1])
        #expect(!(names[1] < names[0]))
        let folded = try [DomainName("\(lesser.uppercased()).local"), names[0]]
        #expect(!(folded[0] < folded[1]) && !(folded[1] < folded[0]))
    }

    @Test("M10-17 data that differ by case are other data, names that do are the same name")
    func caseOfData() throws {
        let mine = try record("rev=a")
        #expect(try !mine.isSameRecord(as: record("rev=A")))
        var other = mine
        other.name = try DomainName("BOX.local")
        #expect(mine.isSameRecord(as: other))
    }

    @Test("a question for any class, any type, or both is answered by each record of its name")
    func anyClass() throws {
        let record = try record("x")
        for (type, recordClass) in [
            (RecordType.txt, RecordClass.internet), (.txt, .any), (.any, .internet), (.any, .any),
        ] {
            let question = Question(name, type, recordClass: recordClass)
            #expect(question.matches(record))
            let other = try Question(DomainName("other.local"), type, recordClass: recordClass)
            #expect(!other.matches(record))
        }
        #expect(!Question(name, .a, recordClass: .any).matches(record))
    }
}

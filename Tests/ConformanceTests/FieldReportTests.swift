import TestSupport
import Testing

/// Reports from the field of other stacks, by number: each has tests whose display name says
/// `field N:`, behind the ids of the rules if there are any.
@Suite struct FieldReportTests {
    /// The reports that need no cable, and what each is about. From 51 on they are those that were
    /// worth a test besides.
    static let reports: [Int: String] = [
        6: "a record that did not fit leaves no name behind to point to",
        19: "dots and backslashes in instance names",
        21: "names compared with case",
        22: "text that is no name ends the program",
        24: "empty strings in TXT, and the four states of a key",
        28: "goodbye and cache flush: a second, a timer, a rescue",
        29: "the flush bit is no part of a record's identity",
        30: "an interface that is away for longer than the records live",
        32: "removed under another name than added",
        33: "one of two services goes",
        34: "goodbyes missing, or putting off the end",
        38: "power cut: the dead are listed for hours",
        39: "a changed TXT is not seen",
        40: "no word that an address family is absent",
        41: "own records come back, and a host renames itself without end",
        43: "simultaneous probes and queries while probing",
        44: "two stacks of one machine fight for its name",
        49: "packets too large, TC in responses",
        50: "memory, and three hundred devices",
        51: "eight announcements where two were due",
        52: "a host does not see its own service",
        53: "answers from the wrong address of several",
        54: "an interface without multicast ends the program",
        55: "queries end when an entry that was refreshed should have expired",
        56: "a subtype is not withdrawn by itself",
    ]

    /// The numbers in a test's name.
    static func numbers(in name: String) -> [Int] {
        let words = name.split(separator: " ")
        return zip(words, words.dropFirst()).compactMap { word, next in
            word == "field" && next.last == ":" ? Int(next.dropLast()) : nil
        }
    }

    @Test func everyReportHasATest() throws {
        let entries = try TestNames(project: ProjectFiles.root).entries
        let tested = Set(entries.flatMap { Self.numbers(in: $0.name) })
        let missing = Self.reports.keys.filter { !tested.contains($0) }.sorted()
        #expect(missing == [], "\(missing.compactMap { Self.reports[$0] })")
    }

    @Test func numbersAreReadFromNames() {
        #expect(Self.numbers(in: "M14-5 field 41: a host") == [41])
        #expect(Self.numbers(in: "field 6: a field 7") == [6])
        #expect(Self.numbers(in: "a field of 3: none").isEmpty)
    }
}

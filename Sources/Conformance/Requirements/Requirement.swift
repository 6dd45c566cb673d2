/// One rule of a document, in our own words, under the id that tests, checks of captures and
/// conformance runs call it by.
public struct Requirement: Hashable, Sendable {
    /// Where the rule comes from.
    public enum Document: String, Hashable, Sendable, CaseIterable {
        /// RFC 6762, Multicast DNS.
        case rfc6762 = "RFC 6762"
        /// RFC 6763, DNS-Based Service Discovery.
        case rfc6763 = "RFC 6763"
        /// Engineering practice: what damaged or odd messages from real networks call for.
        case practice = "practice"
    }

    /// How strongly the document says it. Words written small in the text are no keywords of
    /// RFC 2119, yet most figures are given in such sentences.
    public enum Level: String, Hashable, Sendable, CaseIterable {
        /// MUST.
        case must = "MUST"
        /// MUST NOT.
        case mustNot = "MUST NOT"
        /// REQUIRED.
        case required = "REQUIRED"
        /// SHOULD.
        case should = "SHOULD"
        /// SHOULD NOT.
        case shouldNot = "SHOULD NOT"
        /// RECOMMENDED.
        case recommended = "RECOMMENDED"
        /// NOT RECOMMENDED.
        case notRecommended = "NOT RECOMMENDED"
        /// MAY.
        case may = "MAY"
        /// "must" in running text.
        case proseMust = "must"
        /// "should" in running text.
        case proseShould = "should"
        /// "recommended" in running text.
        case proseRecommended = "recommended"
        /// A definition without such a word.
        case rule = "rule"
    }

    /// Who has to obey.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// Whoever answers.
        case responder
        /// Whoever asks.
        case querier
        /// Everyone who takes part.
        case both
        /// Encoder and decoder.
        case codec
        /// The library's surface or a user interface.
        case api = "API"
    }

    /// How one can see whether it is kept.
    public enum Visibility: String, Hashable, Sendable, CaseIterable {
        /// By a tester on the link alone.
        case onWire = "on the wire"
        /// On the wire, after something was done to the device: restart, replug, register.
        case onWireAfterStimulus = "on the wire after a stimulus"
        /// By the program that uses the library.
        case inAPI = "in the API"
        /// By unit tests only.
        case internally = "internally"
    }

    /// The id, `M6-21`: document, section and number within it.
    public let id: String
    /// The document that says it.
    public let document: Document
    /// The section, `6.1`; empty for practice.
    public let section: String
    /// How strongly it is said.
    public let level: Level
    /// Who has to obey.
    public let role: Role
    /// How it can be seen.
    public let visibility: Visibility
    /// The rule in our own words.
    public let statement: String

    init(
        _ id: String, _ section: String, _ level: Level, _ role: Role, _ visibility: Visibility,
        _ statement: String
    ) {
        self.id = id
        self.section = section
        self.level = level
        self.role = role
        self.visibility = visibility
        self.statement = statement
        document =
            switch id.utf8.first {
            case UInt8(ascii: "M"): .rfc6762
            case UInt8(ascii: "S"): .rfc6763
            default: .practice
            }
    }
}

extension Requirement {
    /// Every rule of RFC 6762 and RFC 6763, in the order of the documents.
    public static let ofTheDocuments: [Requirement] = Requirements6762.all + Requirements6763.all

    /// The rules that practice adds: what is refused (`D`) and what is put up with (`A`).
    public static let ofPractice: [Requirement] = RequirementsOfPractice.all

    /// The rule of that id.
    public static func named(_ id: String) -> Requirement? {
        byID[id]
    }

    // Used for look-up only.
    private static let byID = Dictionary(
        (ofTheDocuments + ofPractice).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}

/// Something in a configuration that keeps a program from the local network.
public struct ConfigurationFinding: Hashable, Sendable {
    /// How sure it is that it does harm.
    public enum Severity: String, Hashable, Sendable {
        /// Discovery fails, wholly or for a type.
        case error
        /// It works less well, or not everywhere.
        case warning
        /// It depends on what the configuration does not say.
        case hint
    }

    /// What it is called, the same in all versions: `usage-description-missing`.
    public var code: String
    /// How sure it is that it does harm.
    public var severity: Severity
    /// What is wrong, without a full stop.
    public var what: String
    /// What to do about it.
    public var fix: String
    /// Where it stands, or where what is missing belongs; `nil` if there was no text.
    public var position: SourcePosition?

    /// A finding.
    public init(
        _ code: String, _ severity: Severity, _ what: String, fix: String,
        at position: SourcePosition? = nil
    ) {
        self.code = code
        self.severity = severity
        self.what = what
        self.fix = fix
        self.position = position
    }

    init(_ code: String, _ what: String, fix: String, at position: SourcePosition?) {
        self.init(code, .error, what, fix: fix, at: position)
    }

    init(_ error: PropertyListError) {
        self.init(
            "property-list-\(error.code.rawValue)", error.what, fix: error.fix,
            at: error.position)
    }

    init(_ error: UnitFileError) {
        self.init(
            "unit-\(error.code.rawValue)", error.what, fix: error.fix, at: error.position)
    }
}

extension ConfigurationFinding: CustomStringConvertible {
    /// `usage-description-missing: what is wrong (fix: what to do)`.
    public var description: String { "\(code): \(what) (fix: \(fix))" }
}

/// What is fuzzed. Each case has a folder of inputs of its name under `Fixtures/Corpus`.
///
/// To add one: a case, its function in `check`, and a folder with a few inputs.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Bytes as a DNS message.
    case message
    /// Text as a domain name.
    case name
    /// Bytes as a classic capture.
    case pcap
    /// Bytes as a capture of blocks. The same check: the folders hold what leads there.
    case pcapng
    /// Bytes as a script of datagrams, time and calls to the engine.
    case engine
    /// Bytes as a property list in XML.
    case plist
    /// Bytes as a unit file of systemd.
    case unit

    /// Feeds the bytes to what is fuzzed; says what went wrong, `nil` if all is well.
    package func check(_ bytes: [UInt8]) -> String? {
        switch self {
        case .message: checkMessage(bytes)
        case .name: checkName(bytes)
        case .pcap, .pcapng: checkCapture(bytes)
        case .engine: checkEngine(bytes)
        case .plist: checkPropertyList(bytes)
        case .unit: checkUnitFile(bytes)
        }
    }
}

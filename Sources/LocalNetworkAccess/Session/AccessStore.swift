import LinuxNetworking

/// Where the last answer is kept between starts. What is wrong with it is a finding, never an
/// error: the answer can be had anew.
struct AccessStore: Sendable {
    /// The folder; `nil` if nothing is stored.
    let directory: String?

    private static let name = "local-network-access"

    /// What was stored last, and what is wrong with it if it can't be used.
    func load() -> (record: AccessRecord?, finding: LocalNetworkReason?) {
        guard let directory, SystemFile.exists(directory) else { return (nil, nil) }
        let bytes: [UInt8]?
        do throws(PrivateFileError) {
            bytes = try PrivateDirectory(directory)
                .read(Self.name, limit: AccessRecord.maximumBytes)
        } catch {
            return (nil, .recordDamaged(error.description))
        }
        guard let bytes else { return (nil, nil) }
        do throws(AccessRecordError) {
            return (try AccessRecord.decode(bytes), nil)
        } catch {
            return (nil, .recordDamaged(error.text))
        }
    }

    /// Stores an answer in the place of the last one; what kept it from that.
    func save(_ record: AccessRecord) -> LocalNetworkReason? {
        guard let directory else { return nil }
        let bytes = record.encoded
        do throws(PrivateFileError) {
            try PrivateDirectory(directory).replace(Self.name, with: bytes.span)
            return nil
        } catch {
            return .recordNotStored(error.description)
        }
    }

    /// The folder that is used unless another is given: `nil` for a user without a home.
    static var userDirectory: String? {
        if let state = ProcessEnvironment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return "\(state)/vicinity"
        }
        guard let home = ProcessEnvironment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/vicinity"
    }
}

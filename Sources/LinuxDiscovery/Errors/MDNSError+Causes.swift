public import DNSMessages
public import DNSSD
package import LinuxNetworking
import NetworkPrimitives

// How the errors of the rooms below become the one at the door.
extension MDNSError {
    /// A name over the limits.
    public init(_ error: NameError) {
        self.init(.invalidName, error.description)
    }

    /// A name that multicast DNS is not asked for.
    public init(_ error: QueryError) {
        self.init(.unicastName, error.description)
    }

    /// A service type against the rules.
    public init(_ error: ServiceTypeError) {
        self.init(.invalidServiceType, error.description)
    }

    /// An instance name against the rules.
    public init(_ error: InstanceNameError) {
        self.init(.invalidName, error.description)
    }

    /// A TXT record against the rules.
    public init(_ error: TXTRecordError) {
        self.init(.invalidTXTRecord, error.description)
    }

    /// Something that can't be offered.
    public init(_ error: RegistrationError) {
        let code: Code =
            switch error {
            case .type: .invalidServiceType
            case .instance, .name, .notLocal, .controlCharacterInHostName: .invalidName
            case .txt: .invalidTXTRecord
            case .portMissing: .invalidPort
            case .repeatedSubtype, .badAddress, .hostInUse, .hostNotPublished, .nameInUse,
                .noRecord, .recordTooLarge, .zeroTimeToLive, .rootOwner, .unknownRegistration:
                .invalidRegistration
            }
        self.init(code, error.description)
    }

    /// Datagrams that can't be sent.
    package init(_ failure: InterfaceFailure) {
        self.init(
            .sendingFailed, failure.description,
            systemFailure: failure.errorNumber.map {
                SystemFailure(operation: "sendmsg", number: $0)
            })
    }

    /// A socket that can't be had.
    package init(_ error: SocketError) {
        switch error {
        case .portHeldExclusively(let port):
            self.init(
                .portInUse,
                "another program holds UDP port \(port) for itself alone; end it, or have it "
                    + "share the port (SO_REUSEADDR and SO_REUSEPORT); "
                    + "'ss -lunp sport = :\(port)' shows which it is")
        case .familyUnsupported(let family):
            self.init(
                .noUsableInterface,
                "\(family.name) is not available on this system, and no other family was asked for")
        case .notPermitted(let cause), .system(let cause):
            guard cause.operation == "bind", cause.code == .accessDenied else {
                self.init(cause, whenDoing: "opening the sockets")
                return
            }
            self.init(
                .permissionDenied,
                "the system keeps the port for programs with more rights (\(cause)); "
                    + "'sysctl net.ipv4.ip_unprivileged_port_start' says from which port on all "
                    + "may have them: lower it, or give this program CAP_NET_BIND_SERVICE",
                systemFailure: SystemFailure(
                    operation: cause.operation, number: cause.code.rawValue))
        }
    }

    /// A failure of the system, with what can be done about the common ones.
    package init(_ error: SystemError, whenDoing action: String) {
        let failure = SystemFailure(operation: error.operation, number: error.code.rawValue)
        switch error.code {
        case .notPermitted, .accessDenied:
            self.init(
                .permissionDenied,
                "the system does not permit \(action) (\(error)); look for a sandbox, a seccomp "
                    + "filter or a firewall around this program",
                systemFailure: failure)
        case .tooManyFiles:
            self.init(
                .systemFailure,
                "\(action) failed because this program has too many files open (\(error)); "
                    + "raise the limit with 'ulimit -n'",
                systemFailure: failure)
        default:
            self.init(.systemFailure, "\(action) failed: \(error)", systemFailure: failure)
        }
    }
}

import DNSMessages
import DNSSD
import NetworkPrimitives

/// What a node knows of something that it offers.
struct RegistrationState {
    /// Where it is offered.
    var interfaces: InterfaceSelection
    /// Where it stands, as its readers know.
    var reported: RegistrationStatus?
    /// The name under which discovery says that it is established.
    var establishedName: DomainName?

    /// Whether its readers know that nothing can be sent.
    var isBlocked: Bool {
        if case .blocked = reported { true } else { false }
    }

    /// Whether its readers know that it can't be found everywhere, or anywhere.
    var isFailing: Bool {
        if case .limited = reported { true } else { isBlocked }
    }
}

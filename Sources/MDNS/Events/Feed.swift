import DNSMessages
import DNSSD
import NetworkPrimitives

/// Where a sequence gets its events from.
typealias EventSource<Element> = @Sendable (isolated (any Actor)?) async -> Element?

/// The node's end of one running operation: news from discovery go in, events come out of the
/// mailbox behind it.
struct Feed: Sendable {
    private enum Mailbox: Sendable {
        case states(EventMailbox<FeedStates>)
        case statuses(EventMailbox<RingBuffer<RegistrationStatus>>)
    }

    private let mailbox: Mailbox

    /// Takes in news.
    func receive(_ event: Discovery.Event) {
        switch mailbox {
        case .states(let mailbox):
            mailbox.put { Self.apply(event, to: &$0) }
        case .statuses(let mailbox):
            guard case .registration(let status) = event else { return }
            mailbox.put { $0.append(status) }
        }
    }

    /// Ends the events; those kept still go out.
    func finish() {
        switch mailbox {
        case .states(let mailbox): mailbox.finish()
        case .statuses(let mailbox): mailbox.finish()
        }
    }

    /// Ends the events at once.
    ///
    /// - Returns: Whether they had not ended before.
    func cancel() -> Bool {
        switch mailbox {
        case .states(let mailbox): mailbox.cancel()
        case .statuses(let mailbox): mailbox.cancel()
        }
    }

    /// A feed that keeps how things stand, and the source of what they are told as.
    static func states<Element: Sendable>(
        told: @escaping @Sendable (FeedStates.Element) -> Element?
    ) -> (feed: Feed, source: EventSource<Element>) {
        let mailbox = EventMailbox(FeedStates())
        let source: EventSource<Element> = { isolation in
            while let state = await mailbox.next(isolation: isolation) {
                if let element = told(state) { return element }
            }
            return nil
        }
        return (Feed(mailbox: .states(mailbox)), source)
    }

    /// The states of a registration, the last few of them.
    static func registration() -> (feed: Feed, source: EventSource<RegistrationStatus>) {
        let mailbox = EventMailbox(RingBuffer<RegistrationStatus>(capacity: 64))
        return (
            Feed(mailbox: .statuses(mailbox)), { await mailbox.next(isolation: $0) }
        )
    }
}

/// What all operations but registrations keep for a slow reader. One buffer type serves them
/// all: as many as there are kinds of news would multiply the code.
typealias FeedStates = CoalescingBuffer<FeedKey, FeedValue>

/// What news is about. Small, because a large browse has thousands.
enum FeedKey: Hashable, Sendable {
    case instance(ServiceInstanceName, InterfaceIndex)
    case incomplete(InterfaceIndex)
    case resolution(InterfaceIndex)
    case type(ServiceType, InterfaceIndex)
    case name(DomainName, InterfaceIndex)
    case noName(InterfaceIndex)
    indirect case address(IPAddress, DomainName, InterfaceIndex)
    case noAddress(AddressFamily, InterfaceIndex)
    indirect case record(DomainName, RecordClass, RecordData, InterfaceIndex)
    case noRecord(RecordType, InterfaceIndex)
}

/// How things stand with it.
enum FeedValue: Hashable, Sendable {
    /// The key says it all.
    case present
    indirect case resolution(Resolution)
    indirect case record(ResourceRecord)
}

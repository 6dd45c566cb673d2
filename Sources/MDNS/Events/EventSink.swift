import DNSMessages
import DNSSD
import NetworkPrimitives

/// Where a sequence gets its events from.
package typealias EventSource<Element> = @Sendable (isolated (any Actor)?) async -> Element?

/// The node's end of one running operation: events of discovery go in, events come out of the
/// mailbox behind it.
struct EventSink: Sendable {
    private enum Mailbox: Sendable {
        case states(EventMailbox<SinkStates>)
        case statuses(EventMailbox<RingBuffer<RegistrationStatus>>)
    }

    private let mailbox: Mailbox

    /// Processes an event of discovery.
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

    /// A sink that keeps the current states, and the source of the events made of them.
    static func states<Element: Sendable>(
        transform: @escaping @Sendable (SinkStates.Element) -> Element?
    ) -> (sink: EventSink, source: EventSource<Element>) {
        let mailbox = EventMailbox(SinkStates())
        let source: EventSource<Element> = { isolation in
            while let state = await mailbox.next(isolation: isolation) {
                if let element = transform(state) { return element }
            }
            return nil
        }
        return (EventSink(mailbox: .states(mailbox)), source)
    }

    /// The states of a registration, the last few of them.
    static func registration() -> (sink: EventSink, source: EventSource<RegistrationStatus>) {
        let mailbox = EventMailbox(RingBuffer<RegistrationStatus>(capacity: 64))
        return (
            EventSink(mailbox: .statuses(mailbox)), { await mailbox.next(isolation: $0) }
        )
    }
}

/// What all operations but registrations keep for a slow reader. One buffer type serves them
/// all: as many as there are kinds of events would multiply the code.
typealias SinkStates = CoalescingBuffer<StateKey, StateValue>

/// What a state is about. Small, because a large browse has thousands.
enum StateKey: Hashable, Sendable {
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
enum StateValue: Hashable, Sendable {
    /// The key says it all.
    case present
    indirect case resolution(Resolution)
    indirect case record(ResourceRecord)
}

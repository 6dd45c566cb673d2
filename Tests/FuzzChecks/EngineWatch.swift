import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

/// What one who sees the datagrams and the events of a host holds against it.
struct EngineWatch {
    static let cachedRecords = 48
    static let waitingReplies = 8
    static let truncatedQueriers = 4

    /// A record that was multicast, and where.
    private struct Place: Hashable {
        var interface: InterfaceIndex
        var family: AddressFamily
        var record: ResourceRecord
    }

    private var sent = 0
    private var arrived = 0
    private var shown: [OperationID: Set<ServiceInstance>] = [:]
    private var lastSent: [Place: Instant] = [:]
    private var announced: Set<Place> = []
    /// When something last came or was called that lets a record be sent again sooner.
    private var lastCause: Instant?
    /// Names that another host has spoken of as well, and whether interfaces have changed:
    /// what is owed then is not for an onlooker to say.
    private var disputed: Set<DomainName> = []
    private var isUncertain = false
    private var hasEnded = false

    // MARK: What happens to the host

    mutating func received(_ bytes: [UInt8], at now: Instant) {
        arrived += 1
        guard let message = try? Message.inspect(bytes).message else { return }
        if message.header.isResponse || !message.authorities.isEmpty { lastCause = now }
        let records = message.answers + message.authorities + message.additionals
        guard message.header.isResponse || !message.authorities.isEmpty else { return }
        for record in records { disputed.insert(record.name) }
    }

    mutating func called(at now: Instant) { lastCause = now }

    mutating func interfaceChanged() {
        isUncertain = true
        lastSent = [:]
    }

    mutating func ended() { hasEnded = true }

    // MARK: What it does

    mutating func process(
        _ output: Discovery.Output, of operations: [OperationID],
        on interfaces: [NetworkInterface], at now: Instant
    ) -> String? {
        switch output {
        case .transmit(let transmission):
            sent += 1
            return fault(in: transmission, on: interfaces, at: now)
        case .event(let id, let event):
            if hasEnded { return "an event after the end: \(event)" }
            guard case .browse(let change) = event else { return nil }
            return fault(in: change, of: id)
        case .hostName: return nil
        }
    }

    private mutating func fault(in event: BrowseEvent, of id: OperationID) -> String? {
        guard var instance = event.instance else { return nil }
        instance.resolution = nil
        let isShown = shown[id]?.contains(instance) ?? false
        switch event {
        case .added:
            shown[id, default: []].insert(instance)
            return isShown ? "added twice: \(instance)" : nil
        case .changed: return isShown ? nil : "changed, and not there: \(instance)"
        case .removed:
            shown[id]?.remove(instance)
            return isShown ? nil : "removed, and not there: \(instance)"
        case .incomplete: return nil
        }
    }

    private mutating func fault(
        in transmission: Transmission, on interfaces: [NetworkInterface], at now: Instant
    ) -> String? {
        guard let message = try? Message.decode(transmission.bytes).message else {
            return "sent what can't be decoded"
        }
        let headers = transmission.family == .ipv4 ? 28 : 48
        // RFC 6762 §17: only what can't be divided is fragmented, a record or the probe of a name,
        // which holds all that the name is to have (§8.2).
        let parts =
            message.header.isResponse
            ? message.answers.count + message.authorities.count + message.additionals.count
            : message.questions.count + message.answers.count
        let limit = (parts > 1 ? 1_500 : 9_000) - headers
        guard transmission.bytes.count <= limit else {
            return "sent \(transmission.bytes.count) bytes: \(message)"
        }
        let isGroup = transmission.destination.address.isMulticast
        guard message.header.isResponse, isGroup else { return nil }
        for record in message.answers {
            let fault = note(record, transmission, at: now)
            if let fault { return fault }
        }
        return nil
    }

    /// RFC 6762 §6: a record is multicast once a second, to answer a probe every 250 ms.
    private mutating func note(
        _ record: ResourceRecord, _ transmission: Transmission, at now: Instant
    ) -> String? {
        let isGoodbye = record.timeToLive == .goodbye
        let place = Place(
            interface: transmission.interface, family: transmission.family,
            record: ResourceRecord(record.name, record.data, timeToLive: .host))
        if isGoodbye {
            announced.remove(place)
            lastSent[place] = nil
            return nil
        }
        if record.cacheFlush {
            announced = announced.filter {
                $0.interface != place.interface || $0.family != place.family
                    || $0.record.name != record.name || $0.record.type != record.type
            }
        }
        if record.type != .nsec { announced.insert(place) }
        defer { lastSent[place] = now }
        guard let before = lastSent[place], now < before.advanced(by: .seconds(1)) else {
            return nil
        }
        if let lastCause, now < lastCause.advanced(by: .seconds(3)) { return nil }
        return "multicast again after \(before.duration(to: now)): \(record)"
    }

    // MARK: How it stands

    func fault(in discovery: Discovery) -> String? {
        let statistics = discovery.statistics
        guard statistics.sent == sent else { return "counts \(statistics.sent) sent of \(sent)" }
        guard statistics.received == arrived else {
            return "counts \(statistics.received) received of \(arrived)"
        }
        var number = 0
        while let load = discovery.load(ofLink: number) {
            guard load.cachedRecords <= Self.cachedRecords,
                load.waitingReplies <= Self.waitingReplies,
                load.truncatedQueriers <= Self.truncatedQueriers
            else { return "over its limits: \(load)" }
            number += 1
        }
        return nil
    }

    /// RFC 6762 §10.1: what was announced is said goodbye for.
    func faultAfterGoodbye() -> String? {
        guard !isUncertain else { return nil }
        let left = announced.filter { !disputed.contains($0.record.name) }
        return left.isEmpty ? nil : "no goodbye for \(left.map { "\($0.record)" }.sorted()[0])"
    }
}

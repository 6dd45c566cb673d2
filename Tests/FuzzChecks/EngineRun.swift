import DNSMessages
import DNSSD
import MulticastDNS
import NetworkPrimitives

/// A host of two interfaces and both families to which a script happens.
struct EngineRun {
    private(set) var fault: String?
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var discovery: Discovery
    private var watch = EngineWatch()
    private var interfaces: [NetworkInterface]
    private var operations: [OperationID] = []
    private var recent: [[UInt8]] = []
    private var restarts: UInt64 = 0
    private let names: EngineNames

    /// `nil` where the names can't be made, which does not happen.
    init?() {
        guard let names = EngineNames() else { return nil }
        self.names = names
        discovery = Self.discovery(names.host, seed: 1)
        interfaces = [Self.interface(1, state: 0), Self.interface(2, state: 0)]
        discovery.update(interfaces: interfaces, at: now)
        settle()
    }

    /// Small bounds, so that scripts reach them.
    private static func discovery(_ label: Label, seed: UInt64) -> Discovery {
        var limits = Limits()
        limits.cachedRecords = EngineWatch.cachedRecords
        limits.cachedRecordsPerSource = 24
        limits.cachedRecordsPerName = 16
        limits.unusedRecordsPerSource = 8
        limits.waitingUnicastReplies = EngineWatch.waitingReplies
        limits.truncatedQueriers = EngineWatch.truncatedQueriers
        limits.rememberedRecords = 8
        return Discovery(
            configuration: DiscoveryConfiguration(
                engine: Configuration(limits: limits), hostLabel: label,
                defaultInstanceName: "Fuzz"),
            generator: SeededGenerator(seed: seed))
    }

    /// An interface as it is by the bits of `state`: down, without IPv4, without IPv6, at other
    /// addresses, by another name.
    private static func interface(_ number: UInt32, state: UInt8) -> NetworkInterface {
        let host = UInt8(state & 8 == 0 ? 1 : 9)
        var addresses: [NetworkInterface.Address] = []
        if state & 2 == 0 {
            let address = IPv4Address(10, UInt8(truncatingIfNeeded: number), 0, host)
            addresses.append(.init(NetworkPrefix(.v4(address), length: 16)))
        }
        if state & 4 == 0 {
            let address = EngineNames.linkLocal(UInt64(number) << 32 | UInt64(host))
            addresses.append(.init(NetworkPrefix(address, length: 64)))
        }
        return NetworkInterface(
            name: state & 16 == 0 ? "eth\(number)" : "lan\(number)",
            index: InterfaceIndex(rawValue: number),
            flags: state & 1 == 0 ? [.up, .running, .multicast] : [.multicast],
            addresses: addresses)
    }

    mutating func perform(_ step: EngineStep) {
        switch step.kind {
        case .pause: pause(step)
        case .untilDue: advance(to: discovery.deadline ?? now)
        case .datagram: receive(Array(step.payload), step.first)
        case .echo: echo(step)
        case .claim: claim(step)
        case .interfaces: changeInterface(step)
        case .wake: discovery.wake(at: now)
        case .restart:
            close()
            restart()
        default: call(step)
        }
        settle()
    }

    /// Says goodbye for everything; afterwards nothing may be left announced.
    mutating func close() {
        discovery.shutdown(at: now)
        operations = []
        watch.ended()
        settle()
        if fault == nil { fault = watch.faultAfterGoodbye() }
    }

    private mutating func restart() {
        restarts += 1
        discovery = Self.discovery(names.host, seed: 1 + restarts)
        watch = EngineWatch()
        discovery.update(interfaces: interfaces, at: now)
    }

    // MARK: Time

    private mutating func pause(_ step: EngineStep) {
        let count = Int(step.second) + 1
        let units: [Duration] = [
            .milliseconds(1), .milliseconds(25), .milliseconds(250), .seconds(1), .seconds(60),
        ]
        advance(to: now.advanced(by: units[Int(step.first) % units.count] * count))
    }

    /// Goes on to `end`, or as far as a number of wakings leads.
    private mutating func advance(to end: Instant) {
        var wakings = 0
        while fault == nil, let due = discovery.deadline, due <= end {
            guard wakings < 200 else { return }
            wakings += 1
            now = max(now, due)
            discovery.advance(to: now)
            if let next = discovery.deadline, next <= now {
                fault = "due at \(next) still, after advancing to \(now)"
            }
            settle()
        }
        now = max(now, end)
    }

    /// Drains the outputs and looks at the state.
    private mutating func settle() {
        while let output = discovery.nextOutput() {
            if case .transmit(let transmission) = output {
                recent.append(transmission.bytes)
                if recent.count > 8 { recent.removeFirst() }
            }
            let found = watch.process(
                output, of: operations, on: discovery.activeInterfaces, at: now)
            if fault == nil { fault = found }
        }
        if fault == nil { fault = watch.fault(in: discovery) }
    }

    // MARK: Datagrams

    private mutating func receive(_ bytes: [UInt8], _ how: UInt8) {
        watch.received(bytes, at: now)
        discovery.receive(bytes.span, with: EngineNames.info(how), at: now)
    }

    /// What was sent comes back, one byte changed or none.
    private mutating func echo(_ step: EngineStep) {
        guard !recent.isEmpty else { return }
        var bytes = recent[Int(step.first >> 5) % recent.count]
        let place = Int(step.second) * 2 + Int(step.third & 1)
        if bytes.indices.contains(place) { bytes[place] ^= step.third >> 1 }
        receive(bytes, step.first)
    }

    /// Another host says that it has our records: as they are, with other data, for another time.
    private mutating func claim(_ step: EngineStep) {
        guard !recent.isEmpty,
            let sent = try? Message.decode(recent[Int(step.first >> 5) % recent.count]).message
        else { return }
        let lifetimes: [TimeToLive] = [.goodbye, .seconds(1), .seconds(10), .host, .standard]
        let lifetime = lifetimes[Int(step.second & 0x1F) % lifetimes.count]
        let records = (sent.answers + sent.authorities).map { record in
            ResourceRecord(
                record.name,
                step.second & 0x20 == 0 ? record.data : EngineNames.other(record.data, step.third),
                timeToLive: lifetime, cacheFlush: step.second & 0x40 != 0)
        }
        var message = Message(header: .response, answers: records)
        if step.second & 0x80 != 0 {
            message = Message(
                questions: records.map { Question($0.name, .any) }, authorities: records)
        }
        guard let bytes = try? message.encoded(limit: 8952) else { return }
        receive(bytes, step.first)
    }

    // MARK: Calls

    private mutating func changeInterface(_ step: EngineStep) {
        let number = UInt32(step.first & 1) + 1
        interfaces.removeAll { $0.index.rawValue == number }
        if step.second & 0xE0 != 0xE0 {
            interfaces.append(Self.interface(number, state: step.second))
        }
        watch.interfaceChanged()
        discovery.update(interfaces: interfaces, at: now)
    }

    private mutating func call(_ step: EngineStep) {
        let selection = EngineNames.selection(step.third)
        let picked = operations.isEmpty ? nil : operations[Int(step.first) % operations.count]
        watch.called(at: now)
        switch step.kind {
        case .register where operations.count < 12:
            start(try? discovery.register(names.service(step, on: selection), at: now))
        case .records where operations.count < 12:
            start(try? discovery.registerRecords(names.records(step, on: selection), at: now))
        case .browse where operations.count < 12:
            let detail: BrowseDetail = step.second & 1 == 0 ? .names : .services
            start(
                try? discovery.startBrowse(
                    names.type(step.first), detail: detail, on: selection, at: now))
        case .lookUp where operations.count < 12: startLookUp(step, names, on: selection)
        case .updateText:
            guard let picked else { return }
            try? discovery.update(picked, txt: names.text(step.second), at: now)
        case .subtypes:
            guard let picked else { return }
            try? discovery.update(picked, subtypes: names.subtypes(step.second), at: now)
        case .stop:
            guard let picked else { return }
            operations.removeAll { $0 == picked }
            discovery.stop(picked, at: now)
        case .reconfirm:
            discovery.reconfirm(names.instance(step.first), on: selection, at: now)
        default: break
        }
    }

    private mutating func startLookUp(
        _ step: EngineStep, _ names: EngineNames, on selection: InterfaceSelection
    ) {
        switch step.second % 5 {
        case 0:
            start(discovery.startResolve(names.instance(step.first), on: selection, at: now))
        case 1:
            let host = discovery.hostName
            start(discovery.startAddressLookup(host: host, on: selection, at: now))
        case 2:
            let question = Question(names.instance(step.first).domainName, .any)
            start(discovery.startQuery(question, on: selection, at: now))
        case 3: start(try? discovery.startTypeEnumeration(on: selection, at: now))
        default:
            let address = IPAddress.v4(IPv4Address(10, 1, 0, step.first))
            start(discovery.startReverseLookup(address, on: selection, at: now))
        }
    }

    private mutating func start(_ operation: OperationID?) {
        if let operation { operations.append(operation) }
    }
}

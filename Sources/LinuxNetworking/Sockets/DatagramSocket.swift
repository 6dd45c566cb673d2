internal import CLinux
package import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A UDP socket of one family that tells and chooses the interface of every datagram.
///
/// With `sharesPort` it is one of possibly several on a well-known port; without, one on a port
/// of its own. Every datagram leaves with a hop limit of 255 and by the interface and with the
/// source address it is given. It belongs to whoever waits for it: a loop, or a thread that polls.
package final class DatagramSocket {
    /// The family it speaks.
    package let family: AddressFamily
    /// The port it is bound to.
    package let port: UInt16
    let descriptor: FileDescriptor
    private let block = MessageBlock(payloadSize: DatagramSocket.maximumPayload)
    /// Called when there is something else to wait for than before, see `interest`. While it is
    /// nil nobody waits, and a datagram that the kernel has no room for is dropped.
    package var onInterest: ((Readiness) -> Void)?
    private var queue = Queue<QueuedDatagram>()
    private var queuedBytes = 0
    private var lateResults: [LateSendResult] = []
    var memberships: Set<GroupMembership> = []
    /// Sockets that hold the memberships beyond those the kernel allows to one.
    var membershipHolders: [MembershipHolder] = []
    /// What happened so far.
    package private(set) var statistics = SocketStatistics()

    /// The longest datagram that is taken, more than RFC 6762 §17 allows a message to have.
    package static let maximumPayload = 9000
    /// How many bytes are kept for later while the kernel has no room.
    private static let queueLimit = 1 << 20
    /// How many results are kept for an owner who does not ask.
    private static let lateResultLimit = 1024

    /// Opens a socket and binds it.
    ///
    /// - Parameter port: zero for any that is free.
    /// - Parameter sharesPort: whether others that share it too may be bound to the same port.
    /// - Parameter address: the only address to receive at; nil for all. A socket on a group's
    ///   address gets that group's datagrams on every interface it joins it on, and no unicast:
    ///   that is left to other programs on the port.
    package init(
        _ family: AddressFamily, port: UInt16 = 0, sharesPort: Bool = false,
        address: IPAddress? = nil
    ) throws(SocketError) {
        let any: IPAddress = family == .ipv4 ? .v4(.unspecified) : .v6(.unspecified)
        let opened = try Self.openBound(
            family, at: SocketAddress(address ?? any, port: port), sharesPort: sharesPort)
        self.family = family
        self.port = opened.port
        descriptor = opened.descriptor
    }

    private struct BoundDescriptor: ~Copyable {
        let descriptor: FileDescriptor
        let port: UInt16
    }

    private static func openBound(
        _ family: AddressFamily, at address: SocketAddress, sharesPort: Bool
    ) throws(SocketError) -> BoundDescriptor {
        do throws(SystemError) {
            let descriptor = try open(family)
            try configure(descriptor.number, family, sharesPort: sharesPort)
            if address.address.isMulticast { try reportDrops(descriptor.number, family) }
            let bound =
                if family == .ipv6, address.address.isMulticast {
                    try bindToGroup(descriptor.number, address)
                } else {
                    try bind(descriptor.number, to: address)
                }
            return BoundDescriptor(descriptor: descriptor, port: bound.port)
        } catch {
            throw socketError(error, family, address.port)
        }
    }

    private static func socketError(
        _ error: SystemError, _ family: AddressFamily, _ port: UInt16
    ) -> SocketError {
        switch error.code {
        case .addressInUse: .portHeldExclusively(port)
        case .notPermitted, .accessDenied: .notPermitted(error)
        case .familyUnsupported: .familyUnsupported(family)
        // Binding to `::` where IPv6 is switched off.
        case .addressNotAvailable where family == .ipv6: .familyUnsupported(family)
        default: .system(error)
        }
    }

    // MARK: Waiting

    /// The kernel's number of the descriptor, to wait for it.
    package var number: Int32 { descriptor.number }

    /// What to wait for: also for room to send when something is queued.
    package var interest: Readiness { queue.isEmpty ? .readable : [.readable, .writable] }

    /// Sends what waits and receives what is there, at most `limit` datagrams, which it counts.
    package func handle(
        _ readiness: Readiness, limit: Int = 64,
        _ body: (DatagramInfo, Span<UInt8>) -> Void
    ) throws(SystemError) -> Int {
        if readiness.contains(.writable) { sendQueued() }
        if readiness.contains(.failed) { block.discardErrors(descriptor.number) }
        // A pending error is returned by the next call, which clears it.
        guard readiness.contains(.readable) || readiness.contains(.failed) else { return 0 }
        return try receive(limit: limit, body)
    }

    // MARK: Receiving

    /// Calls `body` with each datagram that is there, at most `limit`, and gives their number.
    package func receive(
        limit: Int = 64, _ body: (DatagramInfo, Span<UInt8>) -> Void
    ) throws(SystemError) -> Int {
        for count in 0..<limit {
            let arrival: MessageBlock.Arrival?
            do throws(SystemError) {
                arrival = try block.receive(descriptor.number)
            } catch {
                guard error.code.isTransient else { throw error }
                statistics.receiveErrors += 1
                continue
            }
            guard let arrival else { return count }
            if let info = accept(arrival) {
                block.withPayload(count: arrival.count) { body(info, $0) }
            }
        }
        return limit
    }

    private func accept(_ arrival: MessageBlock.Arrival) -> DatagramInfo? {
        if let drops = arrival.drops { statistics.lostByKernel = drops }
        guard !arrival.isTruncated else {
            statistics.oversized += 1
            return nil
        }
        guard let interface = arrival.interface, let destination = arrival.destination else {
            statistics.receiveErrors += 1
            return nil
        }
        if !membershipHolders.isEmpty, destination.isMulticast,
            !memberships.contains(GroupMembership(group: destination, interface: interface))
        {
            // Another program's group, which the kernel shows us while holders are in use.
            return nil
        }
        statistics.received += 1
        return DatagramInfo(
            source: arrival.source, destination: destination, interface: interface,
            hopLimit: arrival.hopLimit)
    }

    // MARK: Sending

    /// Sends a datagram.
    ///
    /// - Parameter interface: the one it leaves by; nil to follow the routes.
    /// - Parameter source: the address it comes from, which must be one of the interface's;
    ///   nil for the kernel's choice, which on `lo` is none that a group's members could answer.
    @discardableResult
    package func send(
        _ bytes: Span<UInt8>, to destination: SocketAddress, on interface: InterfaceIndex?,
        from source: IPAddress? = nil
    ) -> SendResult {
        if queue.isEmpty {
            let result = transmit(bytes, destination, interface, source)
            if result != .queued { return result }
        }
        guard onInterest != nil, queuedBytes + bytes.count <= Self.queueLimit else {
            statistics.droppedUnsent += 1
            return .dropped
        }
        queue.append(
            QueuedDatagram(
                bytes: [UInt8](capacity: bytes.count) { output in
                    for index in bytes.indices { output.append(bytes[index]) }
                }, destination: destination, interface: interface, source: source))
        queuedBytes += bytes.count
        if queue.count == 1 { onInterest?(interest) }
        return .queued
    }

    private func transmit(
        _ bytes: Span<UInt8>, _ destination: SocketAddress, _ interface: InterfaceIndex?,
        _ source: IPAddress?
    ) -> SendResult {
        do throws(SystemError) {
            var hasRoom = false
            var failure: SystemError?
            unsafe bytes.withUnsafeBytes { payload in
                do throws(SystemError) {
                    // The payload is only read, during the call.
                    hasRoom = try unsafe block.send(
                        descriptor.number, payload, to: destination, on: interface, from: source)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            guard hasRoom else { return .queued }
            statistics.sent += 1
            return .sent
        } catch {
            statistics.sendErrors += 1
            return .failed(error.code)
        }
    }

    private func sendQueued() {
        while let datagram = queue.first {
            let result = transmit(
                datagram.bytes.span, datagram.destination, datagram.interface, datagram.source)
            if result == .queued { return }
            queuedBytes -= datagram.bytes.count
            _ = queue.popFirst()
            if let interface = datagram.interface, lateResults.count < Self.lateResultLimit {
                lateResults.append(LateSendResult(interface: interface, result: result))
            }
        }
        onInterest?(interest)
    }

    /// How many datagrams wait for the kernel to have room.
    package var queuedCount: Int { queue.count }

    /// Whether there is something for `takeLateResults` to tell.
    package var hasLateResults: Bool { !lateResults.isEmpty }

    /// What became of datagrams that had been queued, since this was last called.
    package func takeLateResults() -> [LateSendResult] {
        defer { lateResults = [] }
        return lateResults
    }
}

/// What became of a datagram that had to wait.
package struct LateSendResult: Hashable, Sendable {
    /// The interface it was to leave by.
    package var interface: InterfaceIndex
    /// `sent` or `failed`.
    package var result: SendResult
}

/// What became of a datagram that was to be sent.
package enum SendResult: Hashable, Sendable {
    /// The kernel has it.
    case sent
    /// The kernel has no room: it will be sent when there is.
    case queued
    /// Neither the kernel nor the queue has room.
    case dropped
    /// The kernel refused it: the network can't be reached, the interface is gone, a filter
    /// forbids it.
    case failed(SystemError.Code)
}

/// What happened on a socket.
package struct SocketStatistics: Hashable, Sendable {
    /// Datagrams handed on.
    package var received = 0
    /// Datagrams that the kernel threw away because they were not read in time.
    package var lostByKernel: UInt32 = 0
    /// Datagrams longer than any message may be.
    package var oversized = 0
    /// Failures of receiving that say nothing of the next datagram.
    package var receiveErrors = 0
    /// Datagrams given to the kernel.
    package var sent = 0
    /// Datagrams that the kernel refused.
    package var sendErrors = 0
    /// Datagrams for which there was no room.
    package var droppedUnsent = 0

    /// Nothing happened.
    package init() {}

    /// The counts of two sockets together.
    package static func + (left: SocketStatistics, right: SocketStatistics) -> SocketStatistics {
        var sum = left
        sum.received += right.received
        sum.lostByKernel &+= right.lostByKernel
        sum.oversized += right.oversized
        sum.receiveErrors += right.receiveErrors
        sum.sent += right.sent
        sum.sendErrors += right.sendErrors
        sum.droppedUnsent += right.droppedUnsent
        return sum
    }
}

private struct QueuedDatagram {
    var bytes: [UInt8]
    var destination: SocketAddress
    var interface: InterfaceIndex?
    var source: IPAddress?
}

extension SystemError.Code {
    /// Whether it concerns an earlier datagram or the moment, not the socket.
    fileprivate var isTransient: Bool {
        switch self {
        case .connectionRefused, .networkDown, .networkUnreachable, .hostUnreachable,
            .noBufferSpace, .outOfMemory, .notPermitted, .messageTooLong:
            true
        default: false
        }
    }
}

import DNSSD
import LinuxNetworking
import NetworkPrimitives

// What the driver is called for: sockets, changes of the interfaces, time; and who else is on
// the port.
extension NodeDriver {
    /// Has all sources waited for, also sockets that are opened later.
    mutating func attach(_ watch: @escaping SourceWatch) throws(SystemError) {
        self.watch = watch
        if let number = monitor.number { monitorInterest = try watch(.interfaces, number) }
        for socket in sockets {
            socket.group.onInterest = try watch(
                .socket(socket.family, .group), socket.group.number)
        }
    }

    /// A source is ready.
    ///
    /// - Parameter offersSomething: Whether anything is registered.
    mutating func handle(
        _ source: NodeSource, _ readiness: Readiness, offersSomething: Bool
    ) {
        noticeSleep(at: SystemClock.now)
        switch source {
        case .interfaces: readInterfaces(at: SystemClock.now)
        case .socket(let family, let role):
            let othersMayBeHere = receive(family, role, readiness)
            let now = SystemClock.now
            if othersMayBeHere, isPortReviewDue(at: now) {
                reviewPort(offersSomething: offersSomething, at: now)
            }
        }
    }

    /// Time has come for what discovery wants to do by itself.
    mutating func advance(to now: Instant, offersSomething: Bool) {
        noticeSleep(at: now)
        if let due = monitor.due, due <= now { readInterfaces(at: now) }
        reviewPort(offersSomething: offersSomething, at: now)
        discovery.advance(to: now)
    }

    /// Sends what waits for the kernel to have room: goodbyes still go out when all else is over.
    mutating func sendQueued(_ source: NodeSource, _ readiness: Readiness) {
        guard case .socket(let family, let role) = source else { return }
        _ = receive(family, role, readiness.intersection(.writable))
    }

    /// Finds out who else is on the port. Beside another program a node asks for no unicast
    /// answers, and takes no unicast unless it offers something.
    ///
    /// Called wherever that counts: before something is asked, and when another program shows
    /// itself. Reading the kernel's tables takes a fifth of a millisecond, so that not more than
    /// five times a second.
    mutating func reviewPort(offersSomething: Bool, at now: Instant, isUrgent: Bool = false) {
        guard isUrgent || offersSomething != offeredSomething || isPortReviewDue(at: now) else {
            return
        }
        lastPortReview = now
        offeredSomething = offersSomething
        let own = Set(sockets.flatMap { $0.inodes })
        sharesPort = sockets.contains {
            UDPPortTable.isShared(Self.port, $0.family, besides: own)
        }
        for index in sockets.indices {
            if offersSomething || !sharesPort {
                openUnicast(index)
            } else {
                sockets[index].closeUnicast()
            }
        }
        discovery.mayAskForUnicast =
            mayAskForUnicast && !sharesPort && sockets.allSatisfy { $0.unicast != nil }
    }

    /// Whether the last review is no longer recent.
    mutating func isPortReviewDue(at now: Instant) -> Bool {
        lastPortReview.map { $0.duration(to: now) >= Self.portReviewInterval } ?? true
    }

    /// Where it can't be had, nothing is asked for by unicast; multicast works all the same.
    private mutating func openUnicast(_ index: Int) {
        guard let watch, sockets[index].unicast == nil else { return }
        let family = sockets[index].family
        do throws(SocketError) {
            try sockets[index].openUnicast()
        } catch {
            return
        }
        guard let socket = sockets[index].unicast else { return }
        do throws(SystemError) {
            socket.onInterest = try watch(.socket(family, .unicast), socket.number)
        } catch {
            sockets[index].closeUnicast()
        }
    }
}

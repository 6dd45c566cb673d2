import DNSSD
import LinuxNetworking
import NetworkPrimitives

// The interfaces as they change, and a machine that sleeps.
extension NodeDriver {
    /// Takes up the interfaces that there are at the start.
    mutating func begin(at now: Instant) {
        take(monitor.interfaces, at: now)
    }

    /// Reads what the kernel says has changed. An error is left for the next change: the
    /// snapshot that is known still holds as far as anybody knows.
    mutating func readInterfaces(at now: Instant) {
        guard let snapshots = try? monitor.update() else { return }
        for snapshot in snapshots { take(snapshot, at: now) }
    }

    private mutating func take(_ snapshot: [NetworkInterface], at now: Instant) {
        let families = Set(sockets.map { $0.family })
        for change in interfaces.update(snapshot, families: families) {
            switch change {
            case .join(let family, let index): join(family, index)
            case .forget(let index):
                for socket in sockets { socket.group.forget(index) }
            }
        }
        reachabilityChanged = true
        discovery.update(interfaces: interfaces.used, at: now)
    }

    private mutating func join(_ family: AddressFamily, _ index: InterfaceIndex) {
        guard let socket = sockets.first(where: { $0.family == family }) else { return }
        do throws(SystemError) {
            try socket.group.join(.multicastDNS(family), on: index)
            interfaces.note(.joined, family, index)
        } catch {
            interfaces.note(.refused("\(error)"), family, index)
        }
    }

    /// If the machine has slept, what is known of the link may be out of date.
    mutating func noticeSleep(at now: Instant) {
        let asleep = SystemClock.timeAsleep
        defer { timeAsleep = asleep }
        guard asleep - timeAsleep > Self.leastSleep else { return }
        sleepCount += 1
        discovery.wake(at: now)
    }
}

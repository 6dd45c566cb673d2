import DNSSD
import NetworkPrimitives

/// A link full of devices that all lose their power at once and come back within seconds, while
/// some browsers run on battery and see it all.
package struct PowerCutScenario: Sendable {
    package var seed: UInt64
    /// The devices; each has two services, one in ten browses as well.
    package var deviceCount: Int
    /// Browsers that keep running.
    package var laptopCount: Int
    /// One device in so many stays dark.
    package var darkDivisor = 10
    /// How long there is no power.
    package var outage: Duration = .seconds(8)
    /// Within how long the devices come back.
    package var returnSpread: Duration = .seconds(3)
    /// Datagrams for each device within the first 30 seconds of its return: probes,
    /// announcements, and answers to each other's questions.
    package var datagramsPerDevice = 40

    package init(seed: UInt64, deviceCount: Int = 300, laptopCount: Int? = nil) {
        self.seed = seed
        self.deviceCount = deviceCount
        self.laptopCount = laptopCount ?? max(deviceCount / 30, 1)
    }

    package func run(trace: SimulationTrace = SimulationTrace(keptLines: 0)) -> Verdict {
        let crowd = CrowdScenario(
            seed: seed, hostCount: deviceCount, browserCount: max(deviceCount / 10, 1),
            startSpread: .seconds(30))
        var (network, devices) = crowd.network(trace: trace)
        addLaptops(browsing: crowd, to: &network)
        crowd.start(devices, of: &network)
        network.run(for: .seconds(30))
        network.checkBrowses()

        for device in devices { network.crash(device) }
        network.run(for: outage)
        let before = network.trace.frameCount
        let back = powerReturns(devices, crowd, &network)
        network.run(for: .seconds(30))
        let datagrams = network.trace.frameCount - before
        // Everyone who is back is seen by all; who stays dark said no goodbye and may be listed.
        network.checkOwners()
        network.checkBrowses(allowingGhosts: true)
        if datagrams > back * datagramsPerDevice {
            network.invariants.report(
                "\(datagrams) datagrams after the return of \(back) devices", by: devices[0],
                at: network.now)
        }
        // Past the lifetime of all that was cached before the cut.
        network.run(for: .seconds(4500 * 12 / 10))
        network.checkOwners()
        network.checkBrowses()
        let renames = network.groundTruth.renames
        if renames > 0 {
            network.invariants.report("\(renames) renames", by: devices[0], at: network.now)
        }
        return Verdict(
            network: network,
            notes: [
                "\(devices.count) devices lost power, \(back) came back, \(laptopCount) browsers "
                    + "on battery; \(datagrams) datagrams in the 30 s from the return"
            ])
    }

    private func addLaptops(browsing crowd: CrowdScenario, to network: inout VirtualNetwork) {
        for number in 0..<laptopCount {
            let laptop = network.addDevice("laptop-\(number)", on: [CrowdScenario.link])
            guard let laptop else { continue }
            network.start(laptop)
            network.browse(crowd.type(number), by: laptop)
        }
    }

    /// Starts the devices in an order and at times of chance; how many.
    private func powerReturns(
        _ devices: [HostID], _ crowd: CrowdScenario, _ network: inout VirtualNetwork
    ) -> Int {
        var generator = SeededGenerator(seed: seed ^ 0x0FF0_0FF0)
        let began = network.now
        let returning = devices.enumerated().filter { $0.offset % darkDivisor != darkDivisor / 2 }
            .map { ($0.offset, $0.element, generator.duration(in: .zero...returnSpread)) }
            .sorted { ($0.2, $0.0) < ($1.2, $1.0) }
        for (number, device, delay) in returning {
            network.run(until: began.advanced(by: delay))
            crowd.start(number, device, of: &network)
        }
        return returning.count
    }
}

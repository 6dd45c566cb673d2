package import NetworkPrimitives
import PacketCapture

/// What happened in a run: a hash over everything, and as much text and as many packets as were
/// asked for.
///
/// Two runs of one scenario and seed have equal hashes, in whatever process they run.
package struct SimulationTrace: Sendable {
    /// How many of the last lines are kept.
    package var keptLines: Int
    /// How many of the last frames are kept.
    package var keptFrames: Int
    /// Lines written in all.
    package private(set) var lineCount = 0
    /// Datagrams sent in all.
    package private(set) var frameCount = 0
    /// FNV-1a over all lines and payloads.
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    private var lines: Ring<String>
    private var frames: Ring<(time: Instant, datagram: Datagram)>

    package init(keptLines: Int = 2_000, keptFrames: Int = 20_000) {
        self.keptLines = keptLines
        self.keptFrames = keptFrames
        lines = Ring(limit: keptLines)
        frames = Ring(limit: keptFrames)
    }

    /// The last lines, oldest first.
    package var text: String { lines.elements.joined(separator: "\n") }

    /// The last datagrams as a capture of raw IP packets.
    package var capture: [UInt8] { Self.capture(of: frames.elements) }

    /// Datagrams as a capture of raw IP packets.
    package static func capture(of frames: [(time: Instant, datagram: Datagram)]) -> [UInt8] {
        let writer = PcapWriter(linkType: .raw)
        var bytes = writer.fileHeader
        for (time, datagram) in frames {
            guard
                let packet = DatagramFrame.packet(
                    from: datagram.source, to: datagram.destination, hopLimit: datagram.hopLimit,
                    payload: datagram.payload)
            else { continue }
            let moment = CaptureTime(
                seconds: time.nanoseconds / 1_000_000_000,
                nanoseconds: UInt32(truncatingIfNeeded: time.nanoseconds % 1_000_000_000))
            writer.append(packet, at: moment, to: &bytes)
        }
        return bytes
    }

    mutating func note(_ what: @autoclosure () -> String, at time: Instant) {
        let line = "\(Self.text(of: time)) \(what())"
        for byte in line.utf8 { mix(byte) }
        mix(0x0A)
        lineCount += 1
        lines.append(line)
    }

    mutating func note(_ datagram: Datagram, by host: HostID?, on link: LinkID, at time: Instant) {
        frameCount += 1
        frames.append((time, datagram))
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            mix(UInt8(truncatingIfNeeded: UInt64(bitPattern: time.nanoseconds) >> shift))
        }
        mix(UInt8(truncatingIfNeeded: link.rawValue))
        for byte in datagram.destination.address.bytes { mix(byte) }
        for byte in datagram.payload { mix(byte) }
        guard keptLines > 0 else { return }
        let sender = host.map { $0.description } ?? "\(datagram.source)"
        note(
            "\(link) \(sender) > \(datagram.destination): \(datagram.payload.count) bytes",
            at: time)
    }

    private mutating func mix(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// Seconds with microseconds.
    private static func text(of time: Instant) -> String {
        let microseconds = time.nanoseconds / 1_000
        let fraction = String(microseconds % 1_000_000)
        let zeros = String(repeating: "0", count: max(0, 6 - fraction.utf8.count))
        return "\(microseconds / 1_000_000).\(zeros)\(fraction)"
    }
}

/// The last so many elements.
struct Ring<Element: Sendable>: Sendable {
    private let limit: Int
    private var stored: [Element] = []
    private var start = 0

    init(limit: Int) {
        self.limit = limit
    }

    var elements: [Element] { Array(stored[start...] + stored[..<start]) }

    mutating func append(_ element: Element) {
        guard limit > 0 else { return }
        if stored.count < limit {
            stored.append(element)
        } else {
            stored[start] = element
            start = (start + 1) % limit
        }
    }
}

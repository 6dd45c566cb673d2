import PacketCapture

/// What is to be said about a capture beside its packets.
enum DecodeNotes {
    /// A line for each kind of thing that is damaged or missing, with the place of the first.
    static func problems(_ statistics: DatagramExtraction.Statistics) -> [String] {
        var lines: [String] = []
        func add(_ count: Int, _ one: String, _ many: String, at offset: Int?) {
            guard count > 0 else { return }
            let place = offset.map { " (\(count == 1 ? "at" : "the first at") byte \($0))" } ?? ""
            lines.append("\(count) \(count == 1 ? one : many)\(place)")
        }
        if let unsupported = statistics.firstUnsupported {
            lines.append(
                "\(statistics.unsupportedFrames) "
                    + (statistics.unsupportedFrames == 1 ? "frame" : "frames")
                    + " passed over: \(unsupported)")
        }
        add(
            statistics.cutFrames + statistics.cutDatagrams, "packet cut by the snap length",
            "packets cut by the snap length", at: statistics.firstCutOffset)
        add(
            statistics.malformedFrames, "frame with malformed IP or UDP headers",
            "frames with malformed IP or UDP headers", at: statistics.firstMalformedOffset)
        add(
            statistics.incompleteDatagrams + statistics.conflictingDatagrams,
            "datagram with missing or overlapping fragments",
            "datagrams with missing or overlapping fragments",
            at: statistics.firstIncompleteOffset)
        return lines
    }

    /// A line about frames that are sound but can't be looked into, or about there being no
    /// packets at all.
    static func remarks(_ statistics: DatagramExtraction.Statistics) -> [String] {
        var lines: [String] = []
        if statistics.encryptedFrames > 0 {
            lines.append("\(statistics.encryptedFrames) encrypted 802.11 frames passed over")
        }
        if statistics.aggregateFrames > 0 {
            lines.append(
                "\(statistics.aggregateFrames) 802.11 frames passed over that hold several "
                    + "packets or a part of one")
        }
        if statistics.datagrams == 0 {
            lines.append("no packets of UDP port 5353 among \(statistics.frames) frames")
        }
        return lines
    }
}

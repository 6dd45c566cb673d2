import NetworkPrimitives
package import PacketCapture

/// What a capture holds, said again on a virtual link by one host, at the capture's own pace.
///
/// Sources are kept as they were, so the replayed hosts are strangers to the link's subnet: what
/// they sent to the group counts, unicast between them is left out.
package struct CaptureReplay: Sendable {
    /// The multicasts in order, with the time since the first.
    package let datagrams: [(after: Duration, datagram: Datagram)]

    /// Reads a whole capture.
    ///
    /// - Throws: `CaptureError` where the file is damaged.
    package init(_ file: [UInt8]) throws(CaptureError) {
        var reader = CaptureReader()
        reader.append(file)
        reader.finish()
        var extraction = DatagramExtraction()
        var found: [(after: Duration, datagram: Datagram)] = []
        var start: CaptureTime?
        while let frame = try reader.next() {
            guard let datagram = extraction.datagram(in: frame), !datagram.isCut,
                datagram.destination.address.isMulticast
            else { continue }
            let time = datagram.time ?? start ?? CaptureTime(seconds: 0)
            let first = start ?? time
            start = first
            found.append(
                (
                    .nanoseconds(time.nanoseconds(since: first)),
                    Datagram(
                        Array(datagram.payload), from: datagram.source, to: datagram.destination,
                        hopLimit: datagram.hopLimit)
                ))
        }
        datagrams = found
    }
}

extension VirtualNetwork {
    /// Lets a script say everything that the capture holds, beginning now.
    package mutating func replay(_ capture: CaptureReplay, by host: HostID, on link: LinkID) {
        for (delay, datagram) in capture.datagrams {
            send(datagram, by: host, on: link, after: delay)
        }
    }
}

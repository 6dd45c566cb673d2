import DNSMessages
import NetworkPrimitives
import PacketCapture

/// The two lines above the records of a packet.
enum HeaderLines {
    /// More bytes than either ever takes.
    static let room = 400
}

extension OutputSpan<UInt8> {
    /// Appends the line of frame, time, ends and length. `origin` is the first packet's time;
    /// that packet itself has none yet, and so its date.
    mutating func appendHeader(of datagram: CapturedDatagram, since origin: CaptureTime?) {
        append(text: ";; frame ")
        append(decimal: UInt64(datagram.frameNumber))
        if let time = datagram.time {
            append(text: "  ")
            append(time, since: origin)
        }
        append(text: "  ")
        append(datagram.source)
        append(text: " > ")
        append(datagram.destination)
        append(text: "  ")
        append(decimal: UInt64(datagram.payload.count))
        append(text: " bytes")
        if datagram.isCut {
            append(text: " of ")
            append(decimal: UInt64(datagram.lengthField) - 8)
            append(text: ", cut by the snap length")
        } else if datagram.hasOddLengthField {
            append(text: ", though the length in the UDP header is ")
            append(decimal: UInt64(datagram.lengthField))
        }
        append(text: "\n")
    }

    /// Appends the line of id, flags and counts.
    mutating func appendHeader(of decoded: DecodedMessage) {
        let header = decoded.message.header
        append(text: header.isResponse ? ";; response" : ";; query")
        append(text: ", id ")
        append(decimal: UInt64(header.id))
        append(text: ", flags")
        if header.flags & 0x07F0 == 0 { append(text: " none") }
        // QR is shown in words, OPCODE and RCODE are numbers (RFC 1035 §4.1.1, RFC 2535 §6.1).
        append(" aa", ifFlag: 0x0400, of: header)
        append(" tc", ifFlag: 0x0200, of: header)
        append(" rd", ifFlag: 0x0100, of: header)
        append(" ra", ifFlag: 0x0080, of: header)
        append(" z", ifFlag: 0x0040, of: header)
        append(" ad", ifFlag: 0x0020, of: header)
        append(" cd", ifFlag: 0x0010, of: header)
        append(", questions ", decoded.counts.questions)
        append(", answers ", decoded.counts.answers)
        append(", authority ", decoded.counts.authorities)
        append(", additional ", decoded.counts.additionals)
        append(text: "\n")
    }

    private mutating func append(_ name: String, ifFlag bit: UInt16, of header: MessageHeader) {
        if header.flags & bit != 0 { append(text: name) }
    }

    private mutating func append(_ name: String, _ count: UInt16) {
        guard count > 0 else { return }
        append(text: name)
        append(decimal: UInt64(count))
    }

    private mutating func append(_ time: CaptureTime, since origin: CaptureTime?) {
        guard let origin else {
            var date: [UInt8] = []
            DecodeNames.appendDate(time, to: &date)
            for byte in date { append(byte) }
            return
        }
        let nanoseconds = time.nanoseconds(since: origin)
        append(UInt8(ascii: nanoseconds < 0 ? "-" : "+"))
        let microseconds = nanoseconds.magnitude / 1000
        append(decimal: microseconds / 1_000_000)
        append(UInt8(ascii: "."))
        append(decimal: microseconds % 1_000_000, digits: 6)
        append(text: " s")
    }

    private mutating func append(_ endpoint: SocketAddress) {
        let isV6 = endpoint.address.family == .ipv6
        if isV6 { append(UInt8(ascii: "[")) }
        endpoint.address.appendText(to: &self)
        append(text: isV6 ? "]:" : ":")
        append(decimal: UInt64(endpoint.port))
    }
}

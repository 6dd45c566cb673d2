import NetworkPrimitives

/// Puts fragments of IP packets together again, within bounds: so many datagrams, bytes and
/// seconds. Of overlapping fragments none is believed, IPv4 as IPv6 (RFC 8200 §4.5).
struct FragmentReassembly: Sendable {
    /// Datagrams awaited at a time; the oldest is given up for one more.
    static let maximumDatagramCount = 64
    /// Bytes kept in all.
    static let maximumByteCount = 1 << 20
    /// Fragments of a datagram: one of 65,535 bytes in pieces of 512.
    static let maximumFragmentCount = 128
    /// After so long the rest does not come (RFC 8200 §4.5).
    static let timeoutSeconds: Int64 = 60

    /// What an added fragment brought about.
    struct Outcome {
        /// The whole datagram with the protocol in it.
        var complete: (bytes: ArraySlice<UInt8>, transport: UInt8)?
        /// The datagrams given up for want of time or room: where each began in the file.
        var abandoned: [Int] = []
        /// The fragment contradicts those before it: its datagram is given up.
        var isConflict = false
    }

    fileprivate struct Key: Hashable {
        var source: IPAddress
        var destination: IPAddress
        var identification: UInt32
    }

    fileprivate struct Pending {
        var key: Key
        var began: CaptureTime?
        /// Where the frame of the fragment that came first is in the file.
        var fileOffset: Int
        /// In the order of their offsets.
        var pieces: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
        var byteCount = 0
        /// Known once the last fragment is there.
        var length: Int?
        /// Known once the first fragment is there.
        var transport: UInt8?
    }

    /// In the order in which their first fragments came.
    private var pending: [Pending] = []
    private var byteCount = 0

    /// Whether the packet, a fragment, may be a part of a UDP datagram.
    static func canHoldUserDatagram(_ packet: InternetPacket) -> Bool {
        if packet.transport == UserDatagram.protocolNumber { return true }
        return packet.source.family == .ipv6 && [0, 43, 60].contains(packet.transport)
    }

    /// Adds a fragment.
    mutating func add(
        _ piece: ArraySlice<UInt8>, of packet: InternetPacket, at time: CaptureTime?,
        fileOffset: Int
    ) -> Outcome {
        var outcome = Outcome()
        guard let fragment = packet.fragment else { return outcome }
        outcome.abandoned = removeOld(at: time)
        let key = Key(
            source: packet.source, destination: packet.destination,
            identification: fragment.identification)
        let index = pending.firstIndex { $0.key == key } ?? pending.count
        if index == pending.count {
            pending.append(Pending(key: key, began: time, fileOffset: fileOffset))
        }

        guard !pending[index].hasDuplicate(of: piece, at: fragment.offset) else { return outcome }
        guard pending[index].add(piece, fragment, transport: packet.transport) else {
            remove(at: index)
            outcome.isConflict = true
            return outcome
        }
        byteCount += piece.count
        if let whole = pending[index].whole {
            remove(at: index)
            outcome.complete = whole
        }
        while pending.count > Self.maximumDatagramCount || byteCount > Self.maximumByteCount {
            outcome.abandoned.append(pending[0].fileOffset)
            remove(at: 0)
        }
        return outcome
    }

    /// Gives up all datagrams; where each began in the file.
    mutating func removeAll() -> [Int] {
        defer {
            pending.removeAll()
            byteCount = 0
        }
        return pending.map { $0.fileOffset }
    }

    private mutating func remove(at index: Int) {
        byteCount -= pending.remove(at: index).byteCount
    }

    private mutating func removeOld(at time: CaptureTime?) -> [Int] {
        guard let time else { return [] }
        var places: [Int] = []
        while let first = pending.first, let began = first.began,
            time.nanoseconds(since: began) > Self.timeoutSeconds * 1_000_000_000
        {
            places.append(first.fileOffset)
            remove(at: 0)
        }
        return places
    }
}

extension FragmentReassembly.Pending {
    /// Whether that very piece is there already: the frame was captured twice.
    fileprivate func hasDuplicate(of piece: ArraySlice<UInt8>, at offset: Int) -> Bool {
        pieces.contains { $0.offset == offset && $0.bytes == piece }
    }

    /// Adds a piece; `false` if it does not fit to the others.
    fileprivate mutating func add(
        _ piece: ArraySlice<UInt8>, _ fragment: InternetPacket.Fragment, transport: UInt8
    ) -> Bool {
        let end = fragment.offset + piece.count
        // All but the last are cut at eight bytes (RFC 791 §3.2, RFC 8200 §4.5).
        guard end <= 65_535, !piece.isEmpty, fragment.isLast || piece.count % 8 == 0,
            pieces.count < FragmentReassembly.maximumFragmentCount
        else { return false }
        if fragment.isLast {
            guard length == nil else { return false }
            length = end
        }
        let index = pieces.firstIndex { $0.offset > fragment.offset } ?? pieces.count
        if index > 0, pieces[index - 1].offset + pieces[index - 1].bytes.count > fragment.offset {
            return false
        }
        if index < pieces.count, end > pieces[index].offset { return false }
        if let length, let last = pieces.last, max(end, last.offset + last.bytes.count) > length {
            return false
        }
        if fragment.offset == 0 { self.transport = transport }
        // A copy, so that a fragment does not keep the reader's whole buffer.
        pieces.insert((fragment.offset, ArraySlice(Array(piece))), at: index)
        byteCount += piece.count
        return true
    }

    /// The datagram, if nothing is missing: pieces don't overlap, so their sum tells.
    fileprivate var whole: (bytes: ArraySlice<UInt8>, transport: UInt8)? {
        guard let length, let transport, byteCount == length else { return nil }
        return (ArraySlice(pieces.flatMap { $0.bytes }), transport)
    }
}

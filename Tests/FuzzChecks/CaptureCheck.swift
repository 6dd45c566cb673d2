import NetworkPrimitives
import PacketCapture

/// Reads bytes as a capture, whole and in pieces: the frames and the error must be the same, and
/// inside the file. Looks for datagrams in all frames, and reads again what frames a writer
/// makes of them.
package func checkCapture(_ bytes: [UInt8]) -> String? {
    let whole = CaptureContents(bytes, pieceLength: max(bytes.count, 1))
    // The pieces' length is a part of the input, so that the fuzzer can choose it. Not always in
    // pieces: that takes longer than all else.
    if let last = bytes.last, last % 4 == 0,
        let fault = checkPieces(CaptureContents(bytes, pieceLength: 1 + Int(last / 4)), whole)
    {
        return fault
    }
    for frame in whole.frames {
        guard frame.bytes.count <= frame.originalLength,
            frame.fileOffset + frame.bytes.count <= bytes.count
        else { return "frame \(frame.number) is not in the file" }
    }
    if let error = whole.error, !(0...bytes.count).contains(error.offset) {
        return "the error is not in the file: \(error)"
    }
    return checkDatagrams(whole.frames) ?? checkWriting(whole.frames)
}

private func checkPieces(_ pieces: CaptureContents, _ whole: CaptureContents) -> String? {
    guard whole.error == pieces.error else { return "pieces end in another error" }
    guard whole.frames.count == pieces.frames.count else { return "pieces give other frames" }
    for (one, other) in zip(whole.frames, pieces.frames) {
        guard one.bytes == other.bytes, one.time == other.time, one.linkType == other.linkType,
            one.number == other.number, one.interface == other.interface,
            one.fileOffset == other.fileOffset, one.originalLength == other.originalLength
        else { return "pieces give another frame \(one.number)" }
    }
    return nil
}

/// All that is in a capture.
private struct CaptureContents {
    var frames: [CapturedFrame] = []
    var error: CaptureError?

    init(_ bytes: [UInt8], pieceLength: Int) {
        var reader = CaptureReader()
        var rest = bytes[...]
        do throws(CaptureError) {
            while !rest.isEmpty {
                reader.append(rest.prefix(pieceLength))
                rest = rest.dropFirst(pieceLength)
                while let frame = try reader.next() { frames.append(frame) }
            }
            reader.finish()
            while let frame = try reader.next() { frames.append(frame) }
        } catch {
            self.error = error
        }
    }
}

private func checkDatagrams(_ frames: [CapturedFrame]) -> String? {
    var extraction = DatagramExtraction()
    var found = 0
    for frame in frames {
        guard let datagram = extraction.datagram(in: frame) else { continue }
        found += 1
        guard datagram.source.port == 5353 || datagram.destination.port == 5353 else {
            return "a datagram of another port"
        }
        guard datagram.payload.count <= CaptureReader.maximumFrameLength else {
            return "a payload that is too long"
        }
        if datagram.isCut, datagram.payload.count + 8 >= Int(datagram.lengthField) {
            return "a datagram that is cut and whole"
        }
    }
    extraction.finish()
    let statistics = extraction.statistics
    guard statistics.frames == frames.count, statistics.datagrams == found else {
        return "the counts don't add up"
    }
    return nil
}

private func checkWriting(_ frames: [CapturedFrame]) -> String? {
    guard let linkType = frames.first?.linkType else { return nil }
    let writer = PcapWriter(linkType: linkType)
    var file = writer.fileHeader
    for frame in frames {
        writer.append(frame.bytes, at: frame.time ?? CaptureTime(seconds: 0), to: &file)
    }
    let again = CaptureContents(file, pieceLength: file.count)
    guard again.error == nil, again.frames.map({ $0.bytes }) == frames.map({ $0.bytes }) else {
        return "what was written is read otherwise"
    }
    return nil
}

import PacketCapture
import TestSupport
import Testing

@testable import MDNSTool

/// Each line of a file as a value.
func lines(of file: [UInt8]) throws -> [JSONValue] {
    try file.split(separator: UInt8(ascii: "\n")).map { line in
        try #require(JSONValue(line), "\(String(decoding: line, as: UTF8.self))")
    }
}

/// What `mdns decode` writes for a capture, and the error that ended it.
func decodedOutput(
    ofCapture file: [UInt8], isJSON: Bool, pieceLength: Int = 1 << 18
) -> (output: String, error: CaptureError?, statistics: DatagramExtraction.Statistics) {
    var decoding = CaptureDecoding(isJSON: isJSON)
    var output: [UInt8] = []
    var damage: CaptureError?
    do throws(CaptureError) {
        var at = 0
        while at < file.count {
            let end = min(at + pieceLength, file.count)
            try decoding.append(Array(file[at..<end]))
            at = end
        }
        try decoding.finish()
    } catch {
        damage = error
    }
    decoding.withOutput { span in
        for index in span.indices { output.append(span[index]) }
    }
    return (String(decoding: output, as: UTF8.self), damage, decoding.statistics)
}

/// The objects that `mdns decode --json` writes for a sound capture.
func decodedLines(ofCapture file: [UInt8]) throws -> [JSONValue] {
    let (output, error, _) = decodedOutput(ofCapture: file, isJSON: true)
    #expect(error == nil)
    return try lines(of: Array(output.utf8))
}

/// The object that `mdns decode --json --message` writes.
func decodedLine(ofMessage bytes: [UInt8]) -> JSONValue {
    var json = DecodeJSON()
    json.write(bytes.count, ReadMessage(bytes.span))
    return JSONValue(json.json.bytes) ?? .null
}

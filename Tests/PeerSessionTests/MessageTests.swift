import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import TestSupport
import Testing

@Suite("Messages and streams of a connection", .serialized, .timeLimit(.minutes(10)))
struct MessageTests {
    @Test(
        "Messages go both ways, in order, with their bytes",
        arguments: [MessageDelivery.ordered, .unordered])
    func exchanges(_ delivery: MessageDelivery) async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            let sizes = [0, 1, 1_000, 20_000, 300_000]
            for (from, to) in [(one, two), (two, one)] {
                async let received = collect(to.messages, sizes.count)
                for size in sizes {
                    try await from.send(
                        [UInt8](repeating: UInt8(size % 251), count: size), type: "size",
                        delivery: delivery)
                }
                let messages = try await received
                #expect(messages.map(\.number) == [1, 2, 3, 4, 5] || delivery == .unordered)
                #expect(messages.map(\.bytes.count).sorted() == sizes)
                for message in messages {
                    #expect(message.type == "size" && message.delivery == delivery)
                    #expect(
                        message.bytes.allSatisfy { Int($0) == message.bytes.count % 251 })
                }
            }
        }
    }

    private func collect(
        _ messages: PeerMessages, _ count: Int
    ) async throws -> [PeerConnection.Message] {
        var received: [PeerConnection.Message] = []
        for try await message in messages {
            received.append(message)
            if received.count == count { break }
        }
        return received
    }

    @Test("Who does not read makes the sender wait, and nobody else")
    func waits() async throws {
        try await SessionPair.with(bert: { $0.maximumPeers = 4 }) { pair in
            let (one, two) = try await pair.connect()
            let sender = Task {
                var count = 0
                while count < 400 {
                    try await one.send([UInt8](repeating: 1, count: 64 << 10), type: "flood")
                    count += 1
                }
                return count
            }
            // While it waits, another type and another peer get through.
            let third = try await PeerSession(SessionPair.options("Cleo"), loop: pair.loop)
            async let accepted = acceptNext(pair.bert)
            let other = try await third.connect(to: "127.0.0.1", port: pair.port)
            let cleo = try await accepted
            try await other.send([7])
            #expect(try await collect(cleo.messages, 1).first?.bytes == [7])
            try await one.send(value: Move(text: "e4"))
            for try await (move, message) in try two.messages(Move.self) {
                #expect(move == Move(text: "e4") && message.type == "Move")
                break
            }
            // All of it arrives once it is read.
            var count = 0
            for try await message in two.messages {
                #expect(message.bytes.count == 64 << 10)
                count += 1
                if count == 400 { break }
            }
            #expect(try await sender.value == 400)
            await third.close()
        }
    }

    @Test("A sender that waits is freed by cancellation, and by the end of the connection")
    func freed() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            let (cancelled, ended) = (flood(one, "a"), flood(one, "b"))
            try await one.send([1], type: "c")
            for try await message in two.messages where message.type == "c" { break }
            cancelled.cancel()
            let first = await #expect(throws: PeerSessionError.self) {
                try await cancelled.value
            }
            #expect(first?.code == .cancelled)
            await two.disconnect()
            let second = await #expect(throws: PeerSessionError.self) { try await ended.value }
            #expect(second?.code == .disconnected)
        }
    }

    private func flood(_ connection: PeerConnection, _ type: String) -> Task<Void, any Error> {
        Task {
            while true {
                try await connection.send([UInt8](repeating: 1, count: 64 << 10), type: type)
            }
        }
    }

    @Test("Values come to who reads their type; others and bad ones are told")
    func values() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            var berts = await EventLog(pair.bert)
            try await one.send([0xFF], type: "Move")
            try await one.send(value: Move(text: "e4"))
            try await one.send(value: Score(number: 3))
            for try await (move, _) in try two.messages(Move.self) {
                #expect(move == Move(text: "e4"))
                break
            }
            let bad = try await berts.first {
                if case .undecodableMessage(_, let type, _) = $0 { type } else { nil }
            }
            #expect(bad == "Move")
            // Nobody reads scores; they wait and are told, then read.
            let waiting = Task {
                for try await (move, _) in try two.messages(Move.self) { return move }
                throw TestEnd.nothing
            }
            let unread = try await berts.first {
                if case .unreadMessage(_, let type) = $0 { type } else { nil }
            }
            #expect(unread == "Score")
            for try await (score, _) in try two.messages(Score.self) {
                #expect(score == Score(number: 3))
                break
            }
            try await one.send(value: Move(text: "d4"))
            #expect(try await waiting.value == Move(text: "d4"))
        }
    }

    @Test("Too much for a message is told before anything is sent")
    func tooLong() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            let error = await #expect(throws: PeerSessionError.self) {
                try await one.send([UInt8](repeating: 0, count: 16 << 20 + 1))
            }
            #expect(error?.code == .messageTooLong)
            let type = await #expect(throws: PeerSessionError.self) {
                try await one.send([1], type: String(repeating: "x", count: 256))
            }
            #expect(type?.code == .invalidArgument)
            let datagram = await #expect(throws: PeerSessionError.self) {
                try await one.sendDatagram([UInt8](repeating: 0, count: 1_200))
            }
            #expect(datagram?.code == .messageTooLong)
            try await one.sendDatagram([1, 2], type: "d")
            let message = try await collect(two.messages, 1).first
            #expect(message?.bytes == [1, 2] && message?.delivery == nil)
        }
    }

    @Test("Of the latest only the last of a key need arrive")
    func latest() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            for number in 0..<200 {
                try await one.send([UInt8(number)], type: "s", delivery: .latest, key: 1)
            }
            var last: UInt8 = 0
            var count = 0
            for try await message in two.messages {
                last = message.bytes[0]
                count += 1
                if last == 199 { break }
            }
            #expect(last == 199 && count <= 200)
        }
    }

    @Test("A stream goes both ways, and each side ends its own")
    func streams() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            for (from, to) in [(one, two), (two, one)] {
                let out = try await from.openStream("file")
                // More than fits the windows, so both sides have to move.
                let size = 3 << 20
                let writer = Task {
                    for start in stride(from: 0, to: size, by: 1 << 20) {
                        try await out.write([UInt8](repeating: UInt8(start >> 20), count: 1 << 20))
                    }
                    try await out.finish()
                }
                var incoming: PeerStream?
                for await stream in to.streams {
                    incoming = stream
                    break
                }
                let stream = try #require(incoming)
                #expect(stream.name == "file")
                var counts = [0, 0, 0]
                for try await piece in stream.bytes {
                    for byte in piece { counts[Int(byte)] += 1 }
                }
                #expect(counts == [1 << 20, 1 << 20, 1 << 20])
                try await writer.value
                try await stream.write([9])
                try await stream.finish()
                var back: [UInt8] = []
                for try await piece in out.bytes { back += piece }
                #expect(back == [9])
                let error = await #expect(throws: PeerSessionError.self) {
                    try await out.write([1])
                }
                #expect(error?.code == .streamFinished)
            }
        }
    }

    @Test("A reset ends both directions, with its code")
    func resets() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            let out = try await one.openStream()
            try await out.write([1])
            for await stream in two.streams {
                await stream.reset(code: 42)
                break
            }
            let error = await #expect(throws: PeerSessionError.self) {
                for try await _ in out.bytes {}
            }
            #expect(error?.code == .streamReset && error?.resetCode == 42)
            await #expect(throws: PeerSessionError.self) { try await out.write([1]) }
        }
    }

    @Test("What a stream was given arrives although nobody holds it any more")
    func abandoned() async throws {
        try await SessionPair.with { pair in
            let (one, two) = try await pair.connect()
            func write() async throws {
                let out = try await one.openStream()
                try await out.write([UInt8](repeating: 3, count: 200_000))
                try await out.finish()
            }
            try await write()
            // One that is dropped before its end is reset.
            func drop() async throws {
                let out = try await one.openStream()
                try await out.write([4])
            }
            try await drop()
            var iterator = two.streams.makeAsyncIterator()
            let whole = try #require(await iterator.next())
            var count = 0
            for try await piece in whole.bytes { count += piece.count }
            #expect(count == 200_000)
            let cut = try #require(await iterator.next())
            let error = await #expect(throws: PeerSessionError.self) {
                for try await _ in cut.bytes {}
            }
            #expect(error?.code == .streamReset && error?.resetCode == 0)
        }
    }

    @Test("`run` serves each connection, disconnects when it returns, and ends with the session")
    func runs() async throws {
        try await SessionPair.with(bert: { $0.maximumPeers = 4 }) { pair in
            var berts = await EventLog(pair.bert)
            let accepting = Task {
                for await invitation in pair.bert.invitations { _ = try await invitation.accept() }
            }
            let serving = Task {
                await pair.bert.run { connection in
                    for try await (move, _) in try connection.messages(Move.self) {
                        if move.text == "throw" { throw TestEnd.nothing }
                        if move.text == "end" { return }
                        try await connection.send(value: Move(text: move.text + "!"))
                    }
                }
            }
            for last in ["end", "throw"] {
                let one = try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
                try await one.send(value: Move(text: "e4"))
                for try await (move, _) in try one.messages(Move.self) {
                    #expect(move.text == "e4!")
                    break
                }
                try await one.send(value: Move(text: last))
                #expect(await one.end() == .closedByPeer(.left, text: ""))
            }
            let failure = try await berts.first {
                if case .serviceFailed(_, let text) = $0 { text } else { nil }
            }
            #expect(failure == "nothing")
            let one = try await pair.anna.connect(to: "127.0.0.1", port: pair.port)
            // The other side is connected a moment later, and perhaps not served yet.
            _ = try await berts.first { if case .connected = $0 { true } else { nil } }
            serving.cancel()
            #expect(await one.end() == .closedByPeer(.left, text: ""))
            await serving.value
            await pair.bert.close()
            try await accepting.value
        }
    }
}

import NetworkPrimitives
import PeerProtocol
import Testing

private func time(_ milliseconds: Int64) -> Instant {
    .zero.advanced(by: .milliseconds(milliseconds))
}

@Suite("Messages of invitations")
struct InvitationMessageTests {
    private func samples() throws -> [InvitationMessage] {
        [
            .invite(number: 1, try Invitation()),
            .invite(number: 70_000, try Invitation(context: [1, 2, 3], time: .seconds(20))),
            .accept(number: 3), .refuse(number: 4, .declined, own: nil),
            .refuse(number: 4, .full, own: 900), .confirm(number: 5),
            .withdraw(number: 6, .noAnswer),
        ]
    }

    @Test func roundTrip() throws {
        for message in try samples() {
            #expect(try InvitationMessage(decoding: message.bytes) == message)
        }
    }

    @Test func bytesAreAsSpecified() throws {
        #expect(
            Hexadecimal.text(try samples()[1].bytes) == "01" + "80011170" + "80004e20" + "010203")
        #expect(Hexadecimal.text(try samples()[4].bytes) == "03" + "04" + "03" + "4385")
    }

    @Test func cutsAndMoreAreErrors() throws {
        for message in try samples().dropFirst(2) {
            let bytes = message.bytes
            for count in 0..<bytes.count {
                #expect(throws: FrameError.cutShort) {
                    try InvitationMessage(decoding: Array(bytes.prefix(count)))
                }
            }
            #expect(throws: FrameError.trailingBytes) {
                try InvitationMessage(decoding: bytes + [0])
            }
        }
    }

    @Test(arguments: ["0001", "0601", "010100", "0101c000000100000000", "030200" + "00", "050105"])
    func fieldsOutOfRange(_ text: String) throws {
        let bytes = try #require(Hexadecimal.bytes(text))
        #expect(throws: FrameError.invalidField(.invitation)) {
            try InvitationMessage(decoding: bytes)
        }
    }

    @Test func contextAndTimeHaveLimits() throws {
        let most = [UInt8](repeating: 1, count: 65_536)
        #expect(try Invitation(context: most).context.count == 65_536)
        #expect(throws: InvitationError.contextTooLong(bytes: 65_537)) {
            try Invitation(context: most + [1])
        }
        let large = [1, 1, 1] + most + [1]
        #expect(throws: FrameError.invalidField(.invitation)) {
            try InvitationMessage(decoding: large)
        }
        #expect(try Invitation().time == .seconds(30))
        #expect(try Invitation(time: .seconds(-1)).time == .seconds(30))
        #expect(try Invitation(time: .milliseconds(4_999)).isShort)
        #expect(try !Invitation(time: .seconds(5)).isShort)
        let century = try Invitation(time: .seconds(Int64.max))
        let message = InvitationMessage.invite(number: 1, century)
        #expect(try InvitationMessage(decoding: message.bytes) == message)
    }
}

@Suite("Invitations between two peers")
struct InvitationExchangeTests {
    private let invitation = try? Invitation(context: [7])

    private func invited(
        _ first: inout InvitationExchange, _ second: inout InvitationExchange
    ) throws {
        let invitation = try #require(invitation)
        let sent = try first.invite(invitation, number: 1, now: time(0))
        #expect(sent == [.send(.invite(number: 1, invitation))])
        #expect(
            second.receive(.invite(number: 1, invitation), now: time(1))
                == [.invited(number: 1, invitation)])
    }

    @Test func acceptedAndConfirmed() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        try invited(&first, &second)
        #expect(second.accept(number: 1) == [.send(.accept(number: 1))])
        #expect(!second.isConnected)
        #expect(
            first.receive(.accept(number: 1), now: time(2))
                == [.send(.confirm(number: 1)), .connected])
        #expect(second.receive(.confirm(number: 1), now: time(3)) == [.connected])
        // Copies and late answers change nothing.
        #expect(first.receive(.accept(number: 1), now: time(4)).isEmpty)
        #expect(second.receive(.confirm(number: 1), now: time(4)).isEmpty)
        #expect(second.decline(number: 1).isEmpty)
        #expect(second.accept(number: 1).isEmpty)
        #expect(first.deadline == nil && second.deadline == nil)
        let invitation = try #require(invitation)
        #expect(throws: InvitationError.alreadyConnected) {
            try first.invite(invitation, number: 2, now: time(5))
        }
    }

    @Test func declinedWithAReason() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        try invited(&first, &second)
        #expect(
            second.decline(number: 1) == [.send(.refuse(number: 1, .declined, own: nil))])
        #expect(
            first.receive(.refuse(number: 1, .declined, own: nil), now: time(2))
                == [.failed(.declined)])
        #expect(first.isIdle && second.isIdle)
    }

    @Test func timeOverOnTheInvitingSide() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        try invited(&first, &second)
        #expect(first.deadline == time(30_000))
        #expect(first.advance(to: time(29_999)).isEmpty)
        #expect(
            first.advance(to: time(30_000))
                == [.send(.withdraw(number: 1, .noAnswer)), .failed(.noAnswer)])
        // An acceptance that was on its way is not confirmed, and its side is told.
        #expect(second.accept(number: 1) == [.send(.accept(number: 1))])
        #expect(first.receive(.accept(number: 1), now: time(30_001)).isEmpty)
        #expect(
            second.receive(.withdraw(number: 1, .noAnswer), now: time(30_002))
                == [.withdrawn(number: 1, .noAnswer)])
        #expect(!first.isConnected && !second.isConnected)
        #expect(second.isIdle)
    }

    @Test func timeOverOnTheInvitedSide() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        try invited(&first, &second)
        #expect(second.deadline == time(30_001))
        #expect(
            second.advance(to: time(30_001)) == [
                .withdrawn(number: 1, .noAnswer), .send(.refuse(number: 1, .noAnswer, own: nil)),
            ])
        #expect(second.accept(number: 1).isEmpty)
        #expect(first.isIdle == false)
    }

    /// Two inputs of the issue: both applications get the other's, and a decline of one of them
    /// does not undo the other.
    @Test(arguments: [false, true])
    func crossedAndOneDeclined(_ declinesFirst: Bool) throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        let invitation = try #require(invitation)
        _ = try first.invite(invitation, number: 1, now: time(0))
        _ = try second.invite(invitation, number: 8, now: time(0))
        #expect(
            first.receive(.invite(number: 8, invitation), now: time(1))
                == [.invited(number: 8, invitation)])
        #expect(
            second.receive(.invite(number: 1, invitation), now: time(1))
                == [.invited(number: 1, invitation)])
        if declinesFirst {
            #expect(
                second.decline(number: 1) == [.send(.refuse(number: 1, .declined, own: 8))])
            #expect(first.receive(.refuse(number: 1, .declined, own: 8), now: time(2)).isEmpty)
        }
        #expect(first.accept(number: 8) == [.send(.accept(number: 8))])
        #expect(
            second.receive(.accept(number: 8), now: time(3))
                == [.send(.confirm(number: 8)), .connected])
        #expect(second.decline(number: 1).isEmpty)
        #expect(first.receive(.confirm(number: 8), now: time(4)) == [.connected])
        #expect(first.isConnected && second.isConnected)
    }

    @Test func crossedAndBothDeclined() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        let invitation = try #require(invitation)
        _ = try first.invite(invitation, number: 1, now: time(0))
        _ = try second.invite(invitation, number: 8, now: time(0))
        _ = first.receive(.invite(number: 8, invitation), now: time(1))
        _ = second.receive(.invite(number: 1, invitation), now: time(1))
        #expect(first.decline(number: 8) == [.send(.refuse(number: 8, .declined, own: 1))])
        #expect(second.receive(.refuse(number: 8, .declined, own: 1), now: time(2)).isEmpty)
        #expect(
            second.decline(number: 1)
                == [.send(.refuse(number: 1, .declined, own: nil)), .failed(.declined)])
        #expect(
            first.receive(.refuse(number: 1, .declined, own: nil), now: time(3))
                == [.failed(.declined)])
    }

    /// Over two connections the other side's invitation may come after its refusal of ours.
    @Test func aRefusalThatOvertakesTheOthersInvitation() throws {
        var first = InvitationExchange()
        let invitation = try #require(invitation)
        _ = try first.invite(invitation, number: 1, now: time(0))
        #expect(first.receive(.refuse(number: 1, .declined, own: 8), now: time(1)).isEmpty)
        #expect(first.deadline == time(30_000))
        #expect(
            first.receive(.invite(number: 8, invitation), now: time(2))
                == [.invited(number: 8, invitation)])
        var second = InvitationExchange()
        _ = try second.invite(invitation, number: 1, now: time(0))
        _ = second.receive(.refuse(number: 1, .declined, own: 8), now: time(1))
        #expect(second.advance(to: time(30_000)) == [.failed(.declined)])
        // A withdrawal that overtakes its invitation.
        var third = InvitationExchange()
        #expect(third.receive(.withdraw(number: 8, .noAnswer), now: time(1)).isEmpty)
        #expect(third.receive(.invite(number: 8, invitation), now: time(2)).isEmpty)
    }

    @Test func aPeerHasOneInvitation() throws {
        var exchange = InvitationExchange()
        let invitation = try #require(invitation)
        _ = exchange.receive(.invite(number: 1, invitation), now: time(0))
        #expect(
            exchange.receive(.invite(number: 2, invitation), now: time(1)) == [
                .withdrawn(number: 1, .withdrawn), .invited(number: 2, invitation),
            ])
        #expect(exchange.accept(number: 1).isEmpty)
        _ = try exchange.invite(invitation, number: 1, now: time(2))
        #expect(throws: InvitationError.alreadyInvited) {
            try exchange.invite(invitation, number: 2, now: time(2))
        }
        #expect(
            exchange.withdraw() == [.send(.withdraw(number: 1, .withdrawn))])
    }

    @Test func aLostPeerEndsAll() throws {
        var (first, second) = (InvitationExchange(), InvitationExchange())
        try invited(&first, &second)
        #expect(first.disconnect() == [.failed(.noAnswer)])
        #expect(second.disconnect() == [.withdrawn(number: 1, .withdrawn)])
        #expect(second.disconnect().isEmpty)
        #expect(first.isIdle)
    }
}

@Suite("Invitations with many peers")
struct InvitationTableTests {
    private func identity(_ number: UInt8) -> PeerIdentity {
        PeerIdentity(key: deviceKey(number), id: PeerID(rawValue: 1))
    }

    @Test func sixteenWaitForTheApplication() throws {
        var table = InvitationTable()
        let invitation = try Invitation()
        for number: UInt8 in 1...20 {
            let effects = table.receive(
                .invite(number: 1, invitation), from: identity(number), now: time(0)
            ).map(\.effect)
            #expect(
                effects
                    == (number <= 16
                        ? [.invited(number: 1, invitation)]
                        : [.send(.refuse(number: 1, .full, own: nil))]))
        }
        #expect(table.askingCount == 16)
        // The place of its own former one is a peer's.
        let again = table.receive(.invite(number: 2, invitation), from: identity(3), now: time(1))
        #expect(again.map(\.effect).last == .invited(number: 2, invitation))
        #expect(table.decline(identity(3), number: 2).count == 1)
        let next = table.receive(.invite(number: 2, invitation), from: identity(20), now: time(1))
        #expect(next.map(\.effect) == [.invited(number: 2, invitation)])
    }

    @Test func numbersRiseOverAllPeers() throws {
        var table = InvitationTable()
        for number: UInt8 in 1...3 {
            let effects = try table.invite(identity(number), try Invitation(), now: time(0))
            #expect(
                effects.map(\.effect) == [.send(.invite(number: UInt64(number), try Invitation()))])
        }
        #expect(table.deadline == time(30_000))
        #expect(table.advance(to: time(30_000)).count == 6)
        #expect(table.disconnect(identity(1)).isEmpty)
        #expect(table.accept(identity(1), number: 9).isEmpty)
        #expect(table.withdraw(identity(1)).isEmpty)
        #expect(!table.isConnected(identity(1)))
    }
}

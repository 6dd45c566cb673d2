/// Why an invitation came to nothing, as the other side says it.
public enum InvitationRefusal: UInt8, Error, Hashable, Sendable, CaseIterable {
    /// Its application declined.
    case declined = 1
    /// Nobody answered in time.
    case noAnswer = 2
    /// It has as many invitations as it can keep.
    case full = 3
    /// The application that invited changed its mind.
    case withdrawn = 4
}

/// What an application invites with.
public struct Invitation: Hashable, Sendable {
    /// The most bytes of context.
    public static let maximumContext = 65_536
    /// The time an invitation has unless another is given.
    public static let defaultTime: Duration = .seconds(30)
    /// Less than this is hardly enough for a person to answer.
    public static let shortTime: Duration = .seconds(5)

    /// Bytes for the other application, which it must not rely on before it accepts.
    public let context: [UInt8]
    /// How long the other side may take.
    public let time: Duration

    /// An invitation; a time of zero or less is the default.
    ///
    /// - Throws: `InvitationError.contextTooLong`.
    public init(context: [UInt8] = [], time: Duration = .zero) throws(InvitationError) {
        guard context.count <= Self.maximumContext else {
            throw .contextTooLong(bytes: context.count)
        }
        self.context = context
        self.time = time > .zero ? min(time, Self.longestTime) : Self.defaultTime
    }

    /// Whether the time is so short that the user should be warned.
    public var isShort: Bool { time < Self.shortTime }

    /// What 32 bits of milliseconds can say.
    private static let longestTime: Duration = .milliseconds(Int64(UInt32.max))

    /// The time in milliseconds, at least one.
    var milliseconds: UInt32 {
        UInt32(clamping: max(time.wholeMilliseconds, 1))
    }
}

/// Why an application can't invite.
public enum InvitationError: Error, Hashable, Sendable {
    /// A context has at most 65,536 bytes.
    case contextTooLong(bytes: Int)
    /// An invitation to that peer has not been answered yet.
    case alreadyInvited
    /// The peer is connected.
    case alreadyConnected
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : scaled + attoseconds / 1_000_000_000_000_000
    }
}

/// What the two sides of an invitation send each other.
///
/// | first byte | what follows |
/// | --- | --- |
/// | 1 invite | number, milliseconds, context |
/// | 2 accept | number |
/// | 3 refuse | number, reason, 0 or the number of the sender's own invitation and 1 |
/// | 4 confirm | number |
/// | 5 withdraw | number, reason |
///
/// Numbers and milliseconds are integers of the wire, a reason is a byte.
package enum InvitationMessage: Hashable, Sendable {
    /// The sender invites.
    case invite(number: UInt64, Invitation)
    /// The sender's application accepts that invitation of the receiver.
    case accept(number: UInt64)
    /// The sender refuses that invitation of the receiver, and has an own one on its way or not.
    case refuse(number: UInt64, InvitationRefusal, own: UInt64?)
    /// The acceptance of the sender's invitation came in time: both are connected.
    case confirm(number: UInt64)
    /// The sender's invitation no longer holds.
    case withdraw(number: UInt64, InvitationRefusal)

    /// The message as it is sent.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .invite(let number, let invitation):
            bytes.append(1)
            VariableInteger.append(number, to: &bytes)
            VariableInteger.append(UInt64(invitation.milliseconds), to: &bytes)
            bytes += invitation.context
        case .accept(let number):
            bytes.append(2)
            VariableInteger.append(number, to: &bytes)
        case .refuse(let number, let reason, let own):
            bytes.append(3)
            VariableInteger.append(number, to: &bytes)
            bytes.append(reason.rawValue)
            VariableInteger.append(own.map { $0 + 1 } ?? 0, to: &bytes)
        case .confirm(let number):
            bytes.append(4)
            VariableInteger.append(number, to: &bytes)
        case .withdraw(let number, let reason):
            bytes.append(5)
            VariableInteger.append(number, to: &bytes)
            bytes.append(reason.rawValue)
        }
        return bytes
    }

    /// The message that the other side sent.
    package init(decoding bytes: [UInt8]) throws(FrameError) {
        var reader = WireReader(bytes)
        let type = try reader.byte()
        let number = try reader.integer()
        switch type {
        case 1:
            let milliseconds = try reader.integer()
            guard (1...UInt64(UInt32.max)).contains(milliseconds) else { throw Self.invalid }
            do throws(InvitationError) {
                let time = Duration.milliseconds(Int64(milliseconds))
                self = .invite(
                    number: number, try Invitation(context: reader.rest(), time: time))
            } catch {
                throw Self.invalid
            }
        case 2: self = .accept(number: number)
        case 3:
            let reason = try Self.reason(&reader)
            let own = try reader.integer()
            self = .refuse(number: number, reason, own: own == 0 ? nil : own - 1)
        case 4: self = .confirm(number: number)
        case 5: self = .withdraw(number: number, try Self.reason(&reader))
        default: throw Self.invalid
        }
        try reader.finish()
    }

    private static let invalid = FrameError.invalidField(.invitation)

    private static func reason(_ reader: inout WireReader) throws(FrameError) -> InvitationRefusal {
        guard let reason = InvitationRefusal(rawValue: try reader.byte()) else { throw invalid }
        return reason
    }
}

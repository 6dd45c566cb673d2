package import Noise

/// Why a connection did not get beyond its handshake.
package enum PeerHandshakeError: Error, Hashable, Sendable {
    /// What came first is no preface.
    case preface(PrefaceError)
    /// The two prefaces do not fit.
    case negotiation(NegotiationError)
    /// A service type has at most 255 bytes.
    case serviceTypeTooLong
    /// No message of the handshake has that size at that place.
    case invalidMessageSize(Int)
    /// A message is not what it should be: another service type or secret, a changed preface, or
    /// bytes that were changed on their way.
    case noise(NoiseError)
    /// What the other side says of itself can't be read.
    case payload(HandshakePayloadError)
    /// It took longer than ten seconds.
    case timedOut
    /// A step at the wrong moment, or more bytes than the step needs.
    case outOfTurn
}

/// Every bound of this room, with its reason.
package enum DiscoveryLimits {
    /// Bytes of a service name without its underscore (RFC 6335 §5.1).
    package static let serviceNameBytes = 15
    /// Bytes of one label (RFC 1035 §2.3.4).
    package static let labelBytes = 63
    /// Bytes of one string of a TXT record (RFC 6763 §6.1).
    package static let attributeBytes = 255
    /// Bytes of a whole TXT record that a 9000-byte packet still carries (RFC 6763 §6.1).
    package static let textRecordBytes = 8900
    /// Bytes of a record, its owner's name included, that a 9000-byte packet still carries with
    /// 48 bytes of IPv6 and UDP headers, 12 of the message's, and 6 of a probe's question
    /// (RFC 6762 §17).
    package static let recordBytes = 8_934
    /// Bytes of a TXT record of the usual size (RFC 6763 §6.2).
    package static let usualTextRecordBytes = 200
    /// Bytes of a TXT record that fits a 512-byte message with the rest (RFC 6763 §6.2).
    package static let smallTextRecordBytes = 400
    /// Bytes over which a TXT record is not recommended (RFC 6763 §6.2).
    package static let recommendedTextRecordBytes = 1300
    /// Characters that a key should have at most (RFC 6763 §6.4).
    package static let keyCharacters = 9
    /// Aliases followed one after another: a chain that is longer is a mistake or an attack.
    package static let aliasDepth = 8
    /// SRV records of one instance and interface that are looked at: a real service has one.
    package static let locationsPerInstance = 16
    /// TXT records of one instance and interface that are kept (RFC 6763 §6.8 knows LPR only).
    package static let textsPerInstance = 16
    /// Addresses of one host and interface that are kept.
    package static let addressesPerHost = 64
    /// Resolutions of one browse that have reported nothing yet: the next ones start when these
    /// have an answer, or none in time. Two questions each fit a few packets.
    package static let pendingResolutions = 100
    /// Service types of one enumeration.
    package static let typesPerEnumeration = 4_096
}

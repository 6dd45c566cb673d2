// The standard library holds the tables of Unicode normalisation and shows them under this name
// only; Foundation, the public way to them, is not to be linked. This is the one file that asks.
@_spi(_Unicode) import Swift

extension String {
    /// The text in Normalization Form C, in which names are stored and sent (RFC 6763 §4.1.1).
    ///
    /// Names that came from the network are never passed through here: they are compared and
    /// sent back byte for byte.
    var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var text = String.UnicodeScalarView()
        for scalar in _nfc { text.append(scalar) }
        return String(text)
    }
}

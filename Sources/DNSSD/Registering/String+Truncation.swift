import NetworkPrimitives

extension String {
    /// The longest prefix of at most `limit` bytes of UTF-8 that ends between characters as the
    /// reader sees them; within one only if the first alone is larger.
    func truncated(toUTF8Count limit: Int) -> String {
        let kept = wholeCharacters(upToUTF8Count: limit)
        guard kept.isEmpty else { return kept }
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += scalar.utf8.count
            guard count <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

extension String {
    /// The longest prefix of at most `limit` bytes of UTF-8 that ends between characters as the
    /// reader sees them; within one only if the first alone is larger.
    func truncated(toUTF8Count limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var count = 0
        for character in self {
            let size = character.utf8.count
            guard count + size <= limit else { break }
            count += size
            kept.append(character)
        }
        guard kept.isEmpty else { return kept }
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            count += scalar.utf8.count
            guard count <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

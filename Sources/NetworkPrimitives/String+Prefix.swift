extension String {
    /// The longest prefix of at most `limit` bytes of UTF-8 that ends between characters as the
    /// reader sees them; empty if the first alone is larger.
    package func wholeCharacters(upToUTF8Count limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = startIndex
        var count = 0
        for index in indices {
            count += self[index].utf8.count
            guard count <= limit else { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }
}

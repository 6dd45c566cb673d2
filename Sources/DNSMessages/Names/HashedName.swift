/// A name with its hash, which is computed once for all tables that a record is looked up in.
package struct HashedName: Sendable {
    package let name: DomainName
    package let hash: Int

    package init(_ name: DomainName) {
        self.name = name
        hash = name.hashValue
    }

    /// The hash of a record of this name with that data.
    package func hash(of data: RecordData) -> Int {
        var hasher = Hasher()
        hasher.combine(hash)
        hasher.combine(data)
        return hasher.finalize()
    }
}

/// A name with its hash, which is computed once for all tables that a record is looked up in.
package struct HashedName: Sendable {
    package let name: DomainName
    package let hash: Int

    package init(_ name: DomainName) {
        self.name = name
        hash = name.hashValue
    }
}

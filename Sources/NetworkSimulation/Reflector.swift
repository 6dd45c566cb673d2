/// Copies multicast between links.
struct Reflector: Hashable, Sendable {
    let host: HostID
    let links: [LinkID]
    /// How often one datagram is passed on at most: two reflectors side by side would else pass
    /// it round for ever.
    let passes: Int
}

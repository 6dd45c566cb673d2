/// Whether this program can use the local network for multicast DNS.
///
/// The names are those of Apple's local network privacy. Linux has no such switch; here the
/// answer is what the system's interfaces, sockets, filters and limits let through, with a
/// reason and a remedy for what they do not.
public enum LocalNetworkAccess {}

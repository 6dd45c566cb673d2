/// The rules of RFC 6762, Multicast DNS (February 2013).
enum Requirements6762 {
    static let all: [Requirement] = querying + responding + probing + coherency + format
}

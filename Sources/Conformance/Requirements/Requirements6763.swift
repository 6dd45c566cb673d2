/// The rules of RFC 6763, DNS-Based Service Discovery (February 2013).
enum Requirements6763 {
    static let all: [Requirement] = naming + types
}

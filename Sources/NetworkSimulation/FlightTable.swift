import DNSMessages

/// Datagrams under way, each kept and decoded once for all who are to get it: what is scheduled
/// is then a few bytes, however many hosts a link has.
struct FlightTable: Sendable {
    private struct Flight: Sendable {
        var datagram: Datagram
        let decoded: DecodingResult
        let link: LinkID
        /// How many arrivals are still to come.
        var left = 0
    }

    private var flights: [Flight] = []
    private var free: [Int] = []

    /// Keeps a datagram; `end` it, or schedule arrivals with `add`.
    mutating func begin(_ datagram: Datagram, on link: LinkID) -> Int {
        let flight = Flight(
            datagram: datagram, decoded: DecodingResult(datagram.payload.span), link: link,
            left: 1)
        guard let reused = free.popLast() else {
            flights.append(flight)
            return flights.count - 1
        }
        flights[reused] = flight
        return reused
    }

    /// One more arrival is to come.
    mutating func add(to flight: Int) {
        flights[flight].left += 1
    }

    /// One arrival is over; with the last the datagram goes.
    mutating func end(_ flight: Int) {
        flights[flight].left -= 1
        guard flights[flight].left == 0 else { return }
        flights[flight].datagram.payload = []
        free.append(flight)
    }

    func datagram(_ flight: Int) -> Datagram { flights[flight].datagram }
    func decoded(_ flight: Int) -> DecodingResult { flights[flight].decoded }
    func link(_ flight: Int) -> LinkID { flights[flight].link }
}

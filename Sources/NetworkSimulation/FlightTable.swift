import DNSMessages

/// Datagrams under way, each kept and decoded once for all who are to get it: what is scheduled
/// is then a few bytes, however many hosts a link has.
struct FlightTable: Sendable {
    private struct Flight: Sendable {
        var datagram: Datagram
        let decoded: DecodingResult
        let link: LinkID
        /// Who sent it there, and which watches look at its arrival.
        let sender: HostID?
        let concern: Concern
        /// How many arrivals are still to come.
        var left = 0
    }

    private var flights: [Flight] = []
    private var free: [Int] = []

    /// Keeps a datagram; `end` it, or schedule arrivals with `add`.
    mutating func begin(
        _ datagram: Datagram, _ decoded: DecodingResult, on link: LinkID, by sender: HostID?,
        _ concern: Concern
    ) -> Int {
        let flight = Flight(
            datagram: datagram, decoded: decoded, link: link, sender: sender, concern: concern,
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

    /// What the watches are to look at when a datagram arrives; nil for the most.
    func observed(_ flight: Int) -> (message: ObservedMessage, concern: Concern)? {
        guard !flights[flight].concern.isEmpty, let sender = flights[flight].sender,
            case .success(let decoded) = flights[flight].decoded
        else { return nil }
        let message = ObservedMessage(
            decoded.message, flights[flight].datagram, by: sender, on: flights[flight].link)
        return (message, flights[flight].concern)
    }
}

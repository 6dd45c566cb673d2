import NetworkPrimitives

/// How many bytes of unicast a source may have of us, and all sources together.
///
/// A query is smaller than its answer and its source is easily forged, so that a responder without
/// a limit could be turned against a third host. Each source has 16 kB to begin with and then ten
/// bytes for each byte of its queries; what the beginnings of many sources may cost together is
/// limited by time. A source that has been silent for a minute begins anew.
struct AmplificationBudget: Sendable {
    private struct Account: Sendable {
        var credit: Int
        var last: Instant
    }

    private static let perSource = 16_384
    private static let inAll = 262_144
    private static let inAllPerSecond = 65_536
    private static let factor = 10

    private var accounts: [IPAddress: Account] = [:]
    private var total = Account(credit: inAll, last: .zero)

    /// Counts what a source has sent; accounts are kept for at most `limit` sources (D-28).
    mutating func deposit(_ bytes: Int, from source: IPAddress, sources limit: Int, at now: Instant)
    {
        let earned = bytes * Self.factor
        let elapsed = min(total.last.duration(to: now).wholeNanoseconds / 1000, 10_000_000)
        let refill = Int64(Self.inAllPerSecond) * elapsed / 1_000_000
        total.credit = min(total.credit + earned + Int(refill), Self.inAll)
        total.last = now
        if let place = accounts.index(forKey: source) {
            let account = accounts.values[place]
            let credit = isForgotten(account, now) ? Self.perSource : account.credit + earned
            accounts.values[place] = Account(credit: min(credit, Self.perSource), last: now)
            return
        }
        if accounts.count >= limit { accounts = accounts.filter { !isForgotten($0.value, now) } }
        guard accounts.count < limit else { return }
        accounts[source] = Account(credit: Self.perSource, last: now)
    }

    /// Takes what an answer costs; false if there is not enough left.
    mutating func spend(_ bytes: Int, on source: IPAddress) -> Bool {
        guard let place = accounts.index(forKey: source), total.credit >= bytes,
            accounts.values[place].credit >= bytes
        else { return false }
        accounts.values[place].credit -= bytes
        total.credit -= bytes
        return true
    }

    private func isForgotten(_ account: Account, _ now: Instant) -> Bool {
        account.last.duration(to: now) >= .seconds(60)
    }
}

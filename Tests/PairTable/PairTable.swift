/// Behaviours that are right one at a time and have to be right together: every combination is a
/// case of a test, or stands here with the reason why there can be none.
package enum PairTable {
    package static let restarts = PairGroup<SharedName, Restart>(
        "Shared names × restart",
        file: "MulticastDNSTests/Pairs/RestartPairTests.swift",
        test: "pairs: names that are shared, and a restart"
    ) { _, restart, place in
        restart == .familyComes && place.hasOneFamily ? "there is one family" : nil
    }

    package static let queries = PairGroup<QueryBits, QueryRoute>(
        "TC × QU × direct × legacy",
        file: "MulticastDNSTests/Pairs/QueryPairTests.swift",
        test: "pairs: TC, QU, a direct and a legacy query")

    package static let updates = PairGroup<WaitingState, Update>(
        "Update × what waits",
        file: "MulticastDNSTests/Pairs/UpdatePairTests.swift",
        test: "pairs: an update, and what waits meanwhile")

    package static let echoes = PairGroup<Echo, Change>(
        "Echo × change",
        file: "MulticastDNSTests/Pairs/EchoPairTests.swift",
        test: "pairs: our own packets that come back, and a change"
    ) { echo, _, place in
        echo == .onOtherInterface && place != .second ? "there is one interface" : nil
    }

    package static let renames = PairGroup<InterfaceRename, Operation>(
        "Rename of an interface × operation",
        file: "MulticastDNSTests/Pairs/InterfaceRenamePairTests.swift",
        test: "pairs: an interface that is renamed, and an operation")

    package static let registrations = PairGroup<TwoRegistrations, Contest>(
        "Two registrations of one name × conflict",
        file: "MulticastDNSTests/Pairs/RegistrationPairTests.swift",
        test: "pairs: two registrations of one name, and a conflict"
    ) { registrations, contest, _ in
        registrations == .laterOne && contest == .whileProbing
            ? "who comes later shares a name that is claimed, and does not probe for it" : nil
    }

    package static let followers = PairGroup<ServiceChange, Follower>(
        "Change of a service × who follows it",
        file: "DNSSDTests/Pairs/FollowerPairTests.swift",
        test: "pairs: a change of a service or host, and who follows it"
    ) { change, follower, _ in
        switch (change, follower) {
        case (.serviceRenamed, .resolve), (.serviceRenamed, .record), (.hostRenamed, .addresses):
            "the name that is followed is another host's then"
        default: nil
        }
    }

    /// All groups, as they stand on the page.
    package static var tables: [PairGroupTable] {
        [
            restarts.table, queries.table, updates.table, echoes.table, renames.table,
            registrations.table, followers.table,
        ]
    }
}

// MARK: Shared names × restart

package enum SharedName: String, PairSide {
    case twoInstances = "a type with two instances"
    case twoHolders = "a record of two publications"
    case besideUnique = "a shared record beside a unique one"
    case neighbour = "a type that a neighbour has, too"
}

package enum Restart: String, PairSide {
    case wake = "wake-up"
    case interfaceReturns = "interface goes and returns"
    case familyComes = "family comes"
    case programEnds = "program ends and begins"
    case powerCut = "power cut"
}

// MARK: Queries

package enum QueryBits: String, PairSide {
    case plain = "neither TC nor QU"
    case truncated = "TC"
    case unicast = "QU"
    case both = "TC and QU"

    package var isTruncated: Bool { self == .truncated || self == .both }
    package var prefersUnicast: Bool { self == .unicast || self == .both }
}

package enum QueryRoute: String, PairSide {
    case group = "to the group"
    case direct = "direct"
    case legacy = "legacy, to the group"
    case directLegacy = "legacy, direct"

    package var isDirect: Bool { self == .direct || self == .directLegacy }
    package var isLegacy: Bool { self == .legacy || self == .directLegacy }
}

// MARK: Updates

package enum WaitingState: String, PairSide {
    case probing = "probing"
    case announcing = "announcing"
    case deferredResponse = "deferred response"
    case knownAnswers = "known-answer wait"
    case unicastReply = "unicast reply that waits"
    case rateLimit = "one-second rate limit"
    case heldBack = "name that waits for its host"
    case lostTie = "second after a lost tie"
    case goodbyeGrace = "second after a goodbye"
    case earlierUpdate = "earlier update that waits"
}

package enum Update: String, PairSide {
    case data = "unique data"
    case pointer = "shared record replaced"
    case addition = "unique record added"
    case removal = "unique record removed"
    case lifetime = "time to live"
}

// MARK: Echoes

package enum Echo: String, PairSide {
    case atOnce = "at once"
    case later = "a second later"
    case reflected = "a second later, from another address"
    case onOtherInterface = "on the other interface"
}

package enum Change: String, PairSide {
    case publish = "publish"
    case update = "update"
    case goodbye = "shared record withdrawn"
    case withdrawal = "withdrawal"
    case anotherName = "another name"
    case anotherAddress = "another address"
    case wake = "wake-up"
    case interfaceReturns = "interface goes and returns"
    case secondRegistration = "second registration"
    case query = "query"
}

// MARK: Interfaces that are renamed

package enum InterfaceRename: String, PairSide {
    case into = "into the selection"
    case outOf = "out of the selection"
    case within = "within the selection"
}

package enum Operation: String, PairSide {
    case publish = "publish"
    case update = "update"
    case withdraw = "withdraw"
    case repropose = "repropose"
    case end = "end of the program"
    case query = "query"
    case stop = "stop of a query"
    case reconfirm = "reconfirm"
    case wake = "wake-up"
    case answer = "answer that waits"
    case conflict = "conflict"
}

// MARK: Two registrations of one name

package enum TwoRegistrations: String, PairSide {
    case sameRecords = "the same records"
    case otherTypes = "other types"
    case laterOne = "the same, one later"
}

package enum Contest: String, PairSide {
    case whileProbing = "response while probing"
    case tieLost = "tie lost"
    case tieWon = "tie won"
    case responseOnce = "response once claimed"
    case responseTwice = "response, and another while probing again"
    case forgedGoodbye = "another's goodbye"
    case oneWithdrawn = "one of the two withdrawn"
    case ownThird = "third of ours with other data"
    case ownUpdate = "update of one to other data"
}

// MARK: Services and who follows them

package enum ServiceChange: String, PairSide {
    case secondService = "second service"
    case attributes = "attributes"
    case subtypes = "subtypes"
    case withdrawal = "withdrawal"
    case serviceRenamed = "service renamed"
    case hostRenamed = "host renamed"
    case addressAdded = "address added"
    case addressReplaced = "address replaced"
    case interfaceReturns = "interface goes and returns"
    case wake = "wake-up"
    case programRestarts = "program ends and begins"
    case followerWakes = "the follower wakes up"
    case followerReturns = "the follower's interface goes and returns"
}

package enum Follower: String, PairSide {
    case names = "browse"
    case subtype = "browse of a subtype"
    case services = "browse that resolves"
    case resolve = "resolution"
    case addresses = "addresses of the host"
    case reverse = "names of an address"
    case record = "record"
    case types = "types"
}

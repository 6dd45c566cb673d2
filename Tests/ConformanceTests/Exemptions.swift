/// Rules without a test of their own, each with the reason. There may be 25 at most.
enum Exemptions {
    static let limit = 25

    static let all: [(id: String, reason: String)] = [
        (
            "M3-4",
            "there is no unicast resolver here: names of the link are asked of the link alone"
        ),
        ("M5-2", "there is no one-shot mode: every query comes from the full querier on 5353"),
        ("M5-3", "there is no one-shot mode; how long to wait is each caller's limit"),
        ("M5-33", "there is no mode that serves queriers off the link"),
        ("M9-7", "names are told to the program, which stores them; the library has no storage"),
        ("M12-1", "nothing here translates text, so the token can't be translated either"),
        ("M15-4", "a choice of those who build a system; the library can be used either way"),
        ("M21-3", "says what lower layers may add; multicast DNS itself authenticates nothing"),
        ("M22-2", "no query is ever sent to a unicast server, whatever its name"),
        ("M22-3", "speaks of caching and authoritative unicast servers, which this is not"),
        (
            "S4-12",
            "that is a retry of unicast DNS; names of the link are UTF-8 and asked for as such"
        ),
        ("S6-24", "speaks to those who define a service type; the library carries any bytes"),
        ("S8-1", "speaks of how an application lists several related types"),
        ("S15-1", "speaks of unicast domains: DNSSEC and secure updates are not for a link"),
    ]
}

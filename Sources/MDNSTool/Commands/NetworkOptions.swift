/// The options of every command that speaks on the network.
enum NetworkOptions {
    /// Where to speak.
    static let place = [
        OptionSpecification(
            name: "interface", letter: "i", value: "NAME", isRepeatable: true,
            help: "Only on this interface; may be repeated; * and ? stand for any letters.\n"
                + "The loopback is used only when it is named: -i lo."),
        OptionSpecification(name: "ipv4", letter: "4", help: "Only over IPv4."),
        OptionSpecification(name: "ipv6", letter: "6", help: "Only over IPv6."),
    ]

    /// Names that belong to unicast DNS too (RFC 6762 §13).
    static let anyDomain = OptionSpecification(
        name: "any-domain",
        help: "Ask by multicast for names outside .local too. Without it they are\n"
            + "left to unicast DNS: anyone on the link could answer for them.")

    /// How long to wait; `preset` is what happens without it.
    static func timeout(_ preset: String) -> OptionSpecification {
        OptionSpecification(
            name: "timeout", letter: "t", value: "TIME",
            help: "End after this time: 5, 2.5, 300ms, 2m (without it: \(preset)).")
    }

    /// How many to wait for.
    static func count(_ things: String) -> OptionSpecification {
        OptionSpecification(
            name: "count", letter: "n", value: "NUMBER", help: "End after so many \(things).")
    }

    /// Output for programs.
    static func json(_ keys: String) -> OptionSpecification {
        OptionSpecification(
            name: "json", help: "One JSON object a line, with the keys\n\(keys).")
    }
}

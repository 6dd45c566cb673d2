import NetworkPrimitives

/// What every part of the engine is handed: time, chance, limits, and where to count.
struct Context: Sendable {
    var configuration: Configuration
    var generator: SeededGenerator
    /// Counted everywhere, read by nobody in the engine.
    var statistics = Statistics()
    /// The time of the call that is being served.
    var now = Instant.zero

    var limits: Limits { configuration.limits }
}

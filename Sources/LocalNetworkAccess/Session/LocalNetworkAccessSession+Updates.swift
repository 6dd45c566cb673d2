// Who is given each change.
extension LocalNetworkAccessSession {
    struct Subscriber {
        /// Gives out an assessment; false once nobody listens.
        let send: @Sendable (LocalNetworkAssessment) -> Bool
        let wantsReasons: Bool
        var last: LocalNetworkAssessment?
    }

    /// The status now and each change of it; a slow reader gets the latest.
    public nonisolated func statusUpdates() -> AsyncStream<LocalNetworkAccessStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            subscribe(
                Subscriber(
                    send: { Self.isOpen(continuation.yield($0.status)) }, wantsReasons: false)
            ) { end in continuation.onTermination = { _ in end() } }
        }
    }

    /// The status with its reasons now and each change of either; a slow reader gets the latest.
    public nonisolated func assessments() -> AsyncStream<LocalNetworkAssessment> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            subscribe(
                Subscriber(send: { Self.isOpen(continuation.yield($0)) }, wantsReasons: true)
            ) { end in continuation.onTermination = { _ in end() } }
        }
    }

    private static func isOpen<Element>(
        _ result: AsyncStream<Element>.Continuation.YieldResult
    ) -> Bool {
        if case .terminated = result { false } else { true }
    }

    private nonisolated func subscribe(
        _ subscriber: Subscriber, onEnd: (@escaping @Sendable () -> Void) -> Void
    ) {
        let number = UInt64.random(in: 0 ... .max)
        onEnd { [weak self] in
            Task { await self?.remove(number) }
        }
        Task { [weak self] in await self?.add(subscriber, number) }
    }

    private func add(_ subscriber: Subscriber, _ number: UInt64) async {
        subscribers[number] = subscriber
        send(await assessment(), to: number)
        guard subscribers[number] != nil, watch == nil else { return }
        let environment = environment
        watch = Task { [weak self] in
            let (changes, continuation) = AsyncStream<Void>.makeStream(
                bufferingPolicy: .bufferingNewest(1))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await environment.facts.watch { continuation.yield() } }
                for await _ in changes { await self?.refresh() }
                group.cancelAll()
            }
        }
    }

    private func remove(_ number: UInt64) {
        subscribers[number] = nil
        guard subscribers.isEmpty else { return }
        watch?.cancel()
        watch = nil
    }

    private func refresh() async { publish(await assessment()) }

    /// Gives an assessment to all who do not know it.
    func publish(_ assessment: LocalNetworkAssessment) {
        for number in subscribers.keys.sorted() { send(assessment, to: number) }
    }

    private func send(_ assessment: LocalNetworkAssessment, to number: UInt64) {
        guard let subscriber = subscribers[number] else { return }
        let isNew =
            subscriber.wantsReasons
            ? subscriber.last != assessment : subscriber.last?.status != assessment.status
        guard isNew else { return }
        subscribers[number]?.last = assessment
        if !subscriber.send(assessment) { remove(number) }
    }
}

/// Events of a node or a session, in order, for one reader.
///
/// It begins at once and goes on until the node or the session is closed, the time that was given
/// is over, the reading task is cancelled, or nobody holds the sequence or an iterator of it any
/// more; the work behind it is stopped then. A slow consumer never blocks what it listens to and
/// always converges on the current state: what came and went meanwhile is left out, several
/// changes come as one.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let source: EventSource<Element>
    private let subscription: Subscription

    /// Events that come from `source` as long as the subscription lasts.
    package init(subscription: Subscription, source: @escaping EventSource<Element>) {
        self.source = source
        self.subscription = subscription
    }

    /// Stops the work; the reader gets `nil`.
    public func cancel() {
        subscription.end()
    }

    /// Lets the sequence end that much later, whatever was said before; what has been found by
    /// then is still handed out.
    ///
    /// - Parameter duration: How much later.
    public func end(after duration: Duration) {
        subscription.setLimit(duration)
    }

    /// Iterators share the events among themselves: use one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source, subscription: subscription)
    }

    /// Takes the events out one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let source: EventSource<Element>
        let subscription: Subscription

        /// The next event; `nil` at the end.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The next event, without leaving the caller's actor; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            let subscription = subscription
            return await withTaskCancellationHandler {
                await source(actor)
            } onCancel: {
                subscription.end()
            }
        }
    }
}

/// The life of an event sequence: when it ends, the node is notified.
package final class Subscription: Sendable {
    private let onEnd: @Sendable () -> Void
    private let onLimit: @Sendable (Duration) -> Void

    /// Both may be called on any thread, `onEnd` more than once.
    package init(
        onEnd: @escaping @Sendable () -> Void, onLimit: @escaping @Sendable (Duration) -> Void
    ) {
        self.onEnd = onEnd
        self.onLimit = onLimit
    }

    deinit {
        onEnd()
    }

    func end() {
        onEnd()
    }

    func setLimit(_ duration: Duration) {
        onLimit(duration)
    }
}

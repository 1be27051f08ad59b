/// A source of values over time, which it delivers to subscribers, to each no more than it asked for.
///
/// Names, type parameters and behaviour follow Apple's Combine (developer.apple.com/documentation/combine).
public protocol Publisher<Output, Failure> {
    associatedtype Output
    /// `Never` for a publisher that cannot fail.
    associatedtype Failure: Error

    /// Attaches the subscriber. Call `subscribe(_:)` instead; this is what a publisher implements.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Attaches the subscriber, which gets a subscription, then as many values as it requests, then one completion.
    @inlinable @inline(__always)
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Feeds a subject with everything that this publisher emits, until cancelled.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let feed = SubjectFeed(subject)
        subscribe(feed)
        return AnyCancellable(feed.lifeline)
    }
}

/// The namespace of the types that operators return.
public enum Publishers {}

/// The namespace of the types around subscribers.
public enum Subscribers {}

/// The namespace of ready-made subscriptions.
public enum Subscriptions {}

/// Stands between a publisher and the subject that it feeds.
private final class SubjectFeed<S: Subject>: Subscriber {
    let lifeline = Lifeline()
    private let subject: S

    init(_ subject: S) {
        self.subject = subject
    }

    func receive(subscription: any Subscription) {
        if lifeline.attach(subscription) { subject.send(subscription: lifeline) }
    }

    func receive(_ input: S.Output) -> Subscribers.Demand {
        if lifeline.isLive { subject.send(input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<S.Failure>) {
        if lifeline.end() { subject.send(completion: completion) }
    }
}

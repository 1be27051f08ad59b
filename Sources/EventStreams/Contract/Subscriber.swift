/// Receives a subscription, then the values it requests by it, then at most one completion.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error

    /// Comes first and once. The subscriber keeps the subscription and asks by it for values.
    func receive(subscription: any Subscription)

    /// One value that was asked for. The answer is added to the outstanding demand.
    func receive(_ input: Input) -> Subscribers.Demand

    /// The end of the stream; nothing comes after.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Receives a value that says no more than that something happened.
    public func receive() -> Subscribers.Demand {
        receive(())
    }
}

/// A subscriber's connection to a publisher. Both of its methods may be called from any thread.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Allows the publisher so many values more than before. To ask for none is a programmer's error and traps.
    func request(_ demand: Subscribers.Demand)
}

extension Subscriptions {
    /// A subscription for a stream that has nothing to give and nothing to cancel.
    public static var empty: any Subscription { EmptySubscription() }

    private struct EmptySubscription: Subscription {
        let combineIdentifier = CombineIdentifier()

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
        }

        func cancel() {}
    }
}

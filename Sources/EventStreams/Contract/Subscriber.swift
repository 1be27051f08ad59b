/// Receives a subscription, then the requested values, then at most one completion.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error

    /// Called first and once. The subscriber keeps the subscription to request values.
    func receive(subscription: any Subscription)

    /// Receives a requested value. The result adds to the outstanding demand.
    func receive(_ input: Input) -> Subscribers.Demand

    /// The end of the stream; no event follows.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Receives a value of type `Void`.
    public func receive() -> Subscribers.Demand {
        receive(())
    }
}

/// A subscriber's connection to a publisher. Both methods may be called from any thread.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Adds to the demand.
    /// - Precondition: the demand is not `none`.
    func request(_ demand: Subscribers.Demand)
}

extension Subscriptions {
    /// A subscription without effect.
    public static var empty: any Subscription { EmptySubscription() }

    private struct EmptySubscription: Subscription {
        let combineIdentifier = CombineIdentifier()

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
        }

        func cancel() {}
    }
}

/// A publisher fed imperatively from outside a stream.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)

    /// Ends the stream; later values are ignored.
    func send(completion: Subscribers.Completion<Failure>)

    /// Hands over the subscription to a publisher that feeds the subject.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends a value of type `Void`.
    public func send() {
        send(())
    }
}

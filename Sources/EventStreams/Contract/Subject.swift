/// A publisher that code outside a stream feeds by hand.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)

    /// Ends the stream; what is sent later goes nowhere.
    func send(completion: Subscribers.Completion<Failure>)

    /// Hands over the subscription to a publisher that feeds the subject.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends word that something happened.
    public func send() {
        send(())
    }
}

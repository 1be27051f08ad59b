/// A publisher that waits with its work until told to connect, so that all its subscribers can be there.
public protocol ConnectablePublisher: Publisher {
    /// Starts; cancelling the result stops.
    func connect() -> any Cancellable
}

/// A publisher that starts at `connect()`, after all its subscribers have attached.
public protocol ConnectablePublisher: Publisher {
    /// Starts; cancelling the result stops.
    func connect() -> any Cancellable
}

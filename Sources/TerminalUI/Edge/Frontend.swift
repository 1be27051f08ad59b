/// A view of the ``PlayerSession``: draws it or prints its sentences, and passes typed input on. Keeps no state of the game. Confined to the
/// session's loop.
protocol Frontend: AnyObject {
    /// Writes text, at once or soon.
    func send(_ text: String)
    /// Starts drawing and reading input.
    func open()
    /// The player may have changed by an event.
    func changed(by event: PlayerSession.Event, from former: PlayerSession)
    /// Restores the terminal.
    func close()
}

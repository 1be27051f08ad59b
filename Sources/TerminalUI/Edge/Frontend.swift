import ClientCore

/// A view of the ``PlayerSession``: draws it or prints its sentences, and passes typed input on. Keeps no state of the game. Confined to the
/// session's loop.
protocol Frontend: AnyObject {
    var output: TerminalOutput { get }
    /// Starts drawing and reading input.
    func open()
    /// An update of the client, with what the frontend shows of it at once.
    func event(of update: ClientUpdate) -> PlayerSession.Event
    /// The player may have changed.
    func changed()
    /// Draws the whole screen.
    func redraw()
    /// SIGINT.
    func interrupted()
    /// Restores the terminal.
    func close()
}

/// A view of the ``PlayerSession``: draws it or prints its sentences, and passes typed input on. Keeps no state of the game. Confined to the
/// session's loop.
protocol Frontend: AnyObject {
    var output: TerminalOutput { get }
    /// Starts drawing and reading input.
    func open()
    /// The player may have changed by an event.
    func changed(by event: PlayerSession.Event, from former: PlayerSession)
    /// Draws the whole screen.
    func redraw()
    /// SIGINT.
    func interrupted()
    /// Restores the terminal.
    func close()
}

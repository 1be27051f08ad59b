import ClientCore

/// A front end: draws the table and reads the player's commands. Confined to the session's loop.
protocol Face: AnyObject {
    /// Starts drawing and reading input.
    func open()
    /// Shows an update of the client.
    func take(_ update: ClientUpdate, from old: ClientState)
    /// Shows a sentence that does not come from the server.
    func say(_ sentence: Sentence)
    /// Restores the terminal.
    func close()
}

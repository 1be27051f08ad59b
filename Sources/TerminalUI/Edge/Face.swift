import ClientCore

/// A front end: draws the table and reads the player's commands. Confined to the session's loop.
protocol Face: AnyObject {
    /// Starts drawing and reading input.
    func open()
    /// Shows an update of the client.
    func take(_ update: ClientUpdate, from old: ClientState)
    /// Shows a sentence that does not come from the server.
    func say(_ sentence: Sentence)
    /// Shows the list of tables.
    /// - Parameters:
    ///   - reason: why the player is there; nil where they know.
    ///   - isAsked: whether the player asked for it: else no key that was meant for a table chooses one.
    func enterLobby(_ reason: SafeText?, isAsked: Bool)
    /// Shows the table.
    func leaveLobby()
    /// A table refused the player; not the first one, where the session goes on by watching.
    func moveRefused()
    /// Asks for the pass phrase of a table, and goes there with it.
    /// - Parameter isWrong: whether the last phrase was wrong.
    func askForPass(_ destination: TableMove.Destination, isWrong: Bool)
    /// Asks for another name, after the one given was refused.
    /// - Returns: false where nobody can be asked.
    func askForName(_ name: SafeText, _ update: ClientUpdate) -> Bool
    /// Follows a change of the settings.
    func settingsChanged()
    /// Control-C: asks before a hand in play is left.
    /// - Returns: false where there is nothing to ask, or it was asked.
    func asksBeforeLeaving() -> Bool
    /// Restores the terminal.
    func close()
}

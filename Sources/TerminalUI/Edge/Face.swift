import ClientCore

/// One way to show a table and to take orders: the screen, or plain sentences. Used on the session's queue alone.
protocol Face: AnyObject {
    /// Begins to show and to listen.
    func open()
    /// Shows an update of the client.
    func take(_ update: ClientUpdate, from old: ClientState)
    /// Says something that is not from the server.
    func say(_ sentence: Sentence)
    /// Puts the terminal back.
    func close()
}

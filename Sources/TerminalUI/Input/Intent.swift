import Wire

/// The meaning of a key in the current state.
enum Intent: Equatable, Sendable {
    /// Sends a request.
    case send(ClientMessage)
    /// Sends a decision. Further decisions wait until the table shows its effect.
    case decide(ClientMessage)
    /// Appends a digit to the bet.
    case type(Int)
    /// Sets the bet.
    case amount(Int)
    case erase
    /// Changes the bet by a number of steps.
    case step(Int)
    /// Leaves the seat and takes it again for a new stake.
    case newStake
    /// Turns the coach on or off.
    case coach
    /// Turns the bet that is made again on or off.
    case rebet
    /// Selects another row of the settings.
    case choose(Int)
    /// Changes a setting by a number of steps.
    case change(ClientSettings.Field, Int)
    /// Shows the list of tables.
    case lobby
    case askToQuit
    /// Leaves the table and the program.
    case quit
    case show(ViewState.Panel)
    /// Sends a question and shows the panel of its answer.
    case ask(ClientMessage, ViewState.Panel)
    /// Scrolls a panel by a number of lines.
    case scroll(Int)
    /// Starts a chat line.
    case talk
    /// Begins or completes a chat line with this text.
    case complete(String)
    /// Says why a key has no effect.
    case refuse(SafeText)
    /// Appends a character to the chat line.
    case write(Unicode.Scalar)
    /// Appends pasted text to the chat line.
    case paste(String)
    /// Says that a paste is no key.
    case refusePaste
    /// Deletes the last character of the chat line.
    case rub
    /// Sends the request of a chat line with a slash.
    case command(ClientMessage)
    /// Mutes a player's chat, or unmutes it.
    case mute(MuteList.Request)
    /// Discards the chat line.
    case hush
    /// Redraws the whole screen.
    case redraw
}

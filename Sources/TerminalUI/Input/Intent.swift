import Wire

/// What a key means at a moment.
public enum Intent: Equatable, Sendable {
    /// Ask the server.
    case send(ClientMessage)
    /// Answer what the player is asked: nothing more is sent until the table shows what became of it.
    case decide(ClientMessage)
    /// A digit of the bet.
    case type(Int)
    case erase
    /// So many steps more, or less.
    case step(Int)
    /// Get up and sit down again, for a new stake.
    case newStake
    case askToQuit
    /// Leave the table and the program.
    case quit
    case show(ViewState.Panel)
    /// So many lines of a panel further down, or up.
    case scroll(Int)
    /// Begin to say something to everybody at the table.
    case talk
    /// A character of what is being said.
    case write(Unicode.Scalar)
    /// Take the last character of it back.
    case rub
    /// Leave out what a player says, or show it again.
    case mute(MuteList.Request)
    /// Say nothing after all.
    case hush
    /// Draw everything anew.
    case redraw
}

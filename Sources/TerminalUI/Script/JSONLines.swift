/// The lines that a session prints for programs: a contract with their authors. Members may be added; a change of a member or of its meaning
/// raises ``version``.
public enum JSONLines {
    /// In the first line.
    public static let version = 1

    /// Bytes of a line at most, its end included. A longer one is replaced by `skipped`.
    public static let longest = 1 << 22

    /// Each `type`, with its members.
    public static let types: [Script.Name] = [
        ("hello", "The first line: version, 1."),
        (
            "link",
            "The connection: link (connecting, connected, loggedIn, lost or ended), reason, player (the name), and silent where the "
                + "server does not answer."
        ),
        ("event", "A sentence: event (its kind) and text. Everything that --plain prints."),
        (
            "table",
            "The table as a whole, after each change: table (its name), revision, phase, round, deadline (milliseconds since 1970), "
                + "rules, shoe (number, decks, behindCutCard, order) and cardsLeft, dealer (cards and total), players (seat, name, "
                + "chips, presence, bot, asked, insurance), hands (seat, hand, bet, cards, total, result, net), turn (seat and hand), "
                + "closing (cause, reason, deadline), seats (your own), and while you are asked question (seat, hand, and legal: the "
                + "words of commands with their cost)."
        ),
        ("lobby", "The answer to 'lobby': tables (table, seats, freeSeats, players, watchers, rules, locked, closing, owner)."),
        ("chat", "A line of chat, as in Protocol.md: name, text, time, seq. Muted players are left out."),
        (
            "notice",
            "The host speaks, or the host or a table's owner removes a player, as in Protocol.md: kind, name, reason, by, time."
        ),
        ("history", "The answer to 'history', as in Protocol.md: rounds, since, cut."),
        ("statement", "The answer to 'statement', as in Protocol.md: balance, issued, days, issues, since, cut."),
        ("shoe", "A shoe is over: table, shoe, verdict (verified, unproven or dishonest), reason, seen, total, included."),
        (
            "command",
            "The server's answer to a command: command, done (true or false), revision (the table's with its effect), and code, "
                + "of Protocol.md, where it was refused."
        ),
        ("error", "A refusal, as in Protocol.md: code, message, legal, retryAfter."),
        ("bye", "The server ends the connection, as in Protocol.md: code and message."),
        ("skipped", "A line that would be longer than the limit: bytes. No honest server is the cause."),
        ("end", "The last line: status (the exit status), reason, and summary: the session in words."),
    ]
}

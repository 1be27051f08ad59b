/// One event as text.
struct Sentence: Equatable, Sendable {
    /// The subject of a sentence, for filtering.
    enum Kind: Sendable, CaseIterable {
        case card
        case bet
        /// A player's decision.
        case play
        case dealer
        case result
        /// A player comes, leaves, or is away.
        case seat
        /// Round and shoe.
        case table
        /// The table or the server closes.
        case closing
        /// The host speaks.
        case host
        /// The turn moves to a player.
        case turn
        /// A question to the reader.
        case prompt
        /// The connection.
        case link
        /// A failed attempt to reconnect.
        case attempt
        /// A refusal by the server, or an unknown command.
        case refusal
        /// A chat line.
        case chat
        /// A chat line of the reader.
        case ownChat
        /// The answer to a query.
        case answer
        /// A line of the player's history or statement: on the screen, a panel shows it.
        case record
        /// The shuffle was verified.
        case shuffle
        /// The shuffle is not honest.
        case alarm
    }

    /// U+0007: a terminal rings.
    static let bell = "\u{7}"

    var kind: Kind
    var text: SafeText

    init(_ kind: Kind, _ text: SafeText) {
        self.kind = kind
        self.text = text
    }
}

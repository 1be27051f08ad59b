/// One event in words.
public struct Sentence: Equatable, Sendable {
    /// What it is about, for those who do not want to hear everything.
    public enum Kind: Sendable {
        /// A card is dealt.
        case card
        case bet
        /// A player has decided.
        case play
        case dealer
        case result
        /// Somebody comes, goes, or is away.
        case seat
        /// Round and shoe.
        case table
        /// It is somebody's turn.
        case turn
        /// The reader is asked something.
        case prompt
        /// The connection.
        case link
        /// An attempt to connect again has failed.
        case attempt
        /// The server said no, or a word was not understood.
        case refusal
        /// Somebody says something.
        case chat
        /// What was asked for.
        case answer
    }

    public var kind: Kind
    public var text: SafeText

    public init(_ kind: Kind, _ text: SafeText) {
        self.kind = kind
        self.text = text
    }
}

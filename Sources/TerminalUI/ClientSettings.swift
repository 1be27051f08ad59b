import Rules

/// The player's preferences for a session.
public struct ClientSettings: Equatable, Sendable {
    public enum ColorChoice: String, CaseIterable, Sendable {
        /// As the environment says.
        case auto
        /// As the terminal says, 16 colours at least.
        case always
        case never
        case basic = "16"
        case indexed = "256"
        case truecolor
    }

    /// Colours of the suits.
    public enum SuitColors: String, CaseIterable, Sendable {
        case two = "2"
        case four = "4"
    }

    /// Prints sentences instead of drawing a screen, even on a terminal.
    public var isPlain = false
    public var color = ColorChoice.auto
    public var suits = SuitColors.two
    /// Whether the terminal rings when the player is asked.
    public var bell = false
    public var motion = true
    /// Whether the last bet is made again in each round.
    public var rebet = false
    /// Whether the coach is on from the start.
    public var coach = false
    /// The system of counting in which the player is asked for the count; nil for no questions.
    public var count: CountingSystem?

    public init() {}
}

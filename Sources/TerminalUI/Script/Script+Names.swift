import TableModel

extension Script {
    /// A word of scripts and of lines for programs.
    public typealias Name = (term: String, meaning: String)

    /// Kinds of sentences: `expect event KIND`, and the member `event` of a line of JSON.
    public static var events: [Name] { Sentence.Kind.allCases.map { ("\($0)", $0.meaning) } }

    /// Phases of a round: `expect phase NAME`, and the member `phase` of a line of JSON.
    public static var phases: [Name] { RoundPhase.allCases.map { ($0.rawValue, $0.meaning) } }
}

extension Sentence.Kind {
    /// The subject of its sentences.
    fileprivate var meaning: String {
        switch self {
        case .card: "A card is dealt, or a hand is shown."
        case .bet: "A bet is made, changed or taken back."
        case .play: "A player decides, or the server does after a time-out."
        case .dealer: "The dealer's cards and total."
        case .result: "A hand ends, and what the round brings you."
        case .seat: "A player sits down, leaves, is away or comes back; new chips."
        case .table: "Rounds, shoes and the rules of the table."
        case .closing: "The table or the server closes."
        case .host: "The host speaks."
        case .turn: "It is another player's turn."
        case .prompt: "A question to you: your bet, or your turn."
        case .link: "The connection: your name, lost, back, silent."
        case .attempt: "An attempt to reconnect has failed."
        case .refusal: "A command or a request is refused."
        case .chat: "A player says something."
        case .ownChat: "The server has passed on what you said."
        case .answer: "The answer to a command."
        case .record: "A line of your history or statement."
        case .shuffle: "A shoe is verified."
        case .alarm: "A shoe is not honest."
        }
    }
}

extension RoundPhase {
    fileprivate var meaning: String {
        switch self {
        case .waiting: "No bet is made; the first one starts the clock."
        case .betting: "Bets are open, and the clock runs."
        case .surrender: "Surrender is offered before the dealer looks."
        case .insurance: "Insurance is offered: the dealer shows an ace."
        case .playing: "Hands are played."
        case .settled: "The results are shown."
        case .closed: "The table is closed."
        }
    }
}

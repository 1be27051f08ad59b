/// Something that a server must never do, found by an honest bot.
public struct Violation: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which law was broken.
    public enum Law: String, CaseIterable, Sendable {
        /// A line that is no message of the protocol.
        case grammar
        /// A reply without a request, to another one than the oldest, or none.
        case replies
        /// A revision was left out, came twice, or does not fit.
        case revisions
        /// The table differs from its check value, or between two viewers.
        case equality
        /// Options offered differ from those the rules allow, or an offered one was refused.
        case legality
        /// A total, an outcome or a payout does not follow from cards and rules.
        case payout
        /// Chips appeared or vanished.
        case chips
        /// A card changed, came twice, or the shoe doesn't add up.
        case cards
        /// A deadline was not kept, or a phase or a turn came out of order.
        case order
        /// A shoe is not the one that was committed to, or its ceremony was not honest.
        case shuffle
    }

    public var law: Law
    /// Empty before a table is watched.
    public var table: String
    public var round: Int
    /// The line of the connection's transcript, from 1; sent lines count too.
    public var line: Int
    /// Found and expected, in a sentence.
    public var detail: String
    /// The bot that saw it.
    public var bot: String
    /// The file that the transcript was saved to; empty when it was not.
    public var transcript = ""

    public init(law: Law, table: String, round: Int, line: Int, detail: String, bot: String = "") {
        self.law = law
        self.table = table
        self.round = round
        self.line = line
        self.detail = detail
        self.bot = bot
    }

    public var description: String {
        let place = table.isEmpty ? "" : "table \(table), round \(round), "
        return "\(place)line \(line): \(law.rawValue): \(detail)" + (transcript.isEmpty ? "" : " (transcript: \(transcript))")
    }
}

import Wire

/// The panel, the log and the inputs of a screen, beside the table. A value.
struct ScreenState: Equatable, Sendable {
    /// The panel over the table; the table itself for none.
    enum Panel: Equatable, Sendable { case table, rules, help, game, log, history, chart }

    var log = MessageLog()
    /// Why the last key had no effect, while the situation is the same; nil after one that had.
    var keyAnswer: SafeText?
    /// The coach's word on the last decision, until the next one or the next deal; nil for a good one.
    var verdict: SafeText?
    /// The result of the player's last round, until the next key or the next deal; nil for none.
    var result: SessionTally.Round?
    /// The last alarm about the shuffle.
    var alarm: SafeText?
    /// Whether the line for friends was asked for by the last command.
    var showsInvitation = false
    var panel = Panel.table
    /// Whether the chart has a place beside the table, and the table whose chart was asked for.
    var hasRoomForChart = false
    var chartTable: String?
    /// Lines of a panel scrolled off the top; a value past the end shows the last page.
    var scrolled = 0
    /// The player's last rounds in lines; nil until the server has answered.
    var past: [SafeText]?
    /// Whether the next key is a reaction.
    var isReacting = false
    /// Reactions at the seats, by the names of players, and until when.
    var reactions: [String: ShownReaction] = [:]
    /// The chat line being typed; nil when there is none.
    var line: TextField?
    /// Lines of chat that were not sent, oldest first: the next chat line starts with the first.
    var unsent: [String] = []
    /// The bet as edited; nil when unedited.
    var typed: Int?
    /// Whether the bet was set as a whole, by a key or a paste: the next digit begins another.
    var isAmountWhole = false

    struct ShownReaction: Equatable, Sendable {
        let word: Reaction
        let until: Int64
    }

    var draft: String? { line?.text }
    var messages: [Sentence] { log.sentences }

    mutating func show(_ panel: Panel) {
        if self.panel == .log { log.markRead() }
        log.scrollToEnd()
        (self.panel, scrolled) = (panel, 0)
    }
}

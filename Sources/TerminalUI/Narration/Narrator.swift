import Rules
import TableModel

/// Compares two snapshots and describes every difference in sentences. Pure; several events in one diff are all reported.
struct Narrator: Sendable {
    /// The name of the reader.
    var me: String
    var wording: Wording

    /// - Parameters:
    ///   - old: nil on first sight of the table, which is then described.
    ///   - table: its name.
    ///   - now: milliseconds since 1970 on the server's clock; nil omits the remaining time.
    func sentences(from old: TableSnapshot?, to new: TableSnapshot, table: String, now: Int64?) -> [Sentence] {
        var narration = Narration(old: old ?? TableSnapshot(), new: new, me: me, wording: wording, now: now)
        if old == nil {
            narration.describe(table)
        } else {
            narration.tellEverything()
        }
        return narration.sentences
    }
}

/// The sentences of one diff, in order of play.
struct Narration {
    let old: TableSnapshot
    let new: TableSnapshot
    let me: String
    let wording: Wording
    let now: Int64?
    private(set) var sentences: [Sentence] = []

    /// The cards on the table before.
    let oldCards: Set<TableItem>
    /// True when the diff begins a round.
    let isNewRound: Bool

    init(old: TableSnapshot, new: TableSnapshot, me: String, wording: Wording, now: Int64?) {
        self.old = old
        self.new = new
        self.me = me
        self.wording = wording
        self.now = now
        isNewRound = (new.round?.number ?? 0) > (old.round?.number ?? 0)
        oldCards = isNewRound ? [] : Set(old.structure.itemIdentifiers.filter { if case .card = $0 { true } else { false } })
    }

    mutating func say(_ kind: Sentence.Kind, _ text: SafeText) { sentences.append(Sentence(kind, text)) }

    mutating func tellEverything() {
        tellArrivals()
        tellBets()
        tellShoe()
        if isNewRound, let round = new.round { say(.table, "Round \(round.number).") }
        tellAnswers()
        tellDeal()
        tellPeek()
        if !isNewRound { tellPlay() }
        tellDealer()
        tellResults()
        tellDepartures()
        tellTurn()
        tellClosing()
    }

    /// The player at a seat.
    func subject(_ seat: Int) -> Subject? {
        (new.player(seat) ?? old.player(seat)).map { Subject($0.name, me: me) }
    }

    /// ` on hand 2` for a seat with several hands, else empty.
    func onHand(_ hand: HandIdentifier) -> SafeText {
        new.hands(ofSeat: hand.seat).count > 1 ? " on hand \(hand.number)" : ""
    }

    var phase: RoundPhase { new.round?.phase ?? .waiting }
    var oldPhase: RoundPhase { old.round?.phase ?? .waiting }

    /// `15 seconds` while a clock runs, else nil.
    var timeLeft: SafeText? {
        guard let now, let deadline = new.clock?.deadline else { return nil }
        let seconds = SecondsLeft.of(deadline - now)
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    private mutating func tellClosing() {
        // A table that closes at once has no last round: only the host's reason is news.
        if let notice = new.closing, notice != old.closing, phase != .closed || !notice.reason.isEmpty {
            say(.table, wording.closing(notice, now: now))
        }
        if phase == .closed, oldPhase != .closed { say(.table, "The table is closed.") }
    }
}

import Rules
import TableModel

/// Tells what happened at a table from what it looked like before and what it looks like now. Pure; nothing is missed when several
/// things happen at once, since every difference of the two is told.
public struct Narrator: Sendable {
    /// The name of the one who reads.
    public var me: String
    public var wording: Wording

    public init(me: String, wording: Wording) {
        self.me = me
        self.wording = wording
    }

    /// - Parameters:
    ///   - old: nil when the table was not seen before; then it is described.
    ///   - table: its name.
    ///   - now: milliseconds since 1970 on the server's clock; nil for no word about the time that is left.
    public func sentences(from old: TableSnapshot?, to new: TableSnapshot, table: String, now: Int64?) -> [Sentence] {
        var narration = Narration(old: old ?? TableSnapshot(), new: new, me: me, wording: wording, now: now)
        if old == nil {
            narration.describe(table)
        } else {
            narration.tellEverything()
        }
        return narration.sentences
    }
}

/// The telling of one change, in the order in which things happen at a table.
struct Narration {
    let old: TableSnapshot
    let new: TableSnapshot
    let me: String
    let wording: Wording
    let now: Int64?
    private(set) var sentences: [Sentence] = []

    /// The cards that lay on the table before.
    let oldCards: Set<TableItem>
    /// Whether a round has begun.
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

    /// Who sits in a seat.
    func subject(_ seat: Int) -> Subject? {
        (new.player(seat) ?? old.player(seat)).map { Subject($0.name, me: me) }
    }

    /// ` on hand 2` where a seat has several hands.
    func onHand(_ hand: HandIdentifier) -> SafeText {
        new.hands(ofSeat: hand.seat).count > 1 ? " on hand \(hand.number)" : ""
    }

    var phase: RoundPhase { new.round?.phase ?? .waiting }
    var oldPhase: RoundPhase { old.round?.phase ?? .waiting }

    /// `15 seconds`, where a clock runs.
    var timeLeft: SafeText? {
        guard let now, let deadline = new.clock?.deadline else { return nil }
        let seconds = SecondsLeft.of(deadline - now)
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    private mutating func tellClosing() {
        // A table that is closed at once has no round to wait for: then only the host's reason is news.
        if let notice = new.closing, notice != old.closing, phase != .closed || !notice.reason.isEmpty {
            say(.table, wording.closing(notice, now: now))
        }
        if phase == .closed, oldPhase != .closed { say(.table, "The table is closed.") }
    }
}

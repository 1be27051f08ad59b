import ClientCore
import Rules
import TableModel

/// Turns a change of a table into sentences. Pure. Several events in one change are all reported.
struct Narrator: Sendable {
    /// The name of the reader.
    var me: String
    var wording: Wording
    /// Whether the house gives new chips to a player who has lost all.
    var givesRebuys = true
    /// Seats of the reader for which the server has just decided.
    var timeOuts: [Int] = []
    /// Whether the reader sits out because their time ran out.
    var isSatOut = false

    /// - Parameters:
    ///   - change: described as a whole where the table was not shown before.
    ///   - now: milliseconds since 1970 on the server's clock; nil to leave out the time that is left.
    func sentences(for change: TableChange, now: Int64?) -> [Sentence] {
        var narration = Narration(change, me: me, wording: wording, givesRebuys: givesRebuys, now: now)
        (narration.timeOuts, narration.isSatOut) = (timeOuts, isSatOut)
        switch change.origin {
        case .firstShown: narration.describe(change.table)
        case .changed: narration.tellEverything()
        }
        return narration.sentences
    }

    /// The table as it is.
    func description(of snapshot: TableSnapshot, table: String, now: Int64?) -> [Sentence] {
        sentences(for: TableChange(table: table, revision: 0, old: nil, new: snapshot), now: now)
    }
}

/// The sentences of one diff, in order of play.
struct Narration {
    let old: TableSnapshot
    let new: TableSnapshot
    let me: String
    let wording: Wording
    let givesRebuys: Bool
    let now: Int64?
    var timeOuts: [Int] = []
    var isSatOut = false
    private(set) var sentences: [Sentence] = []

    /// The things that came with this change.
    private let inserted: Set<TableItem>
    /// Whether a round has begun.
    let isNewRound: Bool

    init(_ change: TableChange, me: String, wording: Wording, givesRebuys: Bool, now: Int64?) {
        switch change.origin {
        case .firstShown: (old, inserted) = (TableSnapshot(), [])
        case .changed(let old, let difference): (self.old, inserted) = (old, Set(difference.insertions.map(\.item)))
        }
        new = change.new
        self.me = me
        self.wording = wording
        self.givesRebuys = givesRebuys
        self.now = now
        isNewRound = (new.round?.number ?? 0) > (old.round?.number ?? 0)
    }

    /// Whether a card was not on the table before. Cards of two rounds may have the same identifiers.
    func isNew(_ card: TableItem) -> Bool { isNewRound || inserted.contains(card) }

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
            say(.closing, wording.closing(notice, now: now))
        }
        if phase == .closed, oldPhase != .closed { say(.closing, "The table is closed.") }
    }
}

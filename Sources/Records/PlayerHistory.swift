import Rules
import TableEngine
import TableModel
import Wire

/// Folds lines of a journal into one player's last rounds.
///
/// Reads only lines that can concern the player: a scan of other tables' facts decodes nothing. Holds no card of a round in play.
public struct PlayerHistory: Sendable {
    public let account: PlayerID
    private var history: RoundHistory
    /// Tables at which the player sits, or has a hand in play.
    private var tables: Set<String> = []
    /// Of the first record; nil before it.
    private var firstTime: Int64?
    /// Whether the account is older than the first record, or hands of it may be missing elsewhere.
    private var isOlder: Bool
    /// Whether records before the first one are not read.
    private var isPartial: Bool
    /// When the account was opened, in milliseconds since 1970; nil where that is not known.
    private var opened: Int64?
    /// The last rounds, oldest first.
    private var rounds: [PastRound] = []
    private var hasMoreRounds = false
    /// The beginning of the fact of the player's own sit.
    private let sat: [UInt8]
    private let page: HistoryPage

    /// - Parameter state: that before the first record; nil for a journal from its start.
    public init(_ account: PlayerID, _ state: SavedState? = nil, _ page: HistoryPage = HistoryPage()) {
        (self.account, self.page) = (account, page)
        history = RoundHistory(state)
        firstTime = state?.time
        let saved = state?.accounts[account]
        (isOlder, isPartial) = (saved != nil, state != nil)
        opened = saved?.created
        if let table = saved?.table { tables.insert(table) }
        // The player may have left a table whose round goes on.
        for round in history.unfinished where round.seats.contains(where: { $0.player == account }) {
            tables.insert(round.table)
        }
        let known = tables
        history.forget { !known.contains($0) }
        sat = Fact.Kind.sat.opening + "\"account\":\(account.rawValue),".utf8
    }

    /// Adds the next line of the journal.
    /// - Parameter line: without its newline.
    public mutating func add(_ line: UnsafeBufferPointer<UInt8>, at place: RecordPlace) throws(RecordError) {
        guard firstTime == nil || concerns(line) else { return }
        let record = try Record(line: line, isShown: true)
        if firstTime == nil { firstTime = record.time }
        add(record, at: place)
    }

    private mutating func add(_ record: Record, at place: RecordPlace) {
        switch record {
        case .account(account, _, _, _, _, let time): opened = time
        case .arrived(let state, _) where state.id == account: opened = state.created
        // The account exists already, or is another.
        default: break
        }
        var ended: [PlayedRound] = []
        history.add(record, at: place) { ended.append($0) }
        for round in ended { if let round = PastRound(round, of: account) { note(round) } }
        guard case .facts(let table, _, let facts) = record else { return }
        for fact in facts {
            switch fact {
            case .sat(account, _, _, _): tables.insert(table)
            case .left(account, _): tables.remove(table)
            // The player stays at the tables.
            default: break
            }
        }
        if history.isInPlay(account, at: table) { tables.insert(table) }
        if !tables.contains(table) { history.forget { $0 == table } }
    }

    /// Adds what another partition of the house knows of the account.
    /// - Parameter other: nil for a journal that cannot be read.
    public mutating func merge(_ other: PlayerHistory?) {
        guard let other else {
            isOlder = true
            return
        }
        if other.isPartial { isOlder = isOlder || opened.map { $0 < other.firstTime ?? 0 } ?? true }
        if let mine = firstTime, let since = other.firstTime, isPartial == other.isPartial {
            firstTime = isPartial ? max(mine, since) : min(mine, since)
        } else if other.isPartial || firstTime == nil {
            firstTime = other.firstTime
        }
        isPartial = isPartial || other.isPartial
        rounds = (other.rounds + rounds).sorted { $0.time < $1.time }
        // Rounds from before the begin of another journal come with the next page, in order.
        if page.isPage, isPartial, let firstTime { rounds.removeAll { $0.time <= firstTime } }
        hasMoreRounds = hasMoreRounds || other.hasMoreRounds || rounds.count > page.limit
        rounds = rounds.suffix(page.limit)
    }

    private mutating func note(_ round: PastRound) {
        guard page.before.map({ round.time < $0 }) ?? true else { return }
        // The rounds of the very moment of the first record come whole, with the next page.
        if page.isPage, isPartial, let firstTime, round.time <= firstTime { return }
        rounds.append(round)
        guard rounds.count > page.limit else { return }
        rounds.removeFirst()
        hasMoreRounds = true
    }
}

/// Which lines to decode.
extension PlayerHistory {
    private static let facts = Record.Kind.facts.opening + "\"table\":\"".utf8
    private static let accountMember = Array("\"account\":".utf8)

    private func concerns(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard line.starts(with: Self.facts) else { return line.contains(Self.accountMember) }
        var end = Self.facts.count
        // An escape only makes the name unknown here; names of tables have none.
        while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
        let name = UnsafeBufferPointer(rebasing: line[Self.facts.count..<end])
        if tables.contains(where: { $0.utf8.elementsEqual(name) }) { return true }
        return line.contains(sat)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func contains(_ text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        // The second byte is rarer than the first, which is a brace or a quote.
        let second = text[1]
        for start in 0...count - text.count where self[start + 1] == second {
            if self[start...].starts(with: text) { return true }
        }
        return false
    }
}

/// The answer.
extension PlayerHistory {
    /// The player's rounds as lines of at most ``WireLimits/historyBytes``, their ends included: one, or for a page up to
    /// ``WireLimits/historyMessages``.
    /// - Parameter time: for a journal without records, in milliseconds since 1970.
    public func historyLines(at time: Int64) -> [UInt8] {
        let since = firstTime ?? time
        var (rest, lines) = (rounds.reversed()[...], [UInt8]())
        for left in (0..<(page.isPage ? WireLimits.historyMessages : 1)).reversed() {
            var (history, bytes) = (HandHistory(since: since), 0)
            while let round = rest.first {
                // Alone in its message: with the other members, which have some 100 bytes, and a comma.
                bytes += ServerMessage.history(HandHistory(since: since, rounds: [round])).encoded().count
                guard bytes <= WireLimits.historyBytes - 200 else { break }
                history.rounds.append(round)
                rest.removeFirst()
            }
            history.isCut = isOlder || hasMoreRounds || !rest.isEmpty
            history.isContinued = left > 0 && !rest.isEmpty && !history.rounds.isEmpty
            if !history.isContinued, history.isCut { history.next = next(after: history.rounds.last, isBroken: !rest.isEmpty) }
            ServerMessage.history(history).encode(into: &lines)
            if !history.isContinued { break }
        }
        return lines
    }

    /// Where the next page ends; nil where none can have more.
    private func next(after oldest: PastRound?, isBroken: Bool) -> Int64? {
        let next = isBroken || hasMoreRounds ? oldest?.time : firstTime.map { isPartial ? $0 + 1 : $0 }
        return next.flatMap { next in page.before.map { next < $0 } ?? true ? next : nil }
    }
}

/// The rounds that a question is about.
public struct HistoryPage: Equatable, Sendable {
    /// Only rounds that ended before it, in milliseconds since 1970.
    public var before: Int64?
    public var limit: Int
    /// Whether it may take several messages.
    public let isPage: Bool

    public init(before: Int64? = nil, limit: Int? = nil) {
        (self.before, self.limit, isPage) = (before, limit ?? WireLimits.historyRounds, before != nil || limit != nil)
    }
}

extension Record {
    /// The time of a line, as people are shown it; nil for one without.
    package static func shownTime(of line: UnsafeBufferPointer<UInt8>) throws(RecordError) -> Int64? {
        try Record(line: line, isShown: true).time
    }
}

extension PastRound {
    /// The player's own part of a round, or all of it; nil for a round of others, and for one that is not over.
    init?(_ round: PlayedRound, of account: PlayerID? = nil) {
        let mine = round.seats.filter { account == nil || $0.player == account }
        guard let ended = round.ended, !mine.isEmpty else { return nil }
        var dealer = round.dealer.map(Card?.some)
        if round.holeIsHidden { dealer.insert(nil, at: min(1, dealer.count)) }
        self.init(
            table: round.table, round: round.number, time: ended, isVoided: round.isVoided, seats: mine.map(Seat.init),
            dealer: dealer, dealerTotal: Total(round.dealerValue, mayBeBlackjack: true))
    }
}

extension PlayedRound {
    /// A row for each hand, as ``HandTable`` has it; none while the round is in play.
    public var handRows: String {
        PastRound(self).map { HandTable.rows(of: $0) { seat in seats.first { $0.seat == seat }?.name ?? "" } } ?? ""
    }
}

extension PastRound.Seat {
    fileprivate init(_ seat: PlayedSeat) {
        let hands = seat.hands.map { hand in
            let result = HandResult(outcome: hand.settlement?.outcome ?? .push, net: hand.net)
            return PastRound.Hand(
                cards: hand.cards.map(Card?.some), total: Total(hand.value, mayBeBlackjack: !hand.isSplit), bet: hand.stake,
                result: result)
        }
        let insurance = seat.insurance.map { RoundResult.Insurance(bet: $0.stake, net: $0.net) }
        self.init(seat: seat.seat, bet: seat.bet, hands: hands, insurance: insurance)
    }
}

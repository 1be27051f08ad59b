import Rules
import TableEngine
import TableModel
import Wire

/// Folds lines of a journal into one player's last rounds and statement.
///
/// Reads only lines that can concern the player: a scan of other tables' facts decodes nothing. Holds no card of a round in play.
public struct PlayerHistory: Sendable {
    public let account: PlayerID
    private var statement: Statement
    /// Tables at which the player sits, or has a hand in play.
    private var tables: Set<String> = []
    /// Of the first record; nil before it.
    private var firstTime: Int64?
    /// Whether the account is older than the first record, or hands of it may be missing elsewhere.
    private var isOlder: Bool
    /// Whether records before the first one are not read.
    private var isPartial: Bool
    private var issued = 0
    private var opened: Int64?
    /// The last rounds, oldest first.
    private var rounds: [PastRound] = []
    private var hasMoreRounds = false
    /// Oldest first.
    private var issues: [BalanceStatement.Issue] = []
    private var days: [BalanceStatement.Day] = []
    private var hasMoreLines = false
    /// The beginning of the fact of the player's own sit.
    private let sat: [UInt8]

    /// - Parameter state: that before the first record; nil for a journal from its start.
    public init(_ account: PlayerID, _ state: SavedState? = nil) {
        self.account = account
        statement = Statement(account, state)
        firstTime = state?.time
        let saved = state?.accounts[account]
        (isOlder, isPartial) = (saved != nil, state != nil)
        (issued, opened) = (saved?.issued ?? 0, saved?.created)
        if let table = saved?.table { tables.insert(table) }
        // The player may have left a table whose round goes on.
        for round in statement.rounds.unfinished where round.seats.contains(where: { $0.player == account }) {
            tables.insert(round.table)
        }
        let known = tables
        statement.rounds.forget { !known.contains($0) }
        sat = Array("{\"fact\":\"sat\",\"account\":\(account.rawValue),".utf8)
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
        case .arrived(let state, _, _) where state.id == account: (opened, issued) = (state.created, state.issued)
        default: break
        }
        var ended: [PlayedRound] = []
        var entries: [StatementEntry] = []
        statement.add(record, at: place, onRound: { ended.append($0) }, { entries.append($0) })
        for round in ended { if let round = PastRound(round, of: account) { note(round) } }
        for entry in entries { note(entry) }
        guard case .facts(let table, _, let facts) = record else { return }
        for fact in facts {
            switch fact {
            case .sat(account, _, _, _): tables.insert(table)
            case .left(account, _): tables.remove(table)
            default: break
            }
        }
        if statement.rounds.isInPlay(account, at: table) { tables.insert(table) }
        if !tables.contains(table) { statement.rounds.forget { $0 == table } }
    }

    /// Adds what another partition of the house knows of the account. Balance and chips issued stay those of this one, which has it.
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
        issues = (other.issues + issues).sorted { $0.time < $1.time }
        days = (other.days + days).sorted { $0.day < $1.day }
        hasMoreRounds = hasMoreRounds || other.hasMoreRounds || rounds.count > WireLimits.historyRounds
        hasMoreLines = hasMoreLines || other.hasMoreLines || max(issues.count, days.count) > WireLimits.statementLines
        rounds = rounds.suffix(WireLimits.historyRounds)
        issues = issues.suffix(WireLimits.statementLines)
        days = days.suffix(WireLimits.statementLines)
    }

    private mutating func note(_ round: PastRound) {
        rounds.append(round)
        guard rounds.count > WireLimits.historyRounds else { return }
        rounds.removeFirst()
        hasMoreRounds = true
    }

    private mutating func note(_ entry: StatementEntry) {
        switch entry.kind {
        case .opened: note(entry.change, BalanceStatement.Issue.opened, entry.time)
        case .issued(let reason): note(entry.change, reason.rawValue, entry.time)
        case .round(let table, _, let isVoided): if !isVoided { note(entry.change, at: table, entry.time) }
        case .closed, .arrived, .departed, .sat, .left: break
        }
    }

    private mutating func note(_ chips: Int, _ reason: String, _ time: Int64) {
        issued &+= chips
        issues.append(BalanceStatement.Issue(time: time, reason: reason, chips: chips.clamped))
        guard issues.count > WireLimits.statementLines else { return }
        issues.removeFirst()
        hasMoreLines = true
    }

    private mutating func note(_ net: Int, at table: String, _ time: Int64) {
        let day = time - time % 86_400_000
        let known = days.lastIndex { $0.table == table && $0.day == day }
        let index = known ?? days.count
        if known == nil { days.append(BalanceStatement.Day(day: day, table: table, rounds: 0, won: 0, lost: 0)) }
        days[index].rounds += 1
        if net > 0 {
            days[index].won = (days[index].won &+ net).clamped
        } else {
            days[index].lost = (days[index].lost &- net).clamped
        }
        guard days.count > WireLimits.statementLines else { return }
        days.removeFirst()
        hasMoreLines = true
    }
}

/// Which lines to decode.
extension PlayerHistory {
    private static let facts = Array("{\"type\":\"facts\",\"table\":\"".utf8)
    private static let answer = Array("{\"type\":\"answer\"".utf8)
    private static let accountMember = Array("\"account\":".utf8)

    private func concerns(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard line.begins(with: Self.facts) else { return !line.begins(with: Self.answer) && line.contains(Self.accountMember) }
        var end = Self.facts.count
        // An escape only makes the name unknown here; names of tables have none.
        while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
        let name = UnsafeBufferPointer(rebasing: line[Self.facts.count..<end])
        if tables.contains(where: { $0.utf8.elementsEqual(name) }) { return true }
        return line.contains(sat)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func begins(with text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        for index in text.indices where self[index] != text[index] { return false }
        return true
    }

    fileprivate func contains(_ text: [UInt8]) -> Bool {
        guard count >= text.count else { return false }
        // The second byte is rarer than the first, which is a brace or a quote.
        let second = text[1]
        for start in 0...count - text.count where self[start + 1] == second {
            if UnsafeBufferPointer(rebasing: self[start...]).begins(with: text) { return true }
        }
        return false
    }
}

/// The answers.
extension PlayerHistory {
    /// The player's last rounds as a line, its end included, cut to ``WireLimits/historyBytes``.
    /// - Parameter time: for a journal without records, in milliseconds since 1970.
    public func historyLine(at time: Int64) -> [UInt8] {
        var history = HandHistory(since: firstTime ?? time, rounds: rounds.reversed(), isCut: isOlder || hasMoreRounds)
        while true {
            let line = ServerMessage.history(history).encoded()
            guard line.count > WireLimits.historyBytes + 1, !history.rounds.isEmpty else { return line }
            history.rounds.removeLast()
            history.isCut = true
        }
    }

    /// The player's statement as a line, its end included.
    /// - Parameter time: for a journal without records, in milliseconds since 1970.
    public func statementLine(at time: Int64) -> [UInt8] {
        let statement = BalanceStatement(
            balance: max(0, statement.balance.clamped), issued: issued.clamped, opened: opened, since: firstTime ?? time,
            issues: issues.reversed(), days: days.reversed(), isCut: isOlder || hasMoreLines)
        return ServerMessage.statement(statement).encoded()
    }
}

extension Int {
    /// Within the numbers of the wire, also from a corrupt journal.
    fileprivate var clamped: Int { Swift.min(Swift.max(self, -(1 << 53)), 1 << 53) }
}

extension PastRound {
    /// The player's own part of a round; nil for a round of others, and for one that is not over.
    init?(_ round: PlayedRound, of account: PlayerID) {
        let mine = round.seats.filter { $0.player == account }
        guard let ended = round.ended, !mine.isEmpty else { return nil }
        var dealer = round.dealer.map(Card?.some)
        if round.holeIsHidden { dealer.insert(nil, at: min(1, dealer.count)) }
        self.init(
            table: round.table, round: round.number, time: ended, isVoided: round.isVoided, seats: mine.map(Seat.init),
            dealer: dealer, dealerTotal: Total(round.dealerValue, mayBeBlackjack: true))
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

/// An entry of an account's statement.
public struct StatementEntry: Equatable, Sendable, CustomStringConvertible, Encodable {
    public enum Kind: Equatable, Sendable {
        /// The first chips.
        case opened
        case issued(IssueReason)
        /// The chips go back to the bank.
        case closed
        /// All chips come with the account from another partition of the house.
        case arrived
        /// All chips leave with the account.
        case departed
        /// Chips go to a table; the player still owns them.
        case sat(table: String, seat: Int, chips: Int)
        /// Chips come back from a table.
        case left(table: String, chips: Int)
        /// A round's net over all seats of the player.
        case round(table: String, number: Int, isVoided: Bool)
    }

    /// In milliseconds since 1970.
    public var time: Int64
    public var place: RecordPlace
    public var kind: Kind
    /// By which the entry changes the balance, in chips.
    public var change: Int
    /// All chips that the player owns after the entry, those on tables included.
    public var balance: Int

    /// `2026-11-22 14:03:07  round 12 at low-3  +75  1075`.
    public var description: String { "\(UniversalTime.text(time))  \(kind.form.text)  \(signed(change))  \(balance)" }

    private enum Key: CodingKey { case time, kind, change, balance, table, seat, round }

    public func encode(to encoder: any Encoder) throws {
        let form = kind.form
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(time, forKey: .time)
        try fields.encode(form.word, forKey: .kind)
        try fields.encode(change, forKey: .change)
        try fields.encode(balance, forKey: .balance)
        try fields.encodeIfPresent(form.table, forKey: .table)
        try fields.encodeIfPresent(form.seat, forKey: .seat)
        try fields.encodeIfPresent(form.round, forKey: .round)
    }
}

extension StatementEntry.Kind {
    /// In words, and as an export has it.
    fileprivate var form: (text: String, word: String, table: String?, seat: Int?, round: Int?) {
        switch self {
        case .opened: ("account opened", "opened", nil, nil, nil)
        case .issued(let reason): (reason.rawValue, reason.rawValue, nil, nil, nil)
        case .closed: ("account closed", "closed", nil, nil, nil)
        case .arrived: ("comes from another server", "arrived", nil, nil, nil)
        case .departed: ("leaves this server", "departed", nil, nil, nil)
        case .sat(let table, let seat, let chips):
            ("sits at \(visible(table)), seat \(seat), with \(chips)", "sat", table, seat, nil)
        case .left(let table, let chips): ("leaves \(visible(table)) with \(chips)", "left", table, nil, nil)
        case .round(let table, let number, false): ("round \(number) at \(visible(table))", "round", table, nil, number)
        case .round(let table, let number, true): ("round \(number) at \(visible(table)), voided", "voided", table, nil, number)
        }
    }
}

/// Folds records into the statement of one account.
public struct Statement: Sendable {
    public let account: PlayerID
    /// All chips that the player owns, those on tables included. Bets count until they are settled.
    public private(set) var balance = 0
    var rounds: RoundHistory

    /// - Parameter state: that before the first record; nil for a journal from its start.
    public init(_ account: PlayerID, _ state: SavedState? = nil) {
        self.account = account
        rounds = RoundHistory(state)
        balance = state?.owned(rounds.unfinished)[account] ?? 0
    }

    /// Adds the next record.
    /// - Parameters:
    ///   - onRound: receives each round that ends with it, also those of others.
    ///   - body: receives each entry that it makes.
    public mutating func add(
        _ record: Record, at place: RecordPlace, onRound: (PlayedRound) -> Void = { _ in }, _ body: (StatementEntry) -> Void
    ) {
        var ended: [PlayedRound] = []
        rounds.add(record, at: place) { ended.append($0) }
        for round in ended { onRound(round) }
        switch record {
        case .account(account, _, _, _, let chips, let time): enter(.opened, chips, time, place, body)
        case .issued(account, let chips, let reason, let time): enter(.issued(reason), chips, time, place, body)
        case .closed(account, let time): enter(.closed, 0 &- balance, time, place, body)
        case .arrived(let state, _, let time) where state.id == account: enter(.arrived, state.chips, time, place, body)
        case .departed(account, _, let time): enter(.departed, 0 &- balance, time, place, body)
        case .facts(let table, let time, let facts):
            for fact in facts {
                switch fact {
                case .sat(account, _, let seat, let chips):
                    enter(.sat(table: table, seat: seat, chips: chips), 0, time, place, body)
                case .left(account, let chips): enter(.left(table: table, chips: chips), 0, time, place, body)
                case .roundEnded:
                    guard !ended.isEmpty else { continue }
                    enter(ended.removeFirst(), time, place, body)
                default: break
                }
            }
        default: break
        }
    }

    private mutating func enter(
        _ round: PlayedRound, _ time: Int64, _ place: RecordPlace, _ body: (StatementEntry) -> Void
    ) {
        let mine = round.seats.filter { $0.player == account }
        guard !mine.isEmpty else { return }
        let kind = StatementEntry.Kind.round(table: round.table, number: round.number, isVoided: round.isVoided)
        enter(kind, mine.reduce(0) { $0 &+ $1.net }, time, place, body)
    }

    private mutating func enter(
        _ kind: StatementEntry.Kind, _ change: Int, _ time: Int64, _ place: RecordPlace, _ body: (StatementEntry) -> Void
    ) {
        balance &+= change
        body(StatementEntry(time: time, place: place, kind: kind, change: change, balance: balance))
    }
}

extension SavedState {
    /// All chips that each account owns, those on tables included, bets too.
    /// - Parameter unfinished: the rounds in play; parts that are settled count with the round, at its end.
    func owned(_ unfinished: [PlayedRound]) -> [PlayerID: Int] {
        var owned = accounts.mapValues(\.chips)
        for saved in tables.values {
            let table = saved.table.saved
            for player in table.players {
                let seats = table.seats.filter { $0.player == player.slot }
                owned[player.id, default: 0] &+= seats.reduce(player.chips) { sum, seat in
                    let hands = seat.hands.filter { $0.state != .settled }.reduce(0) { $0 &+ $1.stake }
                    return sum &+ seat.bet &+ hands &+ (seat.insuranceIsSettled || seat.hands.isEmpty ? 0 : seat.insurance)
                }
            }
        }
        for seat in unfinished.flatMap(\.seats) { owned[seat.player, default: 0] &-= seat.net }
        return owned
    }
}

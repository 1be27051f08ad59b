import Rules
import TableEngine
import TableModel

/// Counts of an audit.
public struct AuditSummary: Hashable, Sendable {
    public internal(set) var records = 0
    public internal(set) var rounds = 0
    public internal(set) var hands = 0
    /// Moves of players, and their answers about insurance and surrender.
    public internal(set) var decisions = 0
    /// Cards compared with the keys of their shoes.
    public internal(set) var cards = 0
    public internal(set) var shoes = 0
    public internal(set) var accounts = 0
    public internal(set) var tables = 0
    /// Chips issued less those returned to the bank.
    public internal(set) var issued = 0
    /// Chips that came with accounts of other partitions less those that left; see ``SavedState/travelled``.
    public internal(set) var travelled = 0

    public init() {}
}

/// Recomputes a journal record by record, and throws for the first wrong one. Checked:
///
/// - the record fits the state before it;
/// - each fact follows from a due time-out or a legal command, which is inferred from the facts;
/// - each key is what the facts of its ceremony give: secret, list and reveals, recomputed without the table;
/// - each card is the one that the shoe's key gives, and each payout is by the rules, both recomputed without the table;
/// - in an owner's pause each record begins with what has passed since the one before: no clock runs;
/// - a match counts each round that was not voided, as the commands say that led to the facts;
/// - chips are conserved: accounts, tables and house hold what the records issued, summed here without the state's bank.
public struct Auditor: Sendable {
    public private(set) var state: SavedState
    private var checks: [String: RoundCheck] = [:]
    private var ceremonies: [String: CeremonyCheck] = [:]
    /// Without accounts and tables.
    private var total = AuditSummary()

    /// - Parameter state: an empty one, or that of the oldest checkpoint kept.
    /// - Throws: if its chips do not add up, or a shoe's order is not that of its key.
    public init(_ state: SavedState) throws(AuditFinding) {
        self.state = state
        total.issued = 0 &- state.bank &- state.travelled
        total.travelled = state.travelled
        let ledger = state.ledger
        guard ledger == 0 else { throw AuditFinding(place: nil, reason: .ledger(ledger)) }
        do throws(AuditFinding.Reason) {
            for (name, table) in state.tables {
                let saved = table.table.saved
                checks[name] = try RoundCheck(name, saved)
                ceremonies[name] = CeremonyCheck(saved)
            }
        } catch {
            throw AuditFinding(place: nil, reason: error)
        }
    }

    /// Audits the next record.
    public mutating func audit(_ record: Record, at place: RecordPlace) throws(AuditFinding) {
        do throws(AuditFinding.Reason) {
            try check(record)
        } catch {
            throw AuditFinding(place: place, reason: error)
        }
        total.records += 1
    }

    /// Audits the next line, as it was read.
    public mutating func audit(_ line: Result<Record, RecordError>, at place: RecordPlace) throws(AuditFinding) {
        switch line {
        case .success(let record): try audit(record, at: place)
        case .failure(let error): throw AuditFinding(place: place, reason: .replay(.unreadable(error)))
        }
    }

    /// The counts so far.
    /// - Throws: if the chips of the whole house do not add up.
    public func summary() throws(AuditFinding) -> AuditSummary {
        let ledger = state.ledger
        for sum in [ledger, ledger &- state.bank &- total.issued &- total.travelled, total.travelled &- state.travelled]
        where sum != 0 {
            throw AuditFinding(place: nil, reason: .ledger(sum))
        }
        var summary = total
        summary.accounts = state.accounts.count
        summary.tables = state.tables.count
        return summary
    }

    private mutating func check(_ record: Record) throws(AuditFinding.Reason) {
        var played: (table: String, rounds: Int)?
        switch record {
        case .facts(let name, let time, let facts): played = try check(facts, name, time)
        case .account(_, _, _, _, let chips, _), .issued(_, let chips, _, _): total.issued &+= chips
        case .closed(let id, _): total.issued &-= state.accounts[id]?.chips ?? 0
        case .arrived(let account, _): total.travelled &+= account.chips
        case .departed(let id, _, _): total.travelled &-= state.accounts[id]?.chips ?? 0
        // Neither chips nor facts.
        default: break
        }
        do {
            try state.apply(record)
        } catch {
            throw .replay(error.reason)
        }
        if let played, state.decisions[played.table]?.evening.match?.played != played.rounds { throw .match(table: played.table) }
        switch record {
        case .opened(let name, let rules, _, _, _):
            checks[name] = RoundCheck(name, rules)
            ceremonies[name] = CeremonyCheck(rules)
        case .gone(let name, _):
            ceremonies[name] = nil
            checks[name] = nil
        // The tables stay the same ones.
        default: break
        }
    }

    /// - Returns: the rounds that the table's match must have counted thereafter; nil without one.
    private mutating func check(
        _ facts: [Fact], _ name: String, _ time: Int64
    ) throws(AuditFinding.Reason) -> (table: String, rounds: Int)? {
        guard let saved = state.tables[name] else { throw .replay(.unknownTable(name)) }
        guard time >= saved.time else { throw .time(table: name) }
        if let pause = state.decisions[name]?.evening.pause {
            let postponed = if case .postponed(let milliseconds)? = facts.first { Int64(milliseconds) } else { Int64(0) }
            guard postponed == time - pause.since else { throw .pause(table: name) }
        }
        var inference = CommandInference(saved.table, name, at: time, facts)
        try inference.run()
        total.decisions += inference.decisions
        let match = state.decisions[name]?.evening.match
        var (round, played) = (saved.table.round, match?.played ?? 0)
        for (index, fact) in facts.enumerated() {
            switch fact {
            case .roundStarted(let number): round = number
            case .roundEnded where !inference.voided.contains(index):
                if let match, round > match.from, played < match.rounds { played += 1 }
            // Neither begins nor ends a round.
            default: break
            }
            if ceremonies[name]?.isRight(fact) == false { throw .ceremony(table: name, fact: index + 1) }
            try checks[name]?.check(fact, index + 1, isVoided: inference.voided.contains(index))
            total.count(fact)
        }
        return match.map { _ in (name, played) }
    }
}

extension AuditSummary {
    /// Counts a fact that was found right.
    fileprivate mutating func count(_ fact: Fact) {
        switch fact {
        case .burned, .dealt, .dealtToDealer, .holeDealt: cards += 1
        case .shuffled: shoes += 1
        case .settled: hands += 1
        case .roundEnded: rounds += 1
        // Draws no card and ends nothing.
        default: break
        }
    }
}

/// The first wrong record of a journal. Its description has no key of a shoe and no card that was not recorded.
public struct AuditFinding: Error, Equatable, Sendable, CustomStringConvertible {
    /// nil for the state that the audit starts from.
    public var place: RecordPlace?
    public var reason: Reason

    public enum Reason: Error, Equatable, Sendable {
        /// The record is unreadable, or does not fit the state before it.
        case replay(ReplayError.Reason)
        /// A table's time runs backwards.
        case time(table: String)
        /// A clock of a paused table has run.
        case pause(table: String)
        /// A match has counted a round that was voided, or not counted one.
        case match(table: String)
        /// The rules refuse the decision or request that leads to a fact, from 1.
        case illegal(table: String, fact: Int, Rejection)
        /// The table does something else: the fact that must follow, nil for none, and the one recorded, nil for none.
        case unexpected(table: String, fact: Int, expected: Fact?, found: Fact?)
        /// The shoe's key gives another card; nil: it gives none.
        case card(table: String, fact: Int, expected: Card?)
        /// The shoe's order is not what its key gives.
        case shoe(table: String, fact: Int)
        /// The fact is not a right step of the shoe's ceremony: the key, a reveal or the secret is another one.
        case ceremony(table: String, fact: Int)
        /// The rules pay another amount or by another outcome.
        case payout(table: String, fact: Int, expected: Settlement)
        /// The round ends although hands or insurance are open, or the dealer had to draw.
        case unfinished(table: String, fact: Int)
        /// The chips of the whole house do not add up.
        case ledger(Int)
    }

    public var description: String { place.map { "\($0): \(reason)" } ?? "before the first record: \(reason)" }
}

extension AuditFinding.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .replay(let reason): "\(reason)"
        case .time(let table): "The time of table \"\(table)\" goes backwards."
        case .pause(let table): "A clock of table \"\(table)\" has run in its owner's pause."
        case .match(let table): "The match at table \"\(table)\" has not counted the rounds that were played out."
        case .illegal(let table, let fact, let rejection):
            "Fact \(fact) at table \"\(table)\" breaks the rules: \(rejection.message)"
        case .unexpected(let table, let fact, let expected, let found):
            "Fact \(fact) at table \"\(table)\" must be \(name(expected)), but is \(text(found))."
        case .card(let table, let fact, _): "Fact \(fact) at table \"\(table)\" has a card that contradicts the shoe's key."
        case .shoe(let table, let fact): "Fact \(fact) at table \"\(table)\": the order of the shoe contradicts its key."
        case .ceremony(let table, let fact): "Fact \(fact) at table \"\(table)\" does not follow from the shoe's ceremony."
        case .payout(let table, let fact, let expected):
            "Fact \(fact) at table \"\(table)\" pays wrongly: \(expected.outcome.name) returns \(expected.paid) chips."
        case .unfinished(let table, let fact):
            "Fact \(fact) at table \"\(table)\" ends a round with open hands, or before the dealer has drawn."
        case .ledger(let chips): "The chips of the house do not add up: \(chips) too many."
        }
    }

    /// The name alone: the cards of a shoe in play are secret.
    private func name(_ fact: Fact?) -> String { fact?.form.name ?? "none" }

    /// A recorded fact; the name alone if it has a secret.
    private func text(_ fact: Fact?) -> String {
        guard let fact, fact.form.secrets.isEmpty else { return name(fact) }
        return String(describing: fact)
    }
}

/// Why a record does not fit the state before it.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    public var place: RecordPlace?
    public var reason: Reason

    package init(place: RecordPlace?, reason: Reason) { (self.place, self.reason) = (place, reason) }

    public enum Reason: Error, Equatable, Sendable {
        /// The line is no record.
        case unreadable(RecordError)
        case unknownAccount(PlayerID)
        /// The id has an account, or is 0.
        case accountExists(PlayerID)
        /// The account has a seat.
        case accountAtTable(PlayerID, table: String)
        /// An amount is out of range, or more than the account has.
        case chips(PlayerID, Int)
        case unknownTable(String)
        case tableExists(String)
        /// A table with players or chips on it is forgotten.
        case tableInUse(String)
        /// A fact of the record, from 1, does not fit its table.
        case invalidFact(table: String, fact: Int, FactValidationError)
        /// The chips at a table do not add up after the record.
        case imbalance(table: String, chips: Int)
        case codeUsed
    }

    public var description: String { place.map { "\($0): \(reason)" } ?? "\(reason)" }
}

extension ReplayError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .unknownAccount(let id): "There is no account \(id.rawValue)."
        case .accountExists(let id): "Account \(id.rawValue) exists already."
        case .accountAtTable(let id, let table): "Account \(id.rawValue) has a seat at \"\(table)\"."
        case .chips(let id, let chips): "Account \(id.rawValue) cannot change by \(chips) chips."
        case .unknownTable(let table): "There is no table \"\(table)\"."
        case .tableExists(let table): "Table \"\(table)\" is open already."
        case .tableInUse(let table): "Table \"\(table)\" cannot be removed: it has players or chips."
        case .invalidFact(let table, let fact, let error): "Fact \(fact) is invalid at table \"\(table)\": \(error)."
        case .imbalance(let table, let chips): "Chips at table \"\(table)\" do not add up: \(chips) too many."
        case .codeUsed: "The code was used before."
        }
    }
}

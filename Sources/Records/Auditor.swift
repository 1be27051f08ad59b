import Rules
import TableEngine

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

    public init() {}
}

/// Recomputes a journal record by record, and throws for the first wrong one. Checked:
///
/// - the record fits the state before it;
/// - each fact follows from a due time-out or a legal command, which is inferred from the facts;
/// - each key is what the facts of its ceremony give: secret, list and reveals, recomputed without the table;
/// - each card is the one that the shoe's key gives, and each payout is by the rules, both recomputed without the table;
/// - chips are conserved.
public struct Auditor: Sendable {
    public private(set) var state: SavedState
    private var checks: [String: RoundCheck] = [:]
    private var ceremonies: [String: CeremonyCheck] = [:]
    private var records = 0
    private var total = AuditSummary()

    /// - Parameter state: an empty one, or that of the oldest checkpoint kept.
    /// - Throws: if its chips do not add up, or a shoe's order is not that of its key.
    public init(_ state: SavedState) throws(AuditFinding) {
        self.state = state
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
        records += 1
    }

    /// Reads and audits the next line.
    public mutating func audit(line: UnsafeBufferPointer<UInt8>, at place: RecordPlace) throws(AuditFinding) {
        try audit(Result { () throws(RecordError) in try Record(line: line) }, at: place)
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
        guard ledger == 0 else { throw AuditFinding(place: nil, reason: .ledger(ledger)) }
        var summary = total
        for check in checks.values { summary.add(check.counts) }
        summary.records = records
        summary.accounts = state.accounts.count
        summary.tables = state.tables.count
        summary.issued = 0 &- state.bank
        return summary
    }

    private mutating func check(_ record: Record) throws(AuditFinding.Reason) {
        if case .facts(let name, let time, let facts) = record { try check(facts, name, time) }
        do {
            try state.apply(record)
        } catch {
            throw .replay(error.reason)
        }
        switch record {
        case .opened(let name, let rules, _, _, _, _):
            checks[name] = RoundCheck(name, rules)
            ceremonies[name] = CeremonyCheck(rules)
        case .gone(let name, _):
            ceremonies[name] = nil
            checks.removeValue(forKey: name).map { total.add($0.counts) }
        default: break
        }
    }

    private mutating func check(_ facts: [Fact], _ name: String, _ time: Int64) throws(AuditFinding.Reason) {
        guard let saved = state.tables[name] else { throw .replay(.unknownTable(name)) }
        guard time >= saved.time else { throw .time(table: name) }
        var inference = CommandInference(saved.table, name, at: time, facts)
        try inference.run()
        total.decisions += inference.decisions
        for (index, fact) in facts.enumerated() {
            if ceremonies[name]?.isRight(fact) == false { throw .ceremony(table: name, fact: index + 1) }
            try checks[name]?.check(fact, index + 1, isVoided: inference.voided.contains(index))
        }
    }
}

extension AuditSummary {
    fileprivate mutating func add(_ other: AuditSummary) {
        rounds += other.rounds
        hands += other.hands
        cards += other.cards
        shoes += other.shoes
    }
}

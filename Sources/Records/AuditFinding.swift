import Rules
import TableEngine

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
        case .time(let table): "The time of table \"\(table)\" runs backwards."
        case .illegal(let table, let fact, let rejection):
            "Fact \(fact) at table \"\(table)\" breaks the rules: \(rejection.message)"
        case .unexpected(let table, let fact, let expected, let found):
            "Fact \(fact) at table \"\(table)\" must be \(name(expected)) and is \(text(found))."
        case .card(let table, let fact, _): "Fact \(fact) at table \"\(table)\" has a card that the shoe's key does not give."
        case .shoe(let table, let fact): "Fact \(fact) at table \"\(table)\": the order of the shoe is not that of its key."
        case .ceremony(let table, let fact): "Fact \(fact) at table \"\(table)\" does not follow from the shoe's ceremony."
        case .payout(let table, let fact, let expected):
            "Fact \(fact) at table \"\(table)\" pays wrongly: \(expected.outcome.name) returns \(expected.paid) chips."
        case .unfinished(let table, let fact):
            "Fact \(fact) at table \"\(table)\" ends a round with open hands, or before the dealer has drawn."
        case .ledger(let chips): "The chips of the house do not add up: \(chips) too many."
        }
    }

    /// The name alone: the cards of a shoe in play are secret.
    private func name(_ fact: Fact?) -> String {
        guard let fact else { return "none" }
        return String(String(describing: fact).prefix { $0 != "(" })
    }

    /// A recorded fact, without the key of a shoe.
    private func text(_ fact: Fact?) -> String {
        switch fact {
        case nil: "none"
        case .shoeSupplied, .shuffled, .ceremonyOpened, .revealed: name(fact)
        case let fact?: String(describing: fact)
        }
    }
}

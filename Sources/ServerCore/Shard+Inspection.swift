import TableEngine
import TableModel

/// The distribution of all chips.
package struct Ledger: Equatable, Sendable {
    /// Minus the chips issued.
    package var bank: Int
    package var accounts: Int
    /// Chips of players and bets at all tables.
    package var tables: Int
    /// The house's winnings at all tables.
    package var house: Int

    package init(bank: Int = 0, accounts: Int = 0, tables: Int = 0, house: Int = 0) {
        self.bank = bank
        self.accounts = accounts
        self.tables = tables
        self.house = house
    }

    package static func + (a: Ledger, b: Ledger) -> Ledger {
        Ledger(
            bank: a.bank &+ b.bank, accounts: a.accounts &+ b.accounts, tables: a.tables &+ b.tables, house: a.house &+ b.house)
    }

    /// Always 0: chips are conserved.
    package var imbalance: Int { bank &+ accounts &+ tables &+ house }
}

extension Shard {
    package var ledger: Ledger {
        Ledger(
            bank: bank, accounts: accounts.values.reduce(0) { $0 &+ $1.chips },
            tables: hostedTables.reduce(0) { $0 &+ $1.engine.chipsOnTable },
            house: hostedTables.reduce(formerTables.houseNet) { $0 &+ $1.engine.houseNet })
    }

    /// Closes every connection without a `bye`, as a failing network would: seats and chips are kept.
    package func cutEveryConnection() {
        for session in sessions.values.sorted(by: { $0.connection < $1.connection }) { session.sender.close() }
    }

    /// Rounds begun at all tables.
    package var rounds: Int { hostedTables.reduce(formerTables.rounds) { $0 + $1.engine.round } }

    /// A table's visible state and revision.
    package func shown(_ table: String) -> (revision: Int, snapshot: TableSnapshot)? {
        hostedTables.first { $0.name == table }.map { ($0.revision, $0.shown) }
    }
}

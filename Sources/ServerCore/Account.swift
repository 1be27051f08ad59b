import TableEngine
import Wire

/// A player that the casino knows: chips, and where he is.
struct Account {
    let id: PlayerID
    let name: PlayerName
    /// What a later connection shows to take the player over.
    let token: String
    let isBot: Bool
    /// Chips that are not at a table.
    var chips: Int
    /// The table that has the rest of the chips, by its index.
    var table: Int?
    /// The connection that speaks for the player; nil while he is away.
    var connection: ConnectionID?
    /// Whether he was away for too long: he is forgotten as soon as he is at no table.
    var isExpired = false
}

/// Who is known, by name and by number, and the bank that chips come from and go back to.
///
/// The bank's balance is negative by what it has issued, so bank, accounts, tables and house always add up to zero.
struct Accounts {
    private(set) var bank = 0
    private var byID: [PlayerID: Account] = [:]
    private var idByName: [String: PlayerID] = [:]
    private var lastID: UInt32 = 0

    var count: Int { byID.count }

    /// Chips in all accounts.
    var chips: Int { byID.values.reduce(0) { $0 + $1.chips } }

    var all: some Sequence<Account> { byID.values }

    subscript(id: PlayerID) -> Account? { byID[id] }

    func named(_ name: PlayerName) -> Account? { idByName[name.key].flatMap { byID[$0] } }

    mutating func open(_ name: PlayerName, token: String, isBot: Bool, chips: Int, connection: ConnectionID) -> Account {
        lastID += 1
        let account = Account(
            id: PlayerID(lastID), name: name, token: token, isBot: isBot, chips: chips, table: nil, connection: connection)
        bank -= chips
        byID[account.id] = account
        idByName[name.key] = account.id
        return account
    }

    /// Forgets a player who is at no table; the chips go back to the bank.
    mutating func close(_ id: PlayerID) {
        guard let account = byID[id] else { return }
        precondition(account.table == nil, "a player at a table can't be forgotten")
        bank += account.chips
        byID[id] = nil
        idByName[account.name.key] = nil
    }

    mutating func update(_ id: PlayerID, _ change: (inout Account) -> Void) {
        guard var account = byID[id] else { return }
        change(&account)
        byID[id] = account
    }

    /// Lends a player chips from the bank.
    mutating func lend(_ id: PlayerID, _ chips: Int) {
        bank -= chips
        update(id) { $0.chips += chips }
    }

    /// Moves all of a player's chips to a table.
    mutating func takeChips(_ id: PlayerID, to table: Int) {
        update(id) {
            $0.chips = 0
            $0.table = table
        }
    }

    /// Takes back what a player brings home from a table.
    mutating func returnChips(_ id: PlayerID, _ chips: Int) {
        update(id) {
            $0.chips += chips
            $0.table = nil
        }
    }
}

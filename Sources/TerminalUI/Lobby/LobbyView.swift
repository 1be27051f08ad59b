import ClientCore
import TableModel
import Wire

/// View state of the list of tables. A value; each change is a pure function. The list itself is the client's.
struct LobbyView: Equatable, Sendable {
    /// A pass phrase that is being typed.
    struct Prompt: Equatable, Sendable {
        var destination: TableMove.Destination
        var draft = TextField(limit: WireLimits.passBytes)
        /// Whether the last phrase was wrong.
        var isWrong = false
    }

    var prompt: Prompt?
    /// Why the player is here, or why the server refused a table.
    var notice: SafeText?
    /// Whether Enter and letters go to a table: not before a row is chosen, where the list came by itself, as they may be meant for the table
    /// that was here.
    var isChosen = true
    /// The name of the selected table; nil for the first one.
    private var selection: String?
    /// The row of the selection, for when its table is gone.
    private var row = 0

    /// The tables in the order of their names, the player's own first.
    func tables(of client: ClientState) -> [TableSummary] {
        let isOwn = { (table: TableSummary) in table.name == client.table }
        return client.lobby.filter(isOwn) + client.lobby.filter { !isOwn($0) }
    }

    /// The selected row; 0 where there is none.
    func selectedRow(in tables: [TableSummary]) -> Int {
        tables.firstIndex { $0.name == selection } ?? min(row, max(0, tables.count - 1))
    }

    /// Asks for the pass phrase of a table.
    mutating func ask(for destination: TableMove.Destination, isWrong: Bool) {
        prompt = Prompt(destination: destination, isWrong: isWrong)
        // The table asked about is the one shown below.
        (selection, notice, isChosen) = (destination.table, nil, true)
    }

    mutating func select(_ row: Int, in tables: [TableSummary]) {
        guard !tables.isEmpty else { return }
        isChosen = true
        self.row = min(max(0, row), tables.count - 1)
        selection = tables[self.row].name
    }
}

extension ClientState {
    /// Whether a request would be answered.
    var answers: Bool { link == .loggedIn && silentSince == nil }
}

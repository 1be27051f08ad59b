import ClientCore
import TableModel
import Wire

/// View state of the list of tables. A value; each change is a pure function. The list itself is the client's.
struct LobbyView: Equatable, Sendable {
    /// An effect of a key outside the view state.
    enum Intent: Equatable, Sendable {
        case go(TableMove.Destination)
        case back
        case quit
        case redraw
    }

    /// A pass phrase that is being typed.
    struct Prompt: Equatable, Sendable {
        var destination: TableMove.Destination
        var draft = TextField(limit: WireLimits.passBytes)
        /// Whether the last phrase was wrong.
        var isWrong = false
    }

    private(set) var prompt: Prompt?
    /// Why the player is here, or why the server refused a table.
    var notice: SafeText?
    /// Why the last key had no effect; nil after one that had.
    private(set) var answer: SafeText?
    /// Whether Enter watches instead of taking a seat.
    let prefersWatching: Bool
    /// Whether Enter and letters go to a table: not before a row is chosen, where the list came by itself, as they may be meant for the table
    /// that was here.
    var isChosen = true
    /// The name of the selected table; nil for the first one.
    private var selection: String?
    /// The row of the selection, for when its table is gone.
    private var row = 0

    /// - Parameter prefersWatching: whether Enter watches.
    init(notice: SafeText? = nil, prefersWatching: Bool = false) {
        (self.notice, self.prefersWatching) = (notice, prefersWatching)
    }

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
}

extension LobbyView {
    /// Applies a key. Letters are keys, as at the table; Escape goes one level back.
    /// - Returns: an effect for the caller, or nil.
    mutating func press(_ key: Key, _ client: ClientState) -> Intent? {
        switch key {
        case .control("l"): return .redraw
        case .control("c"), .control("d"): return .quit
        default: break
        }
        answer = nil
        if prompt != nil { return pressInPrompt(key) }
        let tables = tables(of: client)
        if let row = row(after: key, in: tables) {
            select(row, in: tables)
            return nil
        }
        return pressInList(key, tables, client)
    }

    /// The row that a key selects; nil for a key that selects none.
    private func row(after key: Key, in tables: [TableSummary]) -> Int? {
        switch key {
        case .up: selectedRow(in: tables) - (isChosen ? 1 : 0)
        case .down: selectedRow(in: tables) + (isChosen ? 1 : 0)
        case .pageUp: selectedRow(in: tables) - 10
        case .pageDown: selectedRow(in: tables) + 10
        case .home: 0
        case .end: tables.count - 1
        default: nil
        }
    }

    private mutating func pressInList(_ key: Key, _ tables: [TableSummary], _ client: ClientState) -> Intent? {
        switch key {
        case .enter: return choose(tables, client, watches: prefersWatching)
        case .character("s"): return choose(tables, client, watches: false)
        case .character("w"): return choose(tables, client, watches: true)
        case .character("q"): return .quit
        case .character("?"):
            return refuse("s sits down, w watches, Esc goes back; at a table, ? shows its keys.")
        case .escape, .character("l"):
            guard client.snapshot == nil else { return .back }
            return refuse("You are at no table yet: q leaves the program.")
        case .character(let scalar):
            return refuse("'\(SafeText(String(scalar)))' is no key here: ? explains the keys.")
        case .paste: return refuse("A paste is text, not keys.")
        default: break
        }
        return nil
    }

    private mutating func pressInPrompt(_ key: Key) -> Intent? {
        guard var open = prompt else { return nil }
        switch key {
        case .control("c"), .control("d"): return .quit
        case .escape:
            prompt = nil
            return nil
        case .enter:
            guard !open.draft.text.isEmpty else { return nil }
            prompt = nil
            open.destination.pass = open.draft.text
            return .go(open.destination)
        default: _ = open.draft.press(key)
        }
        prompt = open
        return nil
    }

    private mutating func choose(_ tables: [TableSummary], _ client: ClientState, watches: Bool) -> Intent? {
        guard client.answers else { return refuse("There is no connection: tables can be chosen when the server answers again.") }
        guard !tables.isEmpty else { return nil }
        guard isChosen else { return refuse("Choose a table first: up and down.") }
        let table = tables[selectedRow(in: tables)]
        let isOwn = table.name == client.table && client.snapshot != nil
        if isOwn, watches || !client.seats.isEmpty { return .back }
        if !watches, table.isClosing { return refuse("\(shown(table)) closes: it takes no more players.") }
        if !watches, table.freeSeats == 0 { return refuse("\(shown(table)) has no free seat: w watches it.") }
        notice = nil
        return .go(TableMove.Destination(table: table.name, watches: watches))
    }

    private func shown(_ table: TableSummary) -> SafeText { SafeText(table.name, columns: 32) }

    private mutating func refuse(_ reason: SafeText) -> Intent? {
        answer = reason
        return nil
    }

    private mutating func select(_ row: Int, in tables: [TableSummary]) {
        guard !tables.isEmpty else { return }
        isChosen = true
        self.row = min(max(0, row), tables.count - 1)
        selection = tables[self.row].name
    }
}

extension LobbyView {
    /// The keys that have an effect, for the hint line.
    func hints(_ client: ClientState) -> [KeyMap.Hint] {
        if let prompt {
            let enter = prompt.draft.text.isEmpty ? [] : [KeyMap.Hint(key: "Enter", meaning: "go there")]
            return enter + [KeyMap.Hint(key: "Esc", meaning: "back to the list")]
        }
        let tables = tables(of: client)
        let choose = KeyMap.Hint(key: "up down", meaning: "choose", use: isChosen ? .general : .move)
        var hints = client.answers && isChosen && !tables.isEmpty ? choices(tables[selectedRow(in: tables)], client) : []
        if tables.count > 1 || !isChosen { hints.append(choose) }
        if client.snapshot != nil {
            hints.append(KeyMap.Hint(key: "Esc", meaning: "back to the table", short: "back", use: .move))
        }
        hints.append(KeyMap.Hint(key: "?", meaning: "help", use: .general))
        return hints + [KeyMap.Hint(key: "q", meaning: "quit", use: .move)]
    }

    /// The keys that go to a table.
    private func choices(_ table: TableSummary, _ client: ClientState) -> [KeyMap.Hint] {
        let isOwn = table.name == client.table && client.snapshot != nil
        if isOwn, !client.seats.isEmpty { return [KeyMap.Hint(key: "Enter", meaning: "back to it", use: .move)] }
        let canSit = !table.isClosing && table.freeSeats > 0
        let sit = KeyMap.Hint(key: prefersWatching ? "s" : "Enter s", meaning: "sit", use: .move)
        let watch = KeyMap.Hint(key: prefersWatching ? "Enter w" : "w", meaning: isOwn ? "back to it" : "watch", use: .move)
        return prefersWatching ? [watch] + (canSit ? [sit] : []) : (canSit ? [sit] : []) + [watch]
    }
}

extension ClientState {
    /// Whether a request would be answered.
    var answers: Bool { session.link == .loggedIn && session.silentSince == nil }
}

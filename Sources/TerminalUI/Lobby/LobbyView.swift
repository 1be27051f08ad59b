import ClientCore
import TableModel
import Wire

/// View state of the list of tables. A value; each change is a pure function. The list itself is the client's.
struct LobbyView: Equatable, Sendable {
    /// The order below the table where the player is.
    enum Order: Int, CaseIterable, Sendable {
        /// The server's.
        case listed
        case name, freeSeats, lowestBet, players
    }

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
        var draft = ""
        /// Whether the last phrase was wrong.
        var isWrong = false
    }

    /// Longest filter, in bytes.
    static let longestFilter = 60

    private(set) var filter = ""
    private(set) var order = Order.listed
    private(set) var prompt: Prompt?
    /// Why the player is here, or why a table was refused.
    var notice: SafeText?
    /// Until this time Enter and Tab choose nothing: they may be the second stroke of a key that led here. nil once another key was pressed.
    private var freshUntil: Int64?
    /// Milliseconds of it.
    static let freshTime: Int64 = 500
    /// Whether the list came unasked: the next keys may be meant for the table that was here.
    private(set) var isUnasked = false
    /// The name of the selected table; nil for the first one.
    private var selection: String?
    /// The row of the selection, for when its table is gone.
    private var row = 0

    /// - Parameter now: milliseconds on any clock, where the player did not ask for the list; else nil.
    init(notice: SafeText? = nil, openedAt now: Int64? = nil) {
        self.notice = notice
        freshUntil = now.map { $0 + Self.freshTime }
    }

    /// The tables that match the filter, in order, the player's own first.
    func tables(of client: ClientState) -> [TableSummary] {
        let words = filter.lowercased().split(separator: " ")
        let all = client.lobby.filter { $0.matches(words) }
        let isOwn = { (table: TableSummary) in table.name == client.table }
        return all.filter(isOwn) + order.sorted(all.filter { !isOwn($0) })
    }

    /// The selected row; 0 where there is none.
    func selectedRow(in tables: [TableSummary]) -> Int {
        tables.firstIndex { $0.name == selection } ?? min(row, max(0, tables.count - 1))
    }

    /// The list takes the place of a table: until a row is chosen, Enter and Tab choose none.
    mutating func interrupt() { isUnasked = true }

    /// Asks for the pass phrase of a table.
    mutating func ask(for destination: TableMove.Destination, isWrong: Bool) {
        prompt = Prompt(destination: destination, isWrong: isWrong)
        (notice, isUnasked) = (nil, false)
    }
}

extension LobbyView {
    /// Applies a key.
    /// - Parameter now: milliseconds on the clock of ``init(notice:openedAt:)``.
    /// - Returns: an effect for the caller, or nil.
    mutating func press(_ key: Key, _ client: ClientState, at now: Int64) -> Intent? {
        if key == .control("l") { return .redraw }
        if let freshUntil, now < freshUntil, key == .enter || key == .tab { return nil }
        freshUntil = nil
        if prompt != nil { return pressInPrompt(key) }
        if isUnasked { return pressUnasked(key, client, at: now) }
        let tables = tables(of: client)
        switch key {
        case .control("c"), .control("d"): return .quit
        case .escape:
            if !filter.isEmpty { edit { $0 = "" } } else { return client.snapshot == nil ? .quit : .back }
        case .enter: return choose(tables, client, watches: false)
        case .tab: return choose(tables, client, watches: true)
        case .up: select(selectedRow(in: tables) - 1, in: tables)
        case .down: select(selectedRow(in: tables) + 1, in: tables)
        case .pageUp: select(selectedRow(in: tables) - 10, in: tables)
        case .pageDown: select(selectedRow(in: tables) + 10, in: tables)
        case .home: select(0, in: tables)
        case .end: select(tables.count - 1, in: tables)
        case .left: sort(by: -1)
        case .right: sort(by: 1)
        case .backspace, .delete: edit { if !$0.isEmpty { $0.removeLast() } }
        case .control("u"): edit { $0 = "" }
        case .character(let scalar): edit { if $0.utf8.count < Self.longestFilter { $0.unicodeScalars.append(scalar) } }
        case .paste(let text):
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            edit { if $0.utf8.count + words.utf8.count <= Self.longestFilter { $0 += words } }
        default: break
        }
        return nil
    }

    /// The first key was perhaps meant for the table: it chooses nothing, and the news stays.
    private mutating func pressUnasked(_ key: Key, _ client: ClientState, at now: Int64) -> Intent? {
        let tables = tables(of: client)
        switch key {
        case .enter, .tab, .unknown: return nil
        case .escape, .up, .down:
            isUnasked = false
            select(selectedRow(in: tables), in: tables)
            return nil
        default:
            isUnasked = false
            let news = notice
            defer { notice = news }
            return press(key, client, at: now)
        }
    }

    private mutating func pressInPrompt(_ key: Key) -> Intent? {
        guard var open = prompt else { return nil }
        switch key {
        case .control("c"), .control("d"): return .quit
        case .escape:
            prompt = nil
            return nil
        case .enter:
            guard !open.draft.isEmpty else { return nil }
            prompt = nil
            open.destination.pass = open.draft
            return .go(open.destination)
        case .backspace, .delete: if !open.draft.isEmpty { open.draft.removeLast() }
        case .control("u"): open.draft = ""
        case .character(let scalar):
            if open.draft.utf8.count + UTF8.width(scalar) <= WireLimits.passBytes { open.draft.unicodeScalars.append(scalar) }
        case .paste(let text):
            let line = text.prefix { !$0.isNewline }
            if open.draft.utf8.count + line.utf8.count <= WireLimits.passBytes { open.draft += line }
        default: break
        }
        prompt = open
        return nil
    }

    private mutating func choose(_ tables: [TableSummary], _ client: ClientState, watches: Bool) -> Intent? {
        guard client.answers, !tables.isEmpty else { return nil }
        let table = tables[selectedRow(in: tables)]
        let isOwn = table.name == client.table && client.snapshot != nil
        if isOwn, watches || !client.seats.isEmpty { return .back }
        if !watches, table.isClosing { return refuse("\(shown(table)) closes: it takes no more players.") }
        if !watches, table.freeSeats == 0 { return refuse("\(shown(table)) has no free seat: Tab watches it.") }
        notice = nil
        return .go(TableMove.Destination(table: table.name, watches: watches))
    }

    private func shown(_ table: TableSummary) -> SafeText { SafeText(table.name, columns: 32) }

    private mutating func refuse(_ reason: SafeText) -> Intent? {
        notice = reason
        return nil
    }

    /// Selects a row; a second click on it chooses.
    /// - Returns: whether it was selected before.
    mutating func click(_ table: String, _ client: ClientState) -> Bool {
        let tables = tables(of: client)
        guard prompt == nil, let row = tables.firstIndex(where: { $0.name == table }) else { return false }
        let wasUnasked = isUnasked
        isUnasked = false
        if !wasUnasked, row == selectedRow(in: tables) { return true }
        select(row, in: tables)
        return false
    }

    private mutating func select(_ row: Int, in tables: [TableSummary]) {
        guard !tables.isEmpty else { return }
        self.row = min(max(0, row), tables.count - 1)
        selection = tables[self.row].name
    }

    private mutating func sort(by steps: Int) {
        let count = Order.allCases.count
        order = Order(rawValue: (order.rawValue + steps + count) % count) ?? .listed
    }

    private mutating func edit(_ change: (inout String) -> Void) {
        change(&filter)
        // The first match is the best guess.
        (selection, row, notice) = (nil, 0, nil)
    }
}

extension LobbyView {
    /// The keys that have an effect, for the hint line.
    func hints(_ client: ClientState) -> [KeyMap.Hint] {
        if let prompt {
            let enter = prompt.draft.isEmpty ? [] : [KeyMap.Hint(key: "Enter", meaning: "go there")]
            return enter + [KeyMap.Hint(key: "Esc", meaning: "back to the list")]
        }
        var hints: [KeyMap.Hint] = []
        let tables = tables(of: client)
        if client.answers, !tables.isEmpty, !isUnasked {
            let table = tables[selectedRow(in: tables)]
            let isOwn = table.name == client.table && client.snapshot != nil
            if isOwn, !client.seats.isEmpty {
                hints.append(KeyMap.Hint(key: "Enter", meaning: "back to it"))
            } else {
                if !table.isClosing, table.freeSeats > 0 { hints.append(KeyMap.Hint(key: "Enter", meaning: "sit")) }
                hints.append(KeyMap.Hint(key: "Tab", meaning: isOwn ? "back to it" : "watch"))
            }
        }
        if tables.count > 1 || isUnasked { hints.append(KeyMap.Hint(key: "up down", meaning: "choose")) }
        if tables.count > 1 {
            hints.append(KeyMap.Hint(key: "left right", meaning: "sort"))
        }
        let escape: SafeText = !filter.isEmpty ? "show all" : client.snapshot == nil ? "quit" : "back to the table"
        if !isUnasked { hints.append(KeyMap.Hint(key: "Esc", meaning: escape)) }
        if filter.isEmpty, client.lobby.count > 1 { hints.append(KeyMap.Hint(key: "a-z", meaning: "find")) }
        return hints
    }
}

extension ClientState {
    /// Whether a request would be answered.
    fileprivate var answers: Bool { session.link == .loggedIn && session.silentSince == nil }
}

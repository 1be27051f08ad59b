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
    /// Whether the Find line has the cursor: letters are text there, and keys in the list.
    private(set) var isFinding = false
    /// Whether the keys of the list are explained in its place.
    private(set) var showsHelp = false
    /// Why the player is here, or why the server refused a table.
    var notice: SafeText?
    /// Why the last key had no effect; nil after one that had.
    private(set) var answer: SafeText?
    /// Whether Enter watches instead of taking a seat.
    let prefersWatching: Bool
    /// Keys that may be meant for what was here before choose nothing; nil from the first other key on.
    private var guarded: Guard?
    /// The name of the selected table; nil for the first one.
    private var selection: String?
    /// The row of the selection, for when its table is gone.
    private var row = 0

    /// A pause after which keys are meant for the list.
    private struct Guard: Equatable, Sendable {
        /// Milliseconds.
        var until: Int64
        let pause: Int64
        /// Whether the list came by itself: not only a second Enter may be meant for what was here.
        let isUnasked: Bool
    }

    /// - Parameter prefersWatching: whether Enter watches.
    init(notice: SafeText? = nil, prefersWatching: Bool = false) {
        (self.notice, self.prefersWatching) = (notice, prefersWatching)
    }

    /// The list takes the place of something else: for a pause, Enter chooses nothing, and letters do nothing where it came unasked.
    /// - Parameters:
    ///   - pause: milliseconds.
    ///   - now: milliseconds on the clock of ``press(_:_:at:)``.
    mutating func interrupt(isAsked: Bool, pause: Int64, at now: Int64) {
        guarded = Guard(until: now + pause, pause: pause, isUnasked: !isAsked)
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

    /// Asks for the pass phrase of a table.
    mutating func ask(for destination: TableMove.Destination, isWrong: Bool) {
        prompt = Prompt(destination: destination, isWrong: isWrong)
        // The table asked about is the one shown below.
        (selection, filter) = (destination.table, "")
        (notice, guarded, isFinding, showsHelp) = (nil, nil, false, false)
    }
}

extension LobbyView {
    /// A server that had stopped is back: the news of its stop is out of date.
    mutating func take(_ event: ClientEvent, wasStopped: Bool) {
        if case .reply(_, .login) = event, wasStopped { notice = nil }
    }

    /// Applies a key. Letters are keys, as at the table, and text only in the Find line; Escape goes one level back.
    /// - Parameter now: milliseconds on the clock of ``interrupt(isAsked:pause:at:)``.
    /// - Returns: an effect for the caller, or nil.
    mutating func press(_ key: Key, _ client: ClientState, at now: Int64) -> Intent? {
        switch key {
        case .control("l"): return .redraw
        case .control("c"), .control("d"): return .quit
        default: break
        }
        if holds(key, at: now) { return nil }
        answer = nil
        if prompt != nil { return pressInPrompt(key) }
        if showsHelp {
            showsHelp = false
            return nil
        }
        let tables = tables(of: client)
        if let row = row(after: key, in: tables) {
            isFinding = false
            select(row, in: tables)
            return nil
        }
        if isFinding {
            pressInFind(key)
            return nil
        }
        return pressInList(key, tables, client)
    }

    /// Whether a key may be meant for what was here before. Quick typing prolongs the pause.
    private mutating func holds(_ key: Key, at now: Int64) -> Bool {
        guard var pause = guarded, now < pause.until else {
            guarded = nil
            return false
        }
        let isHeld =
            switch key {
            case .enter, .tab: true
            case .character, .paste: pause.isUnasked && !isFinding
            default: false
            }
        pause.until = now + pause.pause
        // Any other key shows that the player looks at the list.
        guarded = isHeld ? pause : nil
        return isHeld
    }

    /// The row that a key selects; nil for a key that selects none.
    private func row(after key: Key, in tables: [TableSummary]) -> Int? {
        switch key {
        case .up: selectedRow(in: tables) - 1
        case .down: selectedRow(in: tables) + 1
        case .pageUp: selectedRow(in: tables) - 10
        case .pageDown: selectedRow(in: tables) + 10
        case .home: 0
        case .end: tables.count - 1
        default: nil
        }
    }

    private mutating func pressInFind(_ key: Key) {
        switch key {
        case .escape:
            edit { $0 = "" }
            isFinding = false
        case .enter, .tab: isFinding = false
        case .backspace, .delete: edit { if !$0.isEmpty { $0.removeLast() } }
        case .control("u"): edit { $0 = "" }
        case .character(let scalar): edit { if $0.utf8.count < Self.longestFilter { $0.unicodeScalars.append(scalar) } }
        case .paste(let text):
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            edit { if $0.utf8.count + words.utf8.count <= Self.longestFilter { $0 += words } }
        default: break
        }
    }

    private mutating func pressInList(_ key: Key, _ tables: [TableSummary], _ client: ClientState) -> Intent? {
        switch key {
        case .enter: return choose(tables, client, watches: prefersWatching)
        case .character("s"): return choose(tables, client, watches: false)
        case .character("w"): return choose(tables, client, watches: true)
        case .character("/"): isFinding = true
        case .character("q"): return .quit
        case .character("?"): showsHelp = true
        case .left: sort(by: -1)
        case .right: sort(by: 1)
        case .escape where !filter.isEmpty: edit { $0 = "" }
        case .escape, .character("l"):
            guard client.snapshot == nil else { return .back }
            return refuse("You are at no table yet: q leaves the program.")
        case .character(let scalar):
            return refuse("'\(SafeText(String(scalar)))' is no key here: / finds a table by its name, its players or its rules.")
        case .paste: return refuse("A paste is text, not keys: / opens Find.")
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
        guard client.answers else { return refuse("There is no connection: tables can be chosen when the server answers again.") }
        guard !tables.isEmpty else { return nil }
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

    /// Selects a row; a second click on it chooses.
    /// - Returns: whether it was selected before.
    mutating func click(_ table: String, _ client: ClientState) -> Bool {
        let tables = tables(of: client)
        guard prompt == nil, let row = tables.firstIndex(where: { $0.name == table }) else { return false }
        if row == selectedRow(in: tables) { return true }
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
        if showsHelp { return [KeyMap.Hint(key: "any key", meaning: "back to the list")] }
        let tables = tables(of: client)
        let choose = KeyMap.Hint(key: "up down", meaning: "choose", use: .general)
        if isFinding {
            return [
                KeyMap.Hint(key: "Enter", meaning: filter.isEmpty ? "all tables" : "keep these", use: .move), choose,
                KeyMap.Hint(key: "Esc", meaning: "show all", use: .move),
            ]
        }
        var hints = client.answers && !tables.isEmpty ? choices(tables[selectedRow(in: tables)], client) : []
        if client.lobby.count > 1 { hints.append(KeyMap.Hint(key: "/", meaning: "find", use: .move)) }
        if tables.count > 1 {
            hints += [choose, KeyMap.Hint(key: "left right", meaning: "sort", use: .general)]
        }
        if !filter.isEmpty {
            hints.append(KeyMap.Hint(key: "Esc", meaning: "show all", use: .move))
        } else if client.snapshot != nil {
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

import TableModel

/// The list of tables without a screen.
extension PlainFace {
    /// Lines of one list; more are counted.
    private static let longestList = 40

    /// Whether a typed command has to wait: for the login, for a table, or for an answer during a move.
    func mustWait(_ command: PlainCommand) -> Bool {
        if session.move.isUnderway || session.arriving != nil || session.isRestaking { return true }
        if session.isInLobby || session.state.snapshot != nil { return false }
        return command.needsTable || session.state.link != .loggedIn
    }

    func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        if let reason { print(reason) }
        let isLoggedIn = session.state.link == .loggedIn
        awaitsList = !isLoggedIn || session.state.lobby.isEmpty
        // A script that named its table has no list so far.
        if !awaitsList { list(session.state.lobby) } else if isLoggedIn { session.send(.lobby(follow: nil)) }
        goOn()
    }

    func leaveLobby() { goOn() }

    func moveRefused() {
        refusals += 1
        scriptRefused("the table is refused")
    }

    func list(_ tables: [TableSummary]) {
        awaitsList = false
        let tables = query?.tables(of: tables) ?? tables
        defer { query = nil }
        for table in tables.prefix(Self.longestList) { print(wording.summary(table)) }
        if tables.count > Self.longestList { print("\(tables.count - Self.longestList) more tables are not listed.") }
        if tables.isEmpty { print(query == nil ? "There are no tables at the moment." : "No table has these words.") }
        if session.state.snapshot == nil, !tables.isEmpty { print("'sit TABLE' takes a seat, 'watch TABLE' watches.") }
    }

    func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        let table = SafeText(destination.table, columns: 32)
        guard !isScript else {
            let reason: SafeText =
                isWrong
                ? "the pass phrase of the table \(table) is wrong"
                : "the table \(table) has a pass phrase: give it with --pass, with BJ_PASS or after the table's name"
            return session.leave(.init(status: 77, reason: reason))
        }
        if isWrong { print("That is not the pass phrase of \(table).") }
        askForPhrase(of: destination)
        print("Pass phrase of \(table) (an empty line gives up):")
    }

    /// Goes to a table with the phrase that was typed.
    func enter(_ destination: TableMove.Destination, phrase: String) {
        guard !phrase.isEmpty else { return enterLobby(nil, isAsked: true) }
        var destination = destination
        destination.pass = phrase
        session.go(to: destination)
    }
}

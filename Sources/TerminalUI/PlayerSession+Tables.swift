import ClientCore
import Rules
import TableModel
import Wire

// At which table the player is, and the way there.
extension PlayerSession {
    /// Whether the player has been shown the list of tables, and is at none.
    var isInLobby: Bool { stage == .playing && state.link == .loggedIn && state.snapshot == nil && move == .none }

    var asksForPhrase: Bool { controls != .keys && lobby?.prompt != nil }

    /// The pass phrase known for a table; nil for none.
    func phrase(of table: String?) -> String? {
        guard let pass, pass.table == nil || pass.table == table else { return nil }
        return pass.phrase
    }

    /// After every login: follows the list of tables, and takes the first table.
    private mutating func loggedIn(_ login: LoginReply) {
        if stage == .starting, let table = login.table ?? state.table {
            // No command is refused for want of a table that is about to be shown.
            (stage, move) = (.playing, state.snapshot == nil ? .granted(.init(table: table, isFirst: true)) : move)
        }
        // A view is not asked for again by the client itself: it was granted, and not shown.
        if case .granted(let destination) = move, destination.watches, state.table == nil {
            move = .none
            go(to: destination)
        }
        if stage == .starting, let table = options.initialPlacement.table {
            stage = .playing
            go(to: firstDestination(table))
        }
        let isChoice = stage == .starting && options.initialPlacement != .nothing
        if controls != .pipe || isChoice { send(.lobby(follow: controls == .pipe ? nil : true), for: isChoice ? .choice : nil) }
    }

    /// A table that was named at the start, or chosen instead.
    private func firstDestination(_ table: String) -> TableMove.Destination {
        guard case .sit(_, let seat) = options.initialPlacement else {
            return .init(table: table, watches: true, isFirst: options.initialPlacement.table == nil)
        }
        return .init(table: table, seat: seat, isFirst: true)
    }

    /// Takes the only table, or shows the list of several. A script whose table does not exist ends.
    mutating func choose(_ tables: [TableSummary]) {
        guard options.initialPlacement.table == nil else {
            let names = tables.map { SafeText($0.name, columns: 32) }.joined()
            let wanted = SafeText(options.initialPlacement.table ?? "", columns: 32)
            return leave(Ending(status: 69, reason: "no table '\(wanted)'; there is: \(names)"))
        }
        stage = .playing
        guard tables.count == 1 else { return enterLobby(nil, isAsked: true) }
        go(to: firstDestination(tables[0].name))
    }

    /// Goes to a table, once the hand in play is over.
    mutating func go(to destination: TableMove.Destination) {
        var destination = destination
        destination.pass = destination.pass ?? phrase(of: destination.table)
        ask(move.begin(destination, from: state))
        say(move)
        guard move == .none else { return }
        leaveLobby()
        let seat = destination.watches ? nil : state.seat
        answer(seat.map { "You already have seat \($0)." } ?? "You are already at \(SafeText(destination.table, columns: 32)).")
    }

    /// Says that a move waits for the end of a hand.
    private mutating func say(_ move: TableMove) {
        guard let awaited = move.awaited else { return }
        leaveLobby()
        answer(Wording.moving(to: awaited, from: state))
    }

    /// Sends the next request of a move.
    mutating func ask(_ message: ClientMessage?) { if let message { send(message, for: .move) } }

    mutating func moved(_ result: Result<Reply, Refusal>) {
        switch (move, result) {
        case (.looking(let destination), .success(.lobby(_, _, let tables))): found(tables, destination)
        // After a reconnect the move goes on, and the table itself says whether it exists.
        case (.looking(let destination), .failure(let refusal)) where refusal.isLocal: move = .waiting(destination)
        case (.leaving(let destination), .success):
            move = .arriving(destination)
            // After a reconnect the former table is not taken again.
            effects.append(.forgetTable)
            ask(destination.message)
        case (.arriving(let destination), .success):
            move = .granted(destination)
            if let phrase = destination.pass { pass = (phrase, destination.table) }
            if state.snapshot != nil { arrived(at: state.table) }
        case (.arriving(var destination), .failure(let refusal)):
            let former = destination.former
            destination.former = []
            move = former.first.map { .arriving($0) } ?? .none
            for seat in former { send(seat.message, for: seat == former.first ? .move : nil) }
            refused(destination, refusal)
        case (.looking(let destination), .failure(let refusal)), (.leaving(let destination), .failure(let refusal)):
            move = .none
            refused(destination, refusal)
        case (.none, _), (.waiting, _), (.granted, _), (.looking, _): break
        }
    }

    /// Goes on with a move to a table of the lobby, if it would have the player: the seat is not given up for less.
    private mutating func found(_ tables: [TableSummary], _ destination: TableMove.Destination) {
        move = .none
        let table = tables.first { $0.name == destination.table }
        if !destination.watches, let words = table.flatMap(Wording.noSeat) {
            lobby?.notice = words
            return refuse(words)
        }
        if let table, table.isLocked, table.owner != me, destination.pass == nil {
            return askForPass(destination, isWrong: false)
        }
        move = .waiting(destination)
        ask(move.proceed(from: state))
        say(move)
    }

    private mutating func arrived(at table: String?) {
        guard case .granted(let destination) = move, destination.table == table else { return }
        move = .none
        // Behind the words about the table: newer lines hide older ones.
        for line in options.greeting?.split(separator: "\n") ?? [] where destination.isFirst {
            answer(SafeText(String(line), columns: 400))
        }
        if destination.isFirst, let rounds = options.match, state.snapshot?.match == nil { carryOut(.match(rounds)) }
        if destination.isFirst, counter.system != nil { answer(counter.announcement(wording.control("k", "count"))) }
        if lobby?.prompt == nil { leaveLobby() }
    }

    private mutating func refused(_ destination: TableMove.Destination, _ refusal: Refusal) {
        if !destination.isFirst || destination.watches { lines.refusals += 1 }
        switch refusal.code {
        case ErrorCode.wrongPass.rawValue:
            if destination.pass == pass?.phrase { pass = nil }
            askForPass(destination, isWrong: destination.pass != nil)
        case ErrorCode.noSuchTable.rawValue where destination.isFirst:
            if controls != .pipe {
                return enterLobby("There is no table '\(SafeText(destination.table, columns: 32))'.", isAsked: false)
            }
            // The rest of a pipe waits in vain.
            startAgain()
            send(.lobby(follow: nil), for: .choice)
        case _ where refusal.isLocal && destination.isFirst: startAgain()
        case _ where destination.isFirst && !destination.watches:
            go(to: .init(table: destination.table, watches: true, pass: destination.pass))
        // The refusal is said already; who has a seat, or takes it again, stays at the table.
        default:
            let isSeated = !state.seats.isEmpty || move != .none
            guard controls == .keys ? lobby != nil || !isSeated : state.snapshot == nil && !isSeated else { return }
            enterLobby(controls == .keys ? LinkNarrator.refusal(refusal) : nil, isAsked: true)
        }
    }

    private mutating func startAgain() { if stage == .playing { stage = .starting } }

    /// Follows an update of the client: the end of the session, a table that is shown or closes, a player who is sent away.
    mutating func follow(_ update: ClientUpdate, from old: ClientState) {
        switch update.event {
        case .link:
            guard case .ended(let reason) = state.link else { return }
            guard let fault = state.accountFault else { return fail("\(reason)") }
            end(Ending(status: 74, reason: "\(SafeText(fault, columns: 400)); --guest plays without an account"))
        case .refused(let refusal) where refusal.type == "login": if join == nil { fail(reason(of: refusal)) }
        case .refused(let refusal): lost(refusal)
        case .goodbye(GoodbyeCode.loggedOut.rawValue, _): end(leaving ?? Ending(status: 0))
        case .goodbye(GoodbyeCode.replaced.rawValue, _):
            fail("you logged in from another window, and the game continues there")
        case .goodbye where state.standings != nil && lines.waiting.isEmpty: showFinalStandings()
        case .goodbye(_, let message) where state.link.isEnded: fail("the server ended the session: \(message)")
        case .goodbye(GoodbyeCode.kicked.rawValue, let message) where controls != .pipe:
            move = .none
            let kept: SafeText = options.client.accounts == nil ? "" : " Your chips are kept."
            enterLobby(SafeText(message, columns: 400).stopped + kept, isAsked: false)
        case .shoe(.contradicted(let report, let fault)): effects.append(.store(report, fault, isNew: true))
        case .shoe(.evidence(let report, let fault)): effects.append(.store(report, fault, isNew: false))
        case .reply(_, .login(let login)): loggedIn(login)
        case .notice(let notice) where notice.kind == HostNotice.match:
            screen.past = nil
            show(.history)
            send(.standings(over: .match))
        case .table(let change):
            arrived(at: change.table)
            // Left within this hand, in another session: the seat is wanted again.
            if change.old == nil, case .sit = options.initialPlacement, state.player?.presence == .leaving, !isLeaving {
                send(.sit(table: change.table, seat: nil))
            }
            if controls != .pipe, change.new.phase == .closed, !move.isUnderway { closed(change) }
        case .reply(_, .sit) where options.isNamelessViewer && old.seats.isEmpty:
            answer("You are playing as a guest: seat and chips last as long as the connection. --name gives you an account.")
        default: break
        }
    }

    private mutating func closed(_ change: TableChange) {
        move = .none
        effects.append(.forgetTable)
        let wasSeated = change.old.map { !$0.seats(of: me).isEmpty } ?? false
        let isLast = tally.last?.table == change.table && tally.last?.number == change.new.round?.number
        // The list hides the table, and with it the last result. Without a screen it is printed already.
        let words = wording.closed(
            change.table, change.new.closing, last: controls == .keys && wasSeated && isLast ? tally.last?.net : nil,
            keepsChips: wasSeated && options.client.accounts != nil)
        // No table is left to choose.
        if controls == .lines, change.new.closing?.cause == .server { return print(words) }
        enterLobby(words, isAsked: false)
    }

    /// The table that was followed is refused after a reconnect: it is gone, or its pass phrase is another.
    private mutating func lost(_ refusal: Refusal) {
        guard ["sit", "watch"].contains(refusal.type), !move.isUnderway else { return }
        if case .granted = move { move = .none }
        guard controls != .pipe, let table = state.table else { return }
        switch refusal.code {
        case ErrorCode.noSuchTable.rawValue:
            effects.append(.forgetTable)
            enterLobby("The table \(SafeText(table, columns: 32)) is gone.", isAsked: false)
        case ErrorCode.wrongPass.rawValue:
            let isSitting = refusal.type == "sit"
            // A viewer stays one when a seat is refused.
            if !isSitting { effects.append(.forgetTable) }
            askForPass(.init(table: table, watches: !isSitting), isWrong: false)
        default: break
        }
    }

    // MARK: Lobby

    /// - Parameters:
    ///   - reason: why the player is there; nil where they know.
    ///   - isAsked: whether the player asked for it: else no key that was meant for a table chooses one.
    mutating func enterLobby(_ reason: SafeText?, isAsked: Bool) {
        guard controls != .keys else {
            lobby = lobby ?? LobbyView()
            lobby?.isChosen = isAsked || state.lobby.count == 1
            if let reason { lobby?.notice = reason }
            return
        }
        if let reason { print(reason) }
        let isLoggedIn = state.link == .loggedIn
        lines.awaitsList = !isLoggedIn || state.lobby.isEmpty
        // A session that named its table has no list so far.
        if !lines.awaitsList { print(state.lobby) } else if isLoggedIn { send(.lobby(follow: nil)) }
    }

    mutating func leaveLobby() { if controls == .keys { lobby = nil } }

    mutating func print(_ tables: [TableSummary]) {
        lines.awaitsList = false
        // Lines of one list.
        let limit = 40
        for table in tables.prefix(limit) { print(wording.summary(table)) }
        if tables.count > limit { print("\(tables.count - limit) more tables are not listed.") }
        if tables.isEmpty { print("There are no tables at the moment.") }
        if state.snapshot == nil, !tables.isEmpty { print("'sit TABLE' takes a seat, 'watch TABLE' watches.") }
    }

    /// Asks for the pass phrase of a table, and goes there with it.
    /// - Parameter isWrong: whether the last phrase was wrong.
    private mutating func askForPass(_ destination: TableMove.Destination, isWrong: Bool) {
        let table = SafeText(destination.table, columns: 32)
        guard controls != .pipe else {
            let reason: SafeText =
                isWrong
                ? "the pass phrase of the table \(table) is wrong"
                : "the table \(table) has a pass phrase: use --pass or BJ_PASS, or add it after the table's name"
            return leave(Ending(status: 77, reason: reason))
        }
        if isWrong { lines.wrongPhrases += 1 }
        if options.isCaller, lines.wrongPhrases == 3 { return leave(Ending(status: 77, reason: "Three wrong phrases.")) }
        var open = destination
        open.pass = nil
        lobby = lobby ?? LobbyView()
        lobby?.ask(for: open, isWrong: isWrong)
        guard controls == .lines else { return }
        if isWrong { print("Wrong pass phrase for \(table).") }
        effects.append(.echo(false))
        // Their own terminal echoes what they type.
        print("Pass phrase of \(table) (\(options.isCaller ? "shown as you type; " : "" as SafeText)empty line to cancel):")
    }
}

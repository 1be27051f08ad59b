import ClientCore
import ClientSession
import TableModel
import Wire

/// From the login to a table, between tables, and back to the list of tables.
extension TableSession {
    /// Whether a person reads: they get the list of tables where a script ends.
    var isInteractive: Bool { options.script == nil && terminal.isTyped }

    /// Whether the player has been shown the list of tables, and is at none.
    var isInLobby: Bool { hasChosen && state.link == .loggedIn && state.snapshot == nil && !isMoving }

    /// Whether the player is between two tables, or waits for the end of the hand.
    var isMoving: Bool { !move.isIdle || arriving != nil || isRestaking }

    /// After every login: follows the list of tables, and takes the first table.
    func loggedIn(_ login: LoginReply) {
        if login.table != nil || state.table != nil { hasChosen = true }
        // A view is not asked for again by the client itself: it was granted, and not shown.
        if let destination = arriving, destination.watches, state.table == nil {
            arriving = nil
            go(to: destination)
        }
        let destination = hasChosen ? nil : firstDestination
        awaitsChoice = !hasChosen && destination == nil && options.wish != .nothing
        if let destination {
            hasChosen = true
            go(to: destination)
        }
        if isInteractive || awaitsChoice { send(.lobby(follow: isInteractive ? true : nil)) }
    }

    /// The table that was named at the start.
    private var firstDestination: TableMove.Destination? {
        switch options.wish {
        case .sit(let table?, let seat):
            .init(table: table, seat: seat, pass: pass(of: table), isFirst: true)
        case .watch(let table?): .init(table: table, watches: true, pass: pass(of: table))
        case .sit(nil, _), .watch(nil), .nothing: nil
        }
    }

    /// Takes the only table, or shows the list of several.
    private func choose(_ tables: [TableSummary]) {
        guard tables.count == 1 else { return face?.enterLobby(nil, isAsked: true) ?? () }
        let (table, seat, watches): (String, Int?, Bool) =
            switch options.wish {
            case .sit(_, let seat): (tables[0].name, seat, false)
            case .watch, .nothing: (tables[0].name, nil, true)
            }
        go(to: .init(table: table, seat: seat, watches: watches, pass: pass(of: table), isFirst: true))
    }

    /// The pass phrase known for a table; nil for none.
    func pass(of table: String?) -> String? { passTable == nil || passTable == table ? pass : nil }

    /// Goes to a table, once the hand in play is over.
    func go(to destination: TableMove.Destination) {
        var destination = destination
        if destination.pass == nil { destination.pass = pass(of: destination.table) }
        let message = move.begin(destination, from: state)
        perform(message)
        if move.isIdle {
            face?.leaveLobby()
            face?.say(Sentence(.answer, "You are at \(SafeText(destination.table, columns: 32)) already."))
        }
        guard let awaited = move.awaited else { return }
        face?.leaveLobby()
        face?.say(Sentence(.answer, Wording.moving(to: awaited, from: state)))
    }

    /// Gives up a move that waits for the end of the hand.
    func stay() {
        if move.awaited != nil { move.cancel() }
    }

    /// Leaves the seat and takes it again: the server grants a new stake to a player without chips.
    func takeNewStake() {
        guard let table = state.table, !isMoving else { return }
        isRestaking = true
        send(.leave) { [weak self] result in
            guard case .success = result else {
                self?.isRestaking = false
                return
            }
            self?.send(.sit(table: table, seat: nil)) { self?.restaked($0, at: table) }
        }
    }

    private func restaked(_ result: Result<Reply, Refusal>, at table: String) {
        isRestaking = false
        switch result {
        case .success: arriving = .init(table: table)
        case .failure(let refusal): face?.enterLobby(hasScreen ? LinkNarrator.refusal(refusal) : nil, isAsked: false)
        }
    }

    /// Sends the next request of a move.
    func perform(_ message: ClientMessage?) {
        guard let message else { return }
        send(message) { [weak self] result in self?.moved(result) }
    }

    private func moved(_ result: Result<Reply, Refusal>) {
        switch move.answered(result) {
        case nil: break
        case .send(let message)?:
            // After a reconnect the former table is not taken again.
            client.forgetTable()
            perform(message)
        case .arrived(let destination)?:
            if destination.pass != nil { (pass, passTable) = (destination.pass, destination.table) }
            arriving = destination
            if state.snapshot != nil, state.table == destination.table { arrived() }
        case .refused(let destination, let refusal)?:
            refusedMove = refusal.id
            refused(destination, refusal)
        }
    }

    private func refused(_ destination: TableMove.Destination, _ refusal: Refusal) {
        let table = SafeText(destination.table, columns: 32)
        if !destination.isFirst || destination.watches { face?.moveRefused() }
        switch refusal.code {
        case ErrorCode.wrongPass.rawValue:
            if destination.pass == pass { (pass, passTable) = (nil, nil) }
            var open = destination
            open.pass = nil
            face?.askForPass(open, isWrong: destination.pass != nil)
        case ErrorCode.noSuchTable.rawValue where destination.isFirst:
            if isInteractive { return face?.enterLobby("There is no table '\(table)'.", isAsked: false) ?? () }
            // The rest of a script waits in vain.
            hasChosen = false
            listTablesAndEnd()
        case _ where refusal.isLocal && destination.isFirst: hasChosen = false
        case _ where destination.isFirst && !destination.watches:
            go(to: .init(table: destination.table, watches: true, pass: destination.pass))
        // Without a screen the refusal is printed already.
        default:
            guard hasScreen || state.snapshot == nil else { return }
            face?.enterLobby(hasScreen ? LinkNarrator.refusal(refusal) : nil, isAsked: true)
        }
    }

    private func listTablesAndEnd() {
        send(.lobby(follow: nil)) { [weak self] result in
            guard case .success(.lobby(_, _, let tables)) = result else { return }
            let names = tables.map { SafeText($0.name, columns: 32) }.joined()
            self?.leave(Ending(status: 69, reason: "no such table; tables: \(names)"))
        }
    }

    private func arrived() {
        arriving = nil
        face?.leaveLobby()
    }

    /// Follows an update of the client: a move that waits, a table that closes, a player who is sent away.
    func follow(_ update: ClientUpdate, from old: ClientState) {
        switch update.event {
        case .reply(_, .login(let login)): loggedIn(login)
        // Not in the request's completion: it may run before the update that has the list.
        case .reply(_, .lobby(_, _, let tables)) where awaitsChoice:
            (awaitsChoice, hasChosen) = (false, true)
            choose(tables)
        case .table(let change):
            if change.table == arriving?.table { arrived() }
            if isInteractive, change.new.phase == .closed, !move.isUnderway { closed(change) }
        case .reply(_, .sit) where options.isNamelessViewer && old.seats.isEmpty:
            face?.say(
                Sentence(.answer, "You play as a guest: seat and chips last as long as the connection. --name plays as you."))
        case .goodbye(GoodbyeCode.kicked.rawValue, let message): if isInteractive { sentAway(message) }
        case .refused(let refusal): lost(refusal)
        default: break
        }
        perform(move.proceed(from: state))
    }

    private func closed(_ change: TableChange) {
        move.cancel()
        client.forgetTable()
        let wasSeated = change.old.map { !$0.seats(of: state.login?.name ?? "").isEmpty } ?? false
        let keepsChips = wasSeated && options.accounts != nil
        let round = tally.rounds.first { $0.table == change.table && $0.round == change.new.round?.number }
        // The list hides the table, and with it the last result. Without a screen it is printed already.
        let words = Wording(suits: .symbols).closed(
            change.table, change.new.closing, last: hasScreen && wasSeated ? round?.net : nil, keepsChips: keepsChips)
        face?.enterLobby(words, isAsked: false)
    }

    private func sentAway(_ message: String) {
        move.cancel()
        let kept: SafeText = options.accounts == nil ? "" : " Your chips are kept."
        face?.enterLobby(SafeText(message, columns: 400).stopped + kept, isAsked: false)
    }

    /// The table that was followed is refused after a reconnect: it is gone, or its pass phrase is another.
    private func lost(_ refusal: Refusal) {
        // Its update may come behind the answer to the move, which is dealt with.
        guard refusal.id == nil || refusal.id != refusedMove else { return }
        guard isInteractive, !move.isUnderway, let table = state.table, ["sit", "watch", "resume"].contains(refusal.type)
        else { return }
        switch refusal.code {
        case ErrorCode.noSuchTable.rawValue:
            client.forgetTable()
            face?.enterLobby("The table \(SafeText(table, columns: 32)) is gone.", isAsked: false)
        case ErrorCode.wrongPass.rawValue:
            let isSitting = refusal.type == "sit"
            // A viewer stays one when a seat is refused.
            if !isSitting { client.forgetTable() }
            face?.askForPass(.init(table: table, watches: !isSitting), isWrong: pass(of: table) != nil)
        default: break
        }
    }
}

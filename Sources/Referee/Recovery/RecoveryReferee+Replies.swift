import TableModel
import Wire

/// Replies, and what they tell about an account.
extension RecoveryReferee {
    /// Takes a line of the server's.
    package mutating func received(_ line: UnsafeBufferPointer<UInt8>, by player: Int) {
        let message: ServerMessage
        do {
            message = try ServerMessage(line: line)
        } catch {
            return accuse(
                .lines, players[player].name, told: "a message of the protocol", came: String(decoding: line, as: UTF8.self))
        }
        received(message, by: player)
    }

    package mutating func received(_ message: ServerMessage, by player: Int) {
        switch message {
        case .hello(let hello):
            if let house, house != hello.house {
                accuse(.account, players[player].name, told: "house \(house)", came: hello.house)
            }
            house = hello.house
        case .ok(let id, let reply): answered(id, .ok(reply), by: player)
        case .error(let refusal): answered(refusal.id, .refused(refusal), by: player)
        case .snapshot(let table, let epoch, let revision, let snapshot, _):
            players[player].awaitsSnapshot = false
            players[player].view = .init(table: table, epoch: epoch, revision: revision, snapshot: snapshot)
            follow(player, isNext: false)
            confirmSeat(player)
        case .diff(let from, let to, let check, let difference):
            guard var view = players[player].view else { return }
            // Asked for before a snapshot came that has them already.
            if to <= view.revision, players[player].mayRepeatDiffs { return }
            guard view.revision == from, let next = try? view.snapshot.applying(difference) else {
                return accuse(
                    .lines, players[player].name, told: "revision \(view.revision)", came: "a diff from \(from) to \(to)")
            }
            (view.revision, view.snapshot) = (to, next)
            players[player].view = view
            if let check, check != next.check {
                accuse(.lines, players[player].name, told: "check value \(check)", came: "\(next.check)")
            }
            follow(player, isNext: to == from + 1)
        default: break
        }
    }

    private mutating func answered(_ id: RequestID?, _ answer: PlayerMemory.Answer, by player: Int) {
        guard let first = players[player].pending.first else {
            return accuse(.lines, players[player].name, told: "no request", came: answer.text(id))
        }
        players[player].pending.removeFirst()
        guard first.request.id == id else {
            return accuse(.lines, players[player].name, told: "request \(first.request.text)", came: answer.text(id))
        }
        if case .repeatAnswer(let known) = first.purpose {
            tally.repeats += 1
            guard known != answer else { return }
            return accuse(
                .answers, players[player].name, told: "\(known.text(id)) to \(first.request.text)", came: answer.text(id))
        }
        let isResent = players[player].unanswered.contains { $0.id == id && id != nil }
        players[player].unanswered.removeAll { $0.id == id && id != nil }
        let memory = players[player]
        players[player].remember(first.request, answer)
        guard case .ok(let reply) = answer, case .success(let message) = first.request.message else {
            if case .refused(let refusal) = answer, refusal.type == "login", !refusal.isRetryable || refusal.code == "name_taken"
            {
                accuse(.account, memory.name, told: "a login", came: refusal.code)
            }
            return
        }
        if case .sit(let table, _, let revision, _) = reply, isResent, memory.seating == nil, memory.view?.table != table {
            // Carried out now, it is followed by a snapshot; before this login, the login's reply has told what became of it.
            players[player].applied.append(revision)
            (players[player].isOpen, players[player].mayHaveSatDown) = (true, true)
            return
        }
        tell(reply, to: message, player)
        // One more seat does not make the others certain.
        let wasCertain = memory.seating?.isCertain ?? true
        if case .sit = message, isResent || !wasCertain { players[player].seating?.isCertain = false }
    }

    private mutating func tell(_ reply: Reply, to message: ClientMessage, _ player: Int) {
        switch reply {
        case .login(let login): loggedIn(login, player)
        case .watch: players[player].awaitsSnapshot = true
        case .resume(_, .snapshot, _): players[player].awaitsSnapshot = true
        // The diffs that follow apply to the table that this player had.
        case .resume(let table, _, _):
            players[player].mayRepeatDiffs = players[player].view != nil
            if players[player].view == nil, let last = players[player].lastView, last.table == table {
                players[player].view = last
            }
        case .sit(let table, let seat, let revision, let rebuy): satDown(player, table, seat, revision, rebuy: rebuy)
        case .applied(_, let revision):
            let epoch = revision.epoch ?? players[player].view?.epoch
            players[player].applied.append(TableRevision(revision.number, epoch: epoch))
            if players[player].applied.count > 8 { players[player].applied.removeFirst() }
            // A repeated answer tells of the past, and has its epoch.
            if message == .leave, revision.epoch == nil {
                players[player].seating?.ending = .certain
                players[player].lastEpoch = epoch
                players[player].view = nil
            }
        case .done("logout"):
            players[player].seating?.ending = .certain
            players[player].isLoggedIn = false
        default: break
        }
    }

    private mutating func satDown(_ player: Int, _ table: String, _ seat: Int, _ revision: TableRevision, rebuy: Int?) {
        players[player].applied.append(revision)
        // Repeated: login and snapshot have told what became of it.
        if let view = players[player].view, view.table == table, view.epoch != revision.epoch || view.revision >= revision.number
        {
            return
        }
        if let known = players[player].seating, known.table != table {
            accuse(.account, players[player].name, told: "a seat at \(known.table)", came: "a seat at \(table)")
        }
        let isShown = tables[table].map { $0.epoch == revision.epoch && $0.revision >= revision.number } ?? false
        if let rebuy {
            // A view of the others that came first may have been taken for one of the former seat, and not counted.
            let worth = players[player].worth
            let upper = isShown && worth.lowerBound >= rebuy ? worth.upperBound : worth.upperBound + rebuy
            players[player].worth = (isShown ? worth.lowerBound : worth.lowerBound + rebuy)...upper
        }
        players[player].isOpen = true
        let old = players[player].seating
        let isFresh = old.map { $0.ending == .certain } ?? true
        players[player].seating = .init(
            table: table, seats: isFresh ? [seat] : old?.seats.union([seat]) ?? [seat],
            ending: old?.ending == .possible ? .possible : .no)
    }

    private mutating func loggedIn(_ login: LoginReply, _ player: Int) {
        let memory = players[player]
        players[player].isLoggedIn = true
        players[player].mayHaveSatDown = false
        // It cannot come into effect any longer, and is not sent again.
        let hasLoggedOut = memory.open.contains(.logout)
        defer {
            mayBeUnseated[player] = isStopping
            if players[player].kick == .over { players[player].kick = .none }
            players[player].unanswered.removeAll { $0.type == "logout" }
        }
        if login.name != memory.name { accuse(.account, memory.name, told: memory.name, came: login.name) }
        guard let table = login.table else {
            if let seating = memory.seating, seating.isCertain, !memory.mayBeLeaving, !mayBeUnseated[player] {
                accuse(.account, memory.name, told: "seats \(seating.seats.sorted()) at \(seating.table)", came: "no seat")
            }
            let worth = possibleWorth(player)
            if !worth.contains(login.chips) {
                accuse(.chips, memory.name, told: "\(worth) chips", came: "\(login.chips)")
            }
            // Other players' bytes may still show it.
            players[player].formerSeating = memory.seating ?? memory.formerSeating
            players[player].seating = nil
            players[player].worth = login.chips...login.chips
            return
        }
        if login.chips != 0 { accuse(.chips, memory.name, told: "all chips at the table", came: "\(login.chips) in the account") }
        if memory.seating == nil, let former = memory.formerSeating, former.table == table, former.seats == Set(login.seats) {
            return
        }
        checkSeat(login, table, memory)
        players[player].isOpen = true
        players[player].seating = .init(
            table: table, seats: Set(login.seats), ending: hasLoggedOut || memory.mayBeLeaving ? .possible : .no, isCertain: false
        )
    }

    private mutating func checkSeat(_ login: LoginReply, _ table: String, _ memory: PlayerMemory) {
        let sits = memory.open.filter {
            guard case .sit(let wanted, _, _) = $0 else { return false }
            return wanted == nil || wanted == table
        }
        // A granted seat whose table was not shown before the connection ended.
        let most = sits.count + (memory.mayHaveSatDown ? 1 : 0)
        let seats = Set(login.seats)
        let old = memory.seating?.table == table ? memory.seating?.seats ?? [] : []
        let hasLeft = memory.mayBeLeaving
        let fits =
            hasLeft
            ? seats.count <= max(1, old.count) + most : seats.isSuperset(of: old) && seats.count <= old.count + most
        guard !fits || memory.seating != nil && memory.seating?.table != table && !hasLeft else { return }
        accuse(
            .account, memory.name, told: memory.seating.map { "seats \($0.seats.sorted()) at \($0.table)" } ?? "no seat",
            came: "seats \(login.seats) at \(table)")
    }
}

import Referee
import TableModel
import Wire

/// Judges a server across restarts by all that it told its players, never by its state. Inputs: requests, lines, connections lost, restarts;
/// output: findings. Requests without a reply may be carried out up to some point, in their order.
package struct RecoveryReferee: Sendable {
    /// The last table that anybody was shown, and whether the server was restarted since.
    struct TableMemory: Sendable {
        var epoch: String
        var revision: Int
        var snapshot: TableSnapshot
        var facts: TableFacts
        var referee: TableReferee
        var isFromBefore = false
        /// Players who may have acted after the last revision that was shown before the restart.
        var movers: Set<String> = []
        /// Whether the server was asked to stop since: the table may have been closed.
        var mayBeClosed = false
    }

    /// Comparisons made, for the report.
    package struct Tally: Equatable, Sendable {
        /// Tables compared across a restart, and those of them that were in the midst of a round.
        package var tables = 0
        package var hands = 0
        /// Requests that were sent again: those without an answer, and those with one.
        package var resent = 0
        package var repeats = 0
        /// Rounds that ended before anybody was shown their results: their chips have bounds only.
        package var unseenRounds = 0
        /// Rounds in the midst of which the server was killed, and that were seen to their end afterwards.
        package var finished = 0

        package init() {}
    }

    var players: [PlayerMemory]
    var tables: [String: TableMemory] = [:]
    /// The epochs of all tables of which anybody was shown a revision.
    var epochs: Set<String> = []
    /// The order in which the epochs of several servers began, as far as it is known.
    private var ages: [String: Int] = [:]
    /// The last of them, by table.
    private var newest: [String: String] = [:]
    /// Tables that have to finish the round in which the server was killed: its number.
    var interrupted: [String: Int] = [:]
    package internal(set) var findings: [RecoveryFinding] = []
    package internal(set) var tally = Tally()
    /// Whether the server was asked to stop since the player's last login, by player.
    var mayBeUnseated: [Bool]
    /// Whether this server was asked to stop.
    var isStopping = false
    let startingChips: Int
    /// Whether an account may go to another server, which knows no refusals, between any two connections, and lines may be late that another
    /// server passed on.
    package var hasSeveralServers = false
    /// Milliseconds on any clock that does not jump, set before each input.
    package var now: Int64 = 0
    /// The last turn that a table has asked, and the last one of a former round.
    private var turns: [String: (round: Int, former: Int, last: Int)] = [:]
    /// By table and player: when somebody whom the owner has sent away may come back, by ``now``.
    private var sentAway: [String: [String: ClosedRange<Int64>]] = [:]
    /// By table: when its server began, whose clock may show another time, by ``now``.
    private var clocks: [String: Int64] = [:]
    /// By player: when somebody was called back last, by ``now``.
    private var calledBack: [String: Int64] = [:]
    /// The identity that accounts belong to; nil before the first greeting.
    var house: String?

    /// - Parameter startingChips: chips of a new account, and after a rebuy.
    package init(players: [String], startingChips: Int) {
        self.players = players.map { PlayerMemory(name: $0, chips: startingChips) }
        mayBeUnseated = players.map { _ in false }
        self.startingChips = startingChips
    }

    // MARK: Inputs

    /// A request was sent that is new, or whose answer never came.
    package mutating func sent(_ request: Request, by player: Int) {
        if request.type == "login" { players[player].formerSeating = nil }
        if players[player].unanswered.contains(where: { $0.id == request.id && request.id != nil }) { tally.resent += 1 }
        if players[player].isFulfilled(request) { tally.repeats += 1 }
        let own = request
        let request = players[player].naming(request)
        players[player].pending.append(request)
        players[player].times.append(now)
        guard case .success(let message) = request.message else { return }
        if message.movesChips { mayMoveUnseen(player) }
        // A `watch` on its way may be refused: then it is about the table of the seat.
        let seated = own.table == nil ? players[player].seating?.table : nil
        for table in Set([request.table, seated].compactMap(\.self)) {
            players[player].ledger.sent(message, at: table, seats: seats(of: player))
        }
        if case .kick(let name, 1...) = message, let other = players.firstIndex(where: { $0.name == name }) { kicked(other) }
        if message == .logout { players[player].ledger.retract() }
        noteCalledBack(message)
    }

    /// A connection has ended, on whichever side. Its unread lines were read before.
    package mutating func disconnected(_ player: Int) {
        for sent in players[player].pending {
            guard case .success(let message) = sent.message else { continue }
            let isKept = message.changesSomething || message == .logout
            if case .login = message { continue }
            // A request in the other direction may have been undone and resent.
            if players[player].isFulfilled(sent), sent.type == "act" { continue }
            let isKnown = players[player].unanswered.contains { $0.id == sent.id }
            if isKept, !isKnown { players[player].unanswered.append(sent) }
        }
        (players[player].pending, players[player].times) = ([], [])
        if players[player].kick == .underWay {
            players[player].kick = .over
            players[player].ledger.retract()
        }
        (players[player].isLoggedIn, players[player].awaitsSnapshot) = (false, false)
        if let view = players[player].view {
            let isCurrent = tables[view.table].map { $0.epoch == view.epoch && !$0.isFromBefore } ?? false
            players[player].lastEpoch = isCurrent ? view.epoch : nil
        }
        players[player].lastView = players[player].view ?? players[player].lastView
        players[player].view = nil
        players[player].mayRepeatDiffs = false
    }

    /// The host may have removed a player: the seat is given up, once a hand in play has ended.
    package mutating func kicked(_ player: Int) {
        players[player].kick = .underWay
        players[player].ledger.retract()
        // The hand stands.
        mayMoveUnseen(player)
    }

    /// A player may act at tables of before a restart, of which nothing was shown since.
    private mutating func mayMoveUnseen(_ player: Int) {
        for (name, table) in tables where table.isFromBefore { tables[name]?.movers.insert(players[player].name) }
    }

    /// The server was asked to stop: it closes its tables.
    package mutating func stopping() {
        isStopping = true
        for player in players.indices { players[player].ledger.retract() }
        mayBeUnseated = mayBeUnseated.map { _ in true }
    }

    /// The server has ended, and every connection with it.
    package mutating func restarted() {
        for player in players.indices {
            disconnected(player)
            if isStopping { players[player].ledger.retract() }
            // The epoch of the next answer is not known before a table is shown.
            players[player].lastEpoch = nil
        }
        sentAway = [:]
        for name in tables.keys { setBefore(name) }
        isStopping = false
    }

    /// One of several servers has ended. Its lines may still be on their way by another one, and connections to it end one by one.
    /// - Parameter lost: its tables.
    package mutating func restarted(_ lost: Set<String>) {
        let epochs = Set(lost.compactMap { tables[$0]?.epoch })
        for player in players.indices where players[player].lastEpoch.map(epochs.contains) ?? false {
            players[player].lastEpoch = nil
        }
        for name in lost {
            setBefore(name)
            sentAway[name] = nil
        }
    }

    /// One of several servers has begun, after all before it, whose lines may come later all the same.
    /// - Parameter epochs: by table.
    package mutating func began(_ epochs: [String: String]) {
        for (table, epoch) in epochs {
            (ages[epoch], newest[table], sentAway[table], clocks[table]) = (ages.count, epoch, nil, now)
        }
    }

    private mutating func setBefore(_ name: String) {
        guard let table = tables[name] else { return }
        let movers = players.filter { $0.mayHaveMoved(after: table.revision, inEpoch: table.epoch) }
        tables[name]?.movers.formUnion(movers.map(\.name))
        tables[name]?.isFromBefore = true
        if isStopping { tables[name]?.mayBeClosed = true }
        if table.facts.isInRound { interrupted[name] = table.facts.round } else { interrupted[name] = nil }
    }

    // MARK: Questions

    /// Whether the player was shown with a hand: the account lasts.
    package func hasPlayed(_ player: Int) -> Bool { players[player].hasPlayed }

    /// Requests that have been carried out, and change nothing when they come again.
    package func fulfilled(by player: Int) -> [Request] {
        let memory = players[player]
        return memory.fulfilled.filter { request in !(memory.unanswered + memory.pending).contains { $0.replaces(request) } }
    }

    /// Requests of earlier connections without a reply, oldest first, the newest of each kind.
    package func unanswered(by player: Int) -> [Request] { players[player].wanted }

    /// Whether every request has its reply.
    package func isAnswered(_ player: Int) -> Bool { players[player].pending.isEmpty }

    /// Whether a table was promised and has not come.
    package func awaitsSnapshot(_ player: Int) -> Bool { players[player].awaitsSnapshot }

    /// Whether the table that a player is shown goes on.
    package func isWatching(_ player: Int) -> Bool { players[player].view != nil && !players[player].mayWatchNothing }

    package func isLoggedIn(_ player: Int) -> Bool { players[player].isLoggedIn }

    /// The table that a player is shown; nil before a snapshot.
    package func shown(to player: Int) -> TableSnapshot? { players[player].view?.snapshot }

    /// The same with its name, epoch and revision.
    package func place(of player: Int) -> (table: String, epoch: String, revision: Int)? {
        players[player].view.map { ($0.table, $0.epoch, $0.revision) }
    }

    package func seats(of player: Int) -> Set<Int> { players[player].seating?.seats ?? [] }

    /// Whether a table has to finish the round in which the server was killed.
    package var awaitsRounds: Bool { !interrupted.isEmpty }

    /// Notes a shoe that a player found not to be honest.
    package mutating func accuseShoe(_ player: Int, _ fault: String) {
        accuse(.game, players[player].name, told: "commitments, lists and orders of shoes", came: fault)
    }

    mutating func accuse(_ promise: RecoveryFinding.Promise, _ player: String, told: String, came: String) {
        findings.append(RecoveryFinding(promise, player, told: told, came: came))
    }

    mutating func endInterrupted(_ table: String, isSeen: Bool) {
        guard interrupted.removeValue(forKey: table) != nil, isSeen else { return }
        tally.finished += 1
    }

    // MARK: Replies

    // Replies, and what they tell about an account.

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
            (players[player].awaitsSnapshot, players[player].mayWatchNothing) = (false, false)
            players[player].view = .init(table: table, epoch: epoch, revision: revision, snapshot: snapshot)
            follow(player, isNext: false)
            players[player].see(.init(number: revision, epoch: epoch))
            confirmSeat(player)
        case .diff(let from, let to, let check, let difference, _):
            guard var view = players[player].view else { return }
            // Asked for before a snapshot came that has them already.
            if to <= view.revision, players[player].mayRepeatDiffs { return }
            guard view.revision == from, let next = try? view.snapshot.applying(difference) else {
                return accuse(
                    .lines, players[player].name, told: "revision \(view.revision)", came: "a diff from \(from) to \(to)")
            }
            (view.revision, view.snapshot) = (to, next)
            players[player].mayWatchNothing = false
            players[player].view = view
            if let check, check != next.check {
                accuse(.lines, players[player].name, told: "check value \(check)", came: "\(next.check)")
            }
            follow(player, isNext: to == from + 1)
        // Says nothing that a restart could lose.
        default: break
        }
    }

    private mutating func answered(_ id: RequestID?, _ answer: PlayerMemory.Answer, by player: Int) {
        guard let first = players[player].pending.first else {
            return accuse(.lines, players[player].name, told: "no request", came: answer.text(id))
        }
        players[player].pending.removeFirst()
        let time = players[player].times.removeFirst()
        guard first.id == id else {
            return accuse(.lines, players[player].name, told: "request \(first.text)", came: answer.text(id))
        }
        let isResent = players[player].unanswered.contains { $0.id == id && id != nil }
        players[player].unanswered.removeAll { $0.id == id && id != nil }
        if case .success(let message) = first.message {
            noteCalledBack(message)
            if case .kick(let name, 1...) = message, case .ok = answer,
                let other = players.firstIndex(where: { $0.name == name })
            {
                players[other].ledger.retract()
            }
        }
        // Requests that are sent again come behind the way in.
        defer { if first.type != "watch", first.type != "sit" { settle(player) } }
        let memory = players[player]
        guard case .ok(let reply) = answer, case .success(let message) = first.message else {
            // It may have had its effect when it was sent before; without a table the login has told it.
            if isResent, let shown = memory.caughtUp, case .success(let message) = first.message {
                players[player].remember(message, shown)
            }
            guard case .refused(let refusal) = answer else { return }
            if hasSeveralServers, first.type == "sit" || first.type == "watch" { players[player].mayWatchNothing = true }
            noteSentAway(refusal, first, since: time, player)
            let expected: [ErrorCode?] = [.wrongOwner, .draining, .serverFull]
            let isRight = refusal.kind == .again || expected.contains(ErrorCode(rawValue: refusal.code))
            if refusal.type == "login", !isRight { accuse(.account, memory.name, told: "a login", came: refusal.code) }
            return
        }
        if case .sit(let table, _, let catchUp, _) = reply, isResent, memory.seating == nil, memory.view?.table != table {
            // Carried out now, it is followed by a snapshot; before this login, the login's reply has told what became of it.
            players[player].remember(message, PlayerMemory.TableRevision(number: catchUp.revision, epoch: catchUp.epoch))
            players[player].granted = table
            return
        }
        if message.changesSomething || message.mayNameTable || message == .logout { players[player].fulfill(first) }
        noteEffect(message, reply, at: first.table, player)
        tell(reply, to: message, at: first.table, player)
        // One more seat does not make the others certain.
        let wasCertain = memory.seating?.isCertain ?? true
        if case .sit = message, isResent || !wasCertain { players[player].seating?.isCertain = false }
    }

    /// Once a player is shown the table again and has every answer, requests of earlier connections have had their effect, or have none.
    private mutating func settle(_ player: Int) {
        let memory = players[player]
        guard memory.pending.isEmpty, memory.isLoggedIn, memory.view != nil, !memory.awaitsSnapshot else { return }
        for case .success(let message) in memory.unanswered.map(\.message) { noteCalledBack(message) }
        players[player].unanswered = []
    }

    private mutating func tell(_ reply: Reply, to message: ClientMessage, at table: String?, _ player: Int) {
        switch reply {
        case .login(let login): loggedIn(login, player)
        case .watch(let table, let catchUp):
            let shown = PlayerMemory.TableRevision(number: catchUp.revision, epoch: catchUp.epoch)
            players[player].caughtUp = shown
            players[player].see(shown)
            // Changes since then follow, or a snapshot where it is shorter.
            guard case .watch(_, _, let known) = message, known.epoch == catchUp.epoch, known.revision != nil else {
                players[player].awaitsSnapshot = true
                return
            }
            players[player].mayRepeatDiffs = players[player].view != nil
            if players[player].view == nil, let last = players[player].lastView, last.table == table {
                players[player].view = last
            }
        case .sit(let table, let seat, let catchUp, let rebuy):
            let revision = PlayerMemory.TableRevision(number: catchUp.revision, epoch: catchUp.epoch)
            players[player].caughtUp = revision
            players[player].remember(message, revision)
            sentAway[table]?[players[player].name] = nil
            satDown(player, table, seat, revision, rebuy: rebuy)
        case .applied(_, let revision):
            // Without a view the revision is any later one of the table.
            let told = revisionOf(revision ?? .max, at: players[player].seating?.table, player)
            if message.movesChips, message != .leave || revision != nil { players[player].remember(message, told) }
            // Of another table: the player was not there.
            let isHere = table == nil || table == players[player].view?.table ?? players[player].seating?.table
            if message == .leave, isHere {
                players[player].seating?.ending = .certain
                players[player].lastEpoch = told.epoch
                players[player].lastView = players[player].view ?? players[player].lastView
                players[player].view = nil
            }
        case .done("logout"):
            players[player].seating?.ending = .certain
            players[player].isLoggedIn = false
            players[player].ledger.retract()
        default: break
        }
    }

    /// A revision of a table, as the player or anybody else was shown it last.
    private func revisionOf(_ number: Int, at table: String?, _ player: Int) -> PlayerMemory.TableRevision {
        let others = table.flatMap { tables[$0] }.flatMap { $0.isFromBefore ? nil : $0.epoch }
        return .init(number: number, epoch: players[player].view?.epoch ?? players[player].lastEpoch ?? others)
    }

    private mutating func satDown(
        _ player: Int, _ table: String, _ seat: Int, _ revision: PlayerMemory.TableRevision, rebuy: Int?
    ) {
        // Repeated: login and snapshot have told what became of it.
        if let view = players[player].view, view.table == table, view.epoch != revision.epoch || view.revision >= revision.number
        {
            let own = TableFacts(view.snapshot).seats(of: players[player].name)
            if players[player].seating == nil, own.contains(seat) {
                players[player].seating = .init(table: table, seats: own, isCertain: false)
            }
            return
        }
        // A seat that was given up may not have been shown free since.
        if let known = players[player].seating, known.table != table, known.ending == .no {
            accuse(.account, players[player].name, told: "a seat at \(known.table)", came: "a seat at \(table)")
        }
        let isShown = tables[table].map { $0.epoch == revision.epoch && $0.revision >= revision.number } ?? false
        if let rebuy {
            // A view of the others that came first may have been taken for one of the former seat, and not counted.
            let worth = players[player].worth
            let upper = isShown && worth.lowerBound >= rebuy ? worth.upperBound : worth.upperBound + rebuy
            players[player].worth = (isShown ? worth.lowerBound : worth.lowerBound + rebuy)...upper
        }
        let old = players[player].seating
        let here = old?.table == table ? old : nil
        let hasLeft = here?.ending == .certain
        let kept = (hasLeft ? here?.seats : here?.kept) ?? []
        players[player].seating = .init(
            table: table, seats: hasLeft ? [seat] : here?.seats.union([seat]) ?? [seat],
            ending: old?.ending == .possible ? .possible : .no, kept: kept, isCertain: kept.isEmpty)
    }

    private mutating func loggedIn(_ login: LoginReply, _ player: Int) {
        let memory = players[player]
        players[player].isLoggedIn = true
        players[player].granted = nil
        players[player].caughtUp = nil
        // It cannot come into effect any longer, and is not sent again.
        let hasLoggedOut = memory.open.contains(.logout)
        defer {
            mayBeUnseated[player] = isStopping
            let isSentAway = players.contains { $0.open.contains(.kick(player: memory.name)) }
            if players[player].kick == .over, !isSentAway { players[player].kick = .none }
            players[player].unanswered.removeAll { $0.type == "logout" }
        }
        if login.name != memory.name { accuse(.account, memory.name, told: memory.name, came: login.name) }
        guard let table = login.table else {
            if let seating = memory.seating, seating.isCertain, !memory.mayBeLeaving, !mayBeUnseated[player],
                !mayBeBroke(player, at: tables[seating.table])
            {
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
        // A later `sit` has been carried out.
        if memory.mayBeSitting { players[player].answers.removeAll { $0.message == .leave } }
        if login.chips != 0 { accuse(.chips, memory.name, told: "all chips at the table", came: "\(login.chips) in the account") }
        if memory.seating == nil, let former = memory.formerSeating, former.table == table, former.seats == Set(login.seats) {
            return
        }
        checkSeat(login, table, memory)
        players[player].seating = .init(
            table: table, seats: Set(login.seats), ending: hasLoggedOut || memory.mayBeLeaving ? .possible : .no, isCertain: false
        )
    }

    private mutating func checkSeat(_ login: LoginReply, _ table: String, _ memory: PlayerMemory) {
        let sits = memory.open.filter {
            guard case .sit(let wanted, _, _, _) = $0 else { return false }
            return wanted == nil || wanted == table
        }
        // A granted seat whose table was not shown before the connection ended.
        let most = sits.count + (memory.granted == nil ? 0 : 1)
        let seats = Set(login.seats)
        let old = memory.seating?.table == table ? memory.seating?.seats ?? [] : []
        let hasLeft = memory.mayBeLeaving
        let fresh = seats.subtracting(memory.seating?.kept ?? []).count
        let fits =
            hasLeft
            ? fresh <= max(1, old.count) + most
            : seats.isSuperset(of: old) && fresh <= old.count + most
        guard !fits || memory.seating != nil && memory.seating?.table != table && !hasLeft else { return }
        accuse(
            .account, memory.name, told: memory.seating.map { "seats \($0.seats.sorted()) at \($0.table)" } ?? "no seat",
            came: "seats \(login.seats) at \(table)")
    }

    // MARK: Second effects

    /// A request was answered with `ok`.
    private mutating func noteEffect(_ message: ClientMessage, _ reply: Reply, at table: String?, _ player: Int) {
        guard let table, case .applied(_, let revision) = reply else { return }
        let view = players[player].view
        let told = revision.flatMap { number in view.map { ($0.epoch, number) } }
        let second = players[player].ledger.carriedOut(
            message, at: table, seats: seats(of: player), told,
            later: players[player].pending.compactMap { try? $0.message.get() })
        if let second { accuse(.effects, players[player].name, told: second, came: "ok") }
    }

    /// A player may have been let back and sent away again.
    private mutating func noteCalledBack(_ message: ClientMessage) {
        guard case .kick(let name, 0) = message else { return }
        calledBack[name] = now
        for table in sentAway.keys { sentAway[table]?[name] = nil }
    }

    /// Milliseconds by which the time of a tick may lie before a request that it answers: its thread may have stood still.
    private static let lag: Int64 = 3000

    /// A refusal says how long the owner of a table has sent somebody away: however often the owner says so, the end stays.
    /// - Parameter time: when it was asked for.
    private mutating func noteSentAway(_ refusal: Refusal, _ request: Request, since time: Int64, _ player: Int) {
        let name = players[player].name
        guard refusal.code == ErrorCode.sentAway.rawValue, let wait = refusal.retryAfter.map(Int64.init),
            case .success(.sit(let table?, _, _, _)) = request.message
        else { return }
        // A line may be late, and be of before a call or of the server before.
        let isCalled = players.contains { $0.open.contains(.kick(player: name, minutes: 0)) }
        guard !isCalled, calledBack[name] ?? .min < time, clocks[table] ?? .min < time else { return }
        let end = time - Self.lag + wait...now + wait + 1
        let known = sentAway[table]?[name].flatMap { $0.lowerBound > now ? $0 : nil }
        sentAway[table, default: [:]][name] = known?.overlaps(end) == true ? known?.clamped(to: end) : end
        if let known, !known.overlaps(end) {
            accuse(.effects, name, told: "sent away from \(table) for \(known.upperBound - now) ms more", came: "\(wait) ms")
        }
    }

    /// Holds the seats of players against what they sent.
    private mutating func judgeRequests(_ facts: TableFacts, _ view: PlayerMemory.View, since old: TableFacts?) {
        let isAnew = old.map { facts.round < $0.round } ?? false
        var turn = (isAnew ? nil : turns[view.table]) ?? (round: facts.round, former: 0, last: 0)
        if turn.round != facts.round { turn = (facts.round, turn.last, turn.last) }
        turn.last = max(turn.last, facts.seats.compactMap { $0.choice?.turn }.max() ?? 0)
        turns[view.table] = turn
        for index in players.indices {
            if isAnew {
                players[index].ledger.forget(view.table)
                players[index].fulfilled.removeAll { $0.table == view.table }
                // Sent since, before it was shown.
                for sent in players[index].pending where sent.table == view.table {
                    guard case .success(let message) = sent.message else { continue }
                    players[index].ledger.sent(message, at: view.table, seats: seats(of: index))
                }
            }
            // Its bets have gone back.
            if facts.phase == .closed { players[index].ledger.forget(view.table) }
            let isStrict = !hasSeveralServers && view.snapshot.closing == nil && !isStopping
            for seat in facts.seats(of: players[index].name) {
                // The hand of somebody who has left lies there until the results go.
                if facts.phase == .settled, old?.isInRound != true || old?.seats[seat].player?.name != players[index].name {
                    continue
                }
                let found = players[index].ledger.contradictions(
                    facts, seat: seat, view, since: turn.former, isStrict: isStrict)
                for (told, came) in found { accuse(.effects, players[index].name, told: told, came: came) }
            }
        }
    }

    // MARK: Tables

    // Tables: each revision against the last one that anybody was shown.

    /// Judges the table that a player was just shown.
    mutating func follow(_ player: Int, isNext: Bool) {
        guard let view = players[player].view else { return }
        let new = TableFacts(view.snapshot)
        let isOfSameEpoch = tables[view.table]?.epoch == view.epoch
        guard var memory = tables[view.table] else {
            var referee = TableReferee()
            note(referee.judge(new), view.table, new)
            keep(view, new, referee)
            countChips(of: view, since: nil, new)
            return
        }
        if hasSeveralServers, !isOfSameEpoch, epochs.contains(view.epoch) || isKnown(view.epoch, before: memory.epoch) { return }
        if isOfSameEpoch {
            guard view.revision > memory.revision else {
                if view.revision == memory.revision, view.snapshot != memory.snapshot {
                    accuse(
                        .table, players[player].name, told: "another revision \(view.revision) of \(view.table)", came: "\(new)")
                }
                return
            }
            if view.revision != memory.revision + 1 { memory.referee.lookAway() }
            note(memory.referee.judge(new), view.table, new)
            end(memory, new, view.table)
        } else {
            restore(&memory, new, view, player)
        }
        keep(view, new, memory.referee)
        if memory.isFromBefore, isOfSameEpoch || newest[view.table].map({ isKnown(view.epoch, before: $0) }) ?? false {
            tables[view.table]?.movers = memory.movers
            tables[view.table]?.mayBeClosed = memory.mayBeClosed
            setBefore(view.table)
        }
        countChips(of: view, since: memory, new)
    }

    /// Whether an epoch is known to have begun before another one.
    private func isKnown(_ epoch: String, before other: String) -> Bool {
        guard let age = ages[epoch], let otherAge = ages[other] else { return false }
        return age < otherAge
    }

    private mutating func keep(_ view: PlayerMemory.View, _ facts: TableFacts, _ referee: TableReferee) {
        epochs.insert(view.epoch)
        tables[view.table] = TableMemory(
            epoch: view.epoch, revision: view.revision, snapshot: view.snapshot, facts: facts, referee: referee)
    }

    private mutating func note(_ found: [TableReferee.Finding], _ table: String, _ facts: TableFacts) {
        for finding in found {
            accuse(.game, table, told: "\(finding.law.rawValue), round \(facts.round)", came: finding.detail)
        }
    }

    /// Whether an interrupted round has ended before everybody's eyes.
    private mutating func end(_ memory: TableMemory, _ new: TableFacts, _ table: String) {
        guard let round = interrupted[table] else { return }
        if new.round != round || !new.isInRound {
            endInterrupted(table, isSeen: new.round == round && new.phase == .settled)
        }
    }

    private mutating func restore(_ memory: inout TableMemory, _ new: TableFacts, _ view: PlayerMemory.View, _ player: Int) {
        guard memory.isFromBefore else {
            return accuse(
                .table, players[player].name, told: "epoch \(memory.epoch) of \(view.table)", came: "epoch \(view.epoch)")
        }
        tally.tables += 1
        let isNew = new.round < memory.facts.round || new.shoe.number < memory.facts.shoe.number
        let wasClosing = memory.snapshot.closing != nil
        if isStopping, new.phase == .closed || view.snapshot.closing != nil && !new.isInRound {
            // Nobody was shown it between its start and the stop, which may have made its round void.
            interrupted[view.table] = nil
            memory.referee = TableReferee()
            return
        }
        if memory.mayBeClosed, isNew || wasClosing || memory.facts.round == 0 || new.round == 0 {
            if new.round > 0, wasClosing {
                accuse(.table, view.table, told: "that it closes", came: "round \(new.round), \(new.phase)")
            }
            // A table that was closed for the stop, and opened again.
            interrupted[view.table] = nil
            memory.referee = TableReferee()
            note(memory.referee.judge(new), view.table, new)
            return
        }
        if memory.facts.isInRound { tally.hands += 1 }
        let restored = RestoredTable(told: memory.facts, came: new, movers: memory.movers)
        let shoes = RestoredShoes(told: memory.snapshot, came: view.snapshot)
        for (told, came) in restored.contradictions + shoes.contradictions {
            accuse(.table, view.table, told: told, came: came)
        }
        let isPast = memory.facts.isInRound && (new.round != memory.facts.round || !new.isInRound && new.phase != .settled)
        if isPast || new.round > memory.facts.round + 1 { tally.unseenRounds += 1 }
        // A player who got up and sat down again unseen may have new chips: `newcomer` judges those.
        let haveMoved =
            memory.movers.contains { name in new.seats.contains { $0.player?.name == name } }
            || players.contains { player in
                player.mayBeSitting || player.mayBeLeaving || player.applied.contains { $0.epoch == view.epoch }
            }
        note(memory.referee.judgeRestored(new).filter { !haveMoved || $0.law != .chips }, view.table, new)
        end(memory, new, view.table)
    }

    // MARK: Chips

    /// Chips that a player may have, by everything told: exact, except where a result may be unseen.
    func possibleWorth(_ player: Int) -> ClosedRange<Int> {
        let memory = players[player]
        var worth = memory.worth
        if let seating = memory.seating, let table = tables[seating.table], let wealth = table.facts.wealth(of: memory.name) {
            let sum = wealth.chips + wealth.open
            let hasMoved = memory.mayHaveMoved(after: table.revision, inEpoch: table.epoch)
            let unseen = memory.unseenBets(after: table.revision, inEpoch: table.epoch, shown: epochs)
            let stake = hasMoved ? memory.stake(wealth.open) + unseen : wealth.open
            worth = sum - stake...sum + 2 * stake
        }
        guard memory.mayBeSitting, memory.seating == nil || memory.mayBeLeaving || mayBeUnseated[player] else { return worth }
        // A seat taken and given up unseen may have brought new chips.
        return worth.lowerBound...max(worth.upperBound, startingChips)
    }

    /// Whether the player's chips may cover no bet: such a player loses the seat after ten rounds, of which each may be unseen.
    private func mayBeBroke(_ player: Int, at table: TableMemory?) -> Bool {
        let memory = players[player]
        guard let table, let minimum = table.snapshot.rules?.minimumBet, let wealth = table.facts.wealth(of: memory.name) else {
            return false
        }
        let unseen = memory.unseenBets(after: table.revision, inEpoch: table.epoch, shown: epochs)
        return wealth.chips - unseen < minimum
    }

    /// Follows what each player has, at the table and beyond.
    private mutating func countChips(of view: PlayerMemory.View, since old: TableMemory?, _ new: TableFacts) {
        judgeRequests(new, view, since: old?.facts)
        for index in players.indices {
            let memory = players[index]
            let own = new.seats(of: memory.name)
            if let wealth = new.wealth(of: memory.name) {
                if new.isInRound, own.contains(where: { !new.seats[$0].hands.isEmpty }) { players[index].hasPlayed = true }
                let sum = wealth.chips + wealth.open
                if memory.seating == nil {
                    let wasShown = old.map { !$0.facts.seats(of: memory.name).isDisjoint(with: own) } ?? false
                    if mayBePast(view, own, memory, wasShown: wasShown && (old?.epoch == view.epoch || memory.mayBeLeaving)) {
                        continue
                    }
                    newcomer(index, sum, own, view)
                }
                if let last = memory.answers.last, last.message == .leave, last.revision.epoch == view.epoch,
                    view.revision >= last.revision.number, !memory.mayBeSitting,
                    own.contains(where: { new.seats[$0].player?.presence == .here })
                {
                    let told = "no seat at revision \(last.revision.number)"
                    accuse(.account, memory.name, told: told, came: "seats \(own.sorted())")
                }
                if memory.seating?.ending == .possible, memory.open.isEmpty, !memory.isAhead(of: view),
                    !own.contains(where: { new.seats[$0].player?.presence == .leaving })
                {
                    players[index].seating = .init(table: view.table, seats: own, isCertain: false)
                }
                players[index].worth = sum...sum
                if memory.seating?.table == view.table, memory.open.isEmpty || !own.isSuperset(of: memory.seating?.seats ?? []) {
                    seen(index, own, view)
                }
                if let mine = memory.view, (mine.table, mine.epoch) == (view.table, view.epoch), mine.revision >= view.revision,
                    players[index].seating?.seats == own
                {
                    players[index].seating?.isCertain = true
                }
            } else if let seating = memory.seating, seating.table == view.table, let old {
                vanished(index, seating, old, new, view)
            }
        }
    }

    /// Whether a view with a player's seat may be older than the login that told of none: others' bytes may come late.
    /// - Parameter wasShown: whether the last table shown before it has the seat.
    private func mayBePast(_ view: PlayerMemory.View, _ own: Set<Int>, _ memory: PlayerMemory, wasShown: Bool) -> Bool {
        // The player's own view came after the login on the same connection.
        if let mine = memory.view, (mine.table, mine.epoch) == (view.table, view.epoch), mine.revision >= view.revision {
            return false
        }
        let wasTold = memory.formerSeating.map { $0.table == view.table && !$0.seats.isDisjoint(with: own) } ?? false
        return wasShown || wasTold || memory.isAhead(of: view)
    }

    private mutating func newcomer(_ index: Int, _ sum: Int, _ own: Set<Int>, _ view: PlayerMemory.View) {
        let memory = players[index]
        guard memory.mayBeSitting else {
            return accuse(.account, memory.name, told: "no seat", came: "seats \(own.sorted()) at \(view.table)")
        }
        let minimum = view.snapshot.rules?.minimumBet ?? 0
        let isRebuy = memory.worth.lowerBound < minimum && sum == max(startingChips, minimum)
        if !memory.worth.contains(sum), !isRebuy {
            accuse(.chips, memory.name, told: "\(memory.worth) chips", came: "\(sum) at \(view.table)")
        }
        players[index].seating = .init(table: view.table, seats: own, isCertain: false)
    }

    /// The player's own view decides whether a `sit` that was sent again has been carried out; others may have shown its revision before.
    mutating func confirmSeat(_ index: Int) {
        let memory = players[index]
        guard memory.granted != nil else { return }
        if let view = memory.view, memory.seating == nil {
            let facts = TableFacts(view.snapshot)
            if let wealth = facts.wealth(of: memory.name) {
                let sum = wealth.chips + wealth.open
                newcomer(index, sum, facts.seats(of: memory.name), view)
                players[index].worth = sum...sum
            }
        }
        players[index].granted = nil
    }

    /// Checks that the table shows the player's seats.
    private mutating func seen(_ index: Int, _ own: Set<Int>, _ view: PlayerMemory.View) {
        let memory = players[index]
        guard let seating = memory.seating, !memory.mayBeLeaving, !memory.mayBeSitting, own != seating.seats,
            !memory.isAhead(of: view)
        else { return }
        if seating.isCertain {
            accuse(
                .account, memory.name, told: "seats \(seating.seats.sorted()) at \(seating.table)", came: "seats \(own.sorted())")
        }
        players[index].seating?.seats = own
    }

    /// A player's seat is no longer shown: they have left, with what is theirs.
    private mutating func vanished(
        _ index: Int, _ seating: PlayerMemory.Seating, _ old: TableMemory, _ new: TableFacts, _ view: PlayerMemory.View
    ) {
        let memory = players[index]
        // The reply to the sit may come before the revision that shows it.
        guard !memory.isAhead(of: view) else { return }
        if seating.isCertain, !memory.mayBeLeaving, !mayBeUnseated[index], new.phase != .closed, !mayBeBroke(index, at: old) {
            accuse(.account, memory.name, told: "seats \(seating.seats.sorted()) at \(seating.table)", came: "nobody there")
        }
        if let wealth = old.facts.wealth(of: memory.name) {
            let sum = wealth.chips + wealth.open
            // An unseen bet or insurance may also have won or lost.
            let shown = epochs.subtracting([view.epoch])
            let unseen = memory.unseenBets(after: old.revision, inEpoch: old.epoch, shown: shown)
            let hasActed = memory.mayHaveActed(after: old.revision, inEpoch: old.epoch, shown: shown)
            let mayBeInsured = old.facts.phase != .playing && hasActed
            if unseen == 0, !mayBeInsured, let gain = new.gain(of: old.facts.seats(of: memory.name), since: old.facts) {
                players[index].worth = sum + gain...sum + gain
            } else {
                let stake = memory.stake(wealth.open) + unseen
                players[index].worth = sum - stake...sum + 2 * stake
            }
        }
        // A sit whose answer was lost may have brought new chips, and is refused when it is sent again.
        let minimum = view.snapshot.rules?.minimumBet ?? 0
        if memory.mayBeSitting, players[index].worth.lowerBound < minimum {
            let worth = players[index].worth
            players[index].worth = worth.lowerBound...max(worth.upperBound, startingChips, minimum)
        }
        guard seating.isCertain || memory.mayBeLeaving || mayBeUnseated[index] else { return }
        players[index].formerSeating = seating
        players[index].seating = nil
    }
}

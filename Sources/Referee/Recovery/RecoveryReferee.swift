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
        /// Repeated answers that were compared.
        package var repeats = 0
        /// Requests without an answer that were sent again.
        package var resent = 0
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
    /// Tables that have to finish the round in which the server was killed: its number.
    var interrupted: [String: Int] = [:]
    package internal(set) var findings: [RecoveryFinding] = []
    package internal(set) var tally = Tally()
    /// Whether the server was asked to stop since the player's last login, by player.
    var mayBeUnseated: [Bool]
    /// Whether this server was asked to stop.
    var isStopping = false
    let startingChips: Int
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
        players[player].pending.append(.init(request: request, purpose: .carryOut))
    }

    /// An answered request was sent again.
    package mutating func repeated(_ request: Request, by player: Int) {
        guard let known = players[player].answers.first(where: { $0.request.id == request.id }) else {
            return sent(request, by: player)
        }
        players[player].pending.append(.init(request: request, purpose: .repeatAnswer(known.answer)))
    }

    /// A connection has ended, on whichever side. Its unread lines were read before.
    package mutating func disconnected(_ player: Int) {
        for sent in players[player].pending {
            guard case .carryOut = sent.purpose, case .success(let message) = sent.request.message else { continue }
            let isKept = message.changesSomething || message == .logout
            if case .login = message { continue }
            let isKnown = players[player].unanswered.contains { $0.id == sent.request.id }
            if isKept, !isKnown { players[player].unanswered.append(sent.request) }
        }
        players[player].pending = []
        if players[player].kick == .underWay { players[player].kick = .over }
        if !players[player].isOpen { players[player].answers = [] }
        (players[player].isLoggedIn, players[player].awaitsSnapshot) = (false, false)
        players[player].lastEpoch = players[player].view?.epoch ?? players[player].lastEpoch
        players[player].lastView = players[player].view ?? players[player].lastView
        players[player].view = nil
        players[player].mayRepeatDiffs = false
    }

    /// The host may have removed a player: the seat is given up, once a hand in play has ended.
    package mutating func kicked(_ player: Int) {
        players[player].kick = .underWay
        // Tables of before a restart, of which nothing was shown since: the hand stands.
        for (name, table) in tables where table.isFromBefore { tables[name]?.movers.insert(players[player].name) }
    }

    /// The server was asked to stop: it closes its tables.
    package mutating func stopping() {
        isStopping = true
        mayBeUnseated = mayBeUnseated.map { _ in true }
    }

    /// The server has ended, and every connection with it.
    package mutating func restarted() {
        for player in players.indices {
            disconnected(player)
            // The epoch of the next answer is not known before a table is shown.
            players[player].lastEpoch = nil
            // Refusals are not recorded: the request may be examined again.
            players[player].answers.removeAll { if case .refused = $0.answer { true } else { false } }
        }
        for (name, table) in tables {
            let movers = players.filter { $0.mayHaveMoved(after: table.revision, inEpoch: table.epoch) }
            tables[name]?.movers.formUnion(movers.map(\.name))
            tables[name]?.isFromBefore = true
            if isStopping { tables[name]?.mayBeClosed = true }
            if table.facts.isInRound { interrupted[name] = table.facts.round } else { interrupted[name] = nil }
        }
        isStopping = false
    }

    // MARK: Questions

    /// Answered requests that a server has to know: the last ones, less those that unanswered ones may have displaced.
    package func answered(by player: Int) -> [Request] {
        let memory = players[player]
        return memory.answers.suffix(max(0, WireLimits.retries - memory.unanswered.count)).map(\.request)
    }

    /// Whether a request has an answer that a retry must get.
    package func remembers(_ request: Request, by player: Int) -> Bool {
        players[player].answers.contains { $0.request.id == request.id }
    }

    /// Requests of earlier connections without a reply, oldest first.
    package func unanswered(by player: Int) -> [Request] { players[player].unanswered }

    /// Whether every request has its reply.
    package func isAnswered(_ player: Int) -> Bool { players[player].pending.isEmpty }

    /// Whether a table was promised and has not come.
    package func awaitsSnapshot(_ player: Int) -> Bool { players[player].awaitsSnapshot }

    package func isLoggedIn(_ player: Int) -> Bool { players[player].isLoggedIn }

    /// The table that a player has a seat at.
    package func table(of player: Int) -> String? { players[player].seating?.table }

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

    mutating func endInterrupted(_ table: String, isWitnessed: Bool) {
        guard interrupted.removeValue(forKey: table) != nil, isWitnessed else { return }
        tally.finished += 1
    }
}

import ClientCore
import TableModel
import Wire

/// A change of tables. A value: the hand in play ends first, then the seat is given up, then the other table is asked for.
struct TableMove: Equatable, Sendable {
    struct Destination: Equatable, Sendable {
        var table: String
        /// The seat wished for; nil for any.
        var seat: Int?
        var watches = false
        var pass: String?
        /// Whether the session begins here: where no seat is to be had, the table is watched.
        var isFirst = false

        var message: ClientMessage {
            watches ? .watch(table: table, pass: pass) : .sit(table: table, seat: seat, pass: pass)
        }
    }

    private enum Step: Equatable {
        case none
        /// A hand or a bet of the player is on the table.
        case waiting(Destination)
        /// `leave` is unanswered.
        case leaving(Destination)
        /// `sit` or `watch` is unanswered.
        case arriving(Destination)
    }

    private var step = Step.none

    /// The table that is waited for while a hand is in play.
    var awaited: Destination? { if case .waiting(let destination) = step { destination } else { nil } }

    /// Whether anything is left to be done.
    var isIdle: Bool { step == .none }

    /// Whether an answer of the server is outstanding.
    var isUnderway: Bool {
        switch step {
        case .none, .waiting: false
        case .leaving, .arriving: true
        }
    }

    /// Begins a move, or replaces one that waits. The table where the player is, is no move.
    /// - Returns: the request to send, if one may be sent.
    mutating func begin(_ destination: Destination, from client: ClientState) -> ClientMessage? {
        guard !isUnderway else { return nil }
        step = .none
        let isThere = client.table == destination.table && client.snapshot != nil
        if isThere, destination.watches == client.seats.isEmpty || destination.watches { return nil }
        step = .waiting(destination)
        return proceed(from: client)
    }

    /// Goes on once the hand is over.
    /// - Returns: the request to send, if one may be sent.
    mutating func proceed(from client: ClientState) -> ClientMessage? {
        guard case .waiting(let destination) = step, client.link == .loggedIn else { return nil }
        if client.seats.isEmpty {
            step = .arriving(destination)
            return destination.message
        }
        // A seat that is being given up is free once its hand is settled.
        guard !client.hasStake, client.player?.presence != .leaving else { return nil }
        step = .leaving(destination)
        return .leave
    }

    /// The outcome of a request of this move.
    enum Outcome: Equatable {
        case send(ClientMessage)
        case arrived(Destination)
        case refused(Destination, Refusal)
    }

    mutating func answered(_ result: Result<Reply, Refusal>) -> Outcome? {
        switch (step, result) {
        case (.leaving(let destination), .success):
            step = .arriving(destination)
            return .send(destination.message)
        case (.arriving(let destination), .success):
            step = .none
            return .arrived(destination)
        case (.arriving(let destination), .failure(let refusal)), (.leaving(let destination), .failure(let refusal)):
            step = .none
            return .refused(destination, refusal)
        case (.none, _), (.waiting, _): return nil
        }
    }

    mutating func cancel() { step = .none }
}

extension ClientState {
    /// The player in the first of ``seats``.
    var player: Player? { seat.flatMap { snapshot?.player($0) } }
}

// MARK: - Words

extension TableMove.Destination {
    /// Parses `sit TABLE [PHRASE]` and `watch TABLE [PHRASE]`; nil for another command, for `sit` and for `sit SEAT`.
    init?(words line: String) throws(PlainCommand.Misunderstanding) {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: isBlank)
        guard parts.count >= 2, let verb = parts.first?.lowercased(), verb == "sit" || verb == "watch" else { return nil }
        let table = String(parts[1])
        if verb == "sit", Int(table) != nil { return nil }
        guard table.utf8.count <= WireLimits.tableNameBytes else {
            throw PlainCommand.Misunderstanding(text: "'\(SafeText(table, columns: 20))' is not the name of a table.")
        }
        self.init(table: table, watches: verb == "watch")
        guard parts.count == 3 else { return }
        let rest = parts[2].drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }
        guard let end else { return }
        guard rest[...end].utf8.count <= WireLimits.passBytes else {
            throw PlainCommand.Misunderstanding(text: "A pass phrase has at most \(WireLimits.passBytes) bytes.")
        }
        pass = String(rest[...end])
    }
}

extension PlainCommand {
    /// Whether it means something only at a table.
    var needsTable: Bool {
        switch self {
        case .bet, .betMost, .act, .sit, .sitOut, .sitIn, .table, .rules, .say, .owner: true
        case .go, .tables, .find, .status, .help, .leave, .history, .statement, .mute, .coach, .rebet, .settings: false
        }
    }

    /// Whether it needs no server.
    var isLocal: Bool {
        switch self {
        case .leave, .help, .settings: true
        default: false
        }
    }

    var isBet: Bool {
        switch self {
        case .bet, .betMost: true
        default: false
        }
    }
}

extension TableSummary {
    /// Whether its name, players or rules contain all words, which are in lower case.
    func matches(_ words: [some StringProtocol]) -> Bool {
        guard !words.isEmpty else { return true }
        let text = Wording.searchText(of: self)
        return words.allSatisfy { text.firstRange(of: $0) != nil }
    }
}

extension LobbyView.Order {
    func sorted(_ tables: [TableSummary]) -> [TableSummary] {
        switch self {
        case .listed: tables
        case .name: tables.sorted { $0.name < $1.name }
        case .freeSeats: tables.sorted { ($1.freeSeats, $0.name) < ($0.freeSeats, $1.name) }
        case .lowestBet: tables.sorted { ($0.rules.minimumBet, $0.name) < ($1.rules.minimumBet, $1.name) }
        case .players: tables.sorted { ($1.seats - $1.freeSeats, $0.name) < ($0.seats - $0.freeSeats, $1.name) }
        }
    }
}

import Fairness
import Rules
import TableModel

/// A request of a client. The rare and large ones are boxed, so that `bet` and `act` stay small to pass around.
public enum ClientMessage: Equatable, Sendable {
    /// Names the player. The secret claims a free name and later opens the account; without one the player is a guest. `owner` is a code
    /// that makes the account a table's owner.
    indirect case login(
        name: String, secret: AccountSecret?, owner: String? = nil, isBot: Bool, version: Int,
        options: ConnectionOptions = ConnectionOptions())
    /// Asks whether a name is free now.
    case available(name: String)
    /// Asks for the list of tables; `follow` starts or stops the messages about its changes.
    case lobby(follow: Bool?, table: String? = nil)
    /// Asks for the ranking.
    case standings(over: StandingsSpan = .evening)
    /// Asks for all rules of a table.
    case rules(table: String?)
    /// Asks for the expected value of every action under a table's rules; they follow as ``ServerMessage/chart(_:)``.
    case chart(table: String?)
    /// Asks for the value of each action of one's decision, refused as stale unless `turn` is asked; without `turn` for the edge of the next
    /// round. It follows as ``ServerMessage/value(_:)``.
    case value(turn: Int?, seat: Int? = nil)
    /// Takes a seat, without `seat` one's own or a free one, and watches the table; without `table` the only one, or any with a free
    /// seat. `pass` is the table's pass phrase.
    indirect case sit(table: String?, seat: Int?, pass: String? = nil, known: KnownTable = KnownTable())
    /// Asks for the table, or for what leads to it from the one known, and from then on for its diffs.
    indirect case watch(table: String?, pass: String? = nil, known: KnownTable = KnownTable())
    /// Bets chips on the next round; 0 takes the bet back. Refused as stale unless the table is at `round`.
    case bet(amount: Int, seat: Int?, round: Int)
    /// Answers a decision. `amount` is for insuring or doubling for less; refused as stale unless `turn` is asked.
    case act(Action, seat: Int?, hand: Int?, amount: Int?, turn: Int)
    /// Keeps the seat without playing; `false`: plays again.
    case sitOut(Bool = true)
    /// Gives the seat up and stops watching.
    case leave
    /// Gives up the seats and the name. The server forgets the player and closes the connection.
    case logout
    /// Commits to a contribution to the coming shoe, after the server's commitment to its own secret.
    indirect case commit(server: Digest, contribution: Digest)
    /// Reveals the contribution, under the digest of the closed list.
    indirect case reveal(list: Digest, contribution: ShoeSecret)
    /// Asks how the order of a former shoe was made; without `shoe` the last one whose secret is revealed.
    indirect case proof(table: String?, shoe: Int?, commitment: Digest? = nil)
    /// Says something to everybody at the table.
    /// The text of a reaction is its word.
    case chat(text: String, reaction: Reaction? = nil)
    /// Asks for the player's last rounds, or for those before a time; they follow as ``ServerMessage/history(_:)``, in several messages if
    /// one of the fields is given.
    case history(before: Int64? = nil, limit: Int? = nil)
    /// Sends a player away for some minutes from the table that one owns; 0 lets them come back.
    case kick(player: String, minutes: Int = WireLimits.kickMinutes)
    /// Sets the pass phrase of the table that one owns; nil takes it away.
    case pass(String?)
    /// Stops the clocks of the table that one owns, or lets them run again.
    case pause(Bool, reason: String? = nil)
    /// Begins a match of so many rounds at the table that one owns, or sets their number; 0 ends it. Refused as stale unless the table is at `round`.
    case match(rounds: Int, round: Int)
    /// Sets how this connection is served; what is nil stays as it is.
    case options(ConnectionOptions)
    /// Asks for the server's time, and shows that the client lives.
    case ping

    /// The type of every message, in the order of the cases.
    package static let types = Catalog.requests.map(\.type)

    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .standings: "standings"
        case .rules: "rules"
        case .chart: "chart"
        case .value: "value"
        case .sit: "sit"
        case .watch: "watch"
        case .bet: "bet"
        case .act: "act"
        case .sitOut: "sitOut"
        case .leave: "leave"
        case .logout: "logout"
        case .commit: "commit"
        case .reveal: "reveal"
        case .proof: "proof"
        case .chat: "chat"
        case .history: "history"
        case .kick: "kick"
        case .pass: "pass"
        case .pause: "pause"
        case .match: "match"
        case .options: "options"
        case .ping: "ping"
        }
    }

    /// The kind of change that a request makes.
    package enum Effect: Sendable {
        /// No effect, or no further effect when it is repeated.
        case nothing
        /// Seats, bets or cards: a client sends such requests in order.
        case play
        /// A line of chat: sent in order, too.
        case chat
        /// A player's name, or the rights of others.
        case rights
    }

    package var effect: Effect {
        switch self {
        case .sit, .bet, .act, .sitOut, .leave: .play
        case .chat: .chat
        case .login, .kick, .pass, .pause, .match: .rights
        case .available, .lobby, .standings, .rules, .chart, .value, .watch, .commit, .reveal, .proof, .history, .options,
            .ping, .logout:
            .nothing
        }
    }

    /// Whether it is about the player's table, which it may name: turns and rounds of another table are unrelated.
    package var mayNameTable: Bool {
        switch self {
        case .bet, .act, .value, .sitOut, .leave, .commit, .reveal, .chat, .kick, .pass, .pause, .match: true
        case .login, .available, .lobby, .standings, .rules, .chart, .sit, .watch, .logout, .proof, .history, .options, .ping:
            false
        }
    }

    /// Whether it changes something, once, however often it is sent.
    public var changesSomething: Bool { effect != .nothing }
}

extension Catalog {
    /// Every request, blank, with the reply that it gets: the one list of their types.
    package static let requests = requestsOfPlay + otherRequests

    private static let requestsOfPlay = [
        RequestDescription(
            .login(name: "", secret: nil, isBot: false, version: WireLimits.version), .connection, "names the player",
            reply: .login(.blank)),
        RequestDescription(.available(name: ""), .connection, "checks whether a name is free", reply: .available(false)),
        RequestDescription(
            .lobby(follow: nil), .connection, "lists the tables",
            reply: .lobby(revision: 0, total: 0, [])),
        RequestDescription(
            .standings(), .connection, "asks who has won most since the tables opened or, with a login, in a career or a match",
            reply: .standings(Standings())),
        RequestDescription(
            .rules(table: nil), .connection, "asks for all rules of a table",
            reply: .rules(table: "", AllRules(TableRules(HouseRules(), digest: "")))),
        RequestDescription(
            .chart(table: nil), .login,
            "asks for the value of each action under a table's rules; the message `chart` follows",
            reply: .done("chart")),
        RequestDescription(
            .value(turn: nil), .seat, "asks for the value of each action of your decision; the message `value` follows",
            reply: .done("value")),
        RequestDescription(
            .sit(table: nil, seat: nil), .login, "takes a seat with all your chips, and watches the table",
            reply: .sit(table: "", seat: 1, .blank)),
        RequestDescription(
            .watch(table: nil), .login, "asks for the table, or its changes, and for its diffs from then on",
            reply: .watch(table: "", .blank)),
        RequestDescription(
            .bet(amount: 0, seat: nil, round: 0), .seat, "bets on the next round, replacing your earlier bet",
            reply: .applied("bet")),
        RequestDescription(
            .act(.hit, seat: nil, hand: nil, amount: nil, turn: 0), .seat, "makes the decision that your item `a…` asks for",
            reply: .applied("act")),
        RequestDescription(.sitOut(), .seat, "keeps the seat without playing, or plays again", reply: .applied("sitOut")),
        RequestDescription(
            .leave, .table, "gives up the seats and stops watching; a hand in play stands", reply: .applied("leave")),
        RequestDescription(
            .logout, .login,
            "leaves and ends the connection: `ok`, `bye`, end of stream; an account keeps its chips",
            reply: .done("logout")),
    ]

    private static let otherRequests = [
        RequestDescription(
            .commit(server: .zero, contribution: .zero), .seat, "commits to your contribution to the coming shoe",
            reply: .done("commit")),
        RequestDescription(
            .reveal(list: .zero, contribution: .zero), .seat, "reveals your contribution", reply: .done("reveal")),
        RequestDescription(
            .proof(table: nil, shoe: nil), .login, "asks for the proof of one of the last 8 shoes",
            reply: .proof(.blank)),
        RequestDescription(
            .chat(text: ""), .table, "sends a message to everyone there; after a lost connection, `watch` first",
            reply: .done("chat")),
        RequestDescription(
            .history(), .login, "asks for your last rounds; the message `history` follows", reply: .done("history")),
        RequestDescription(
            .kick(player: ""), .table, "kicks a player from your table, or lets them return", reply: .kick(minutes: 0)),
        RequestDescription(
            .pass(nil), .table, "sets or removes the pass phrase of your table", reply: .done("pass")),
        RequestDescription(
            .pause(true), .table, "stops the clocks of your table, or lets them run again", reply: .applied("pause")),
        RequestDescription(
            .match(rounds: 0, round: 0), .table, "begins a match at your table, sets its length, or ends it",
            reply: .applied("match")),
        RequestDescription(
            .options(.blank), .connection, "sets options of this connection; omitted ones stay unchanged",
            reply: .options(.blank)),
        RequestDescription(.ping, .connection, "keeps the connection alive", reply: .ping(time: 0)),
    ]
}

extension Reply {
    fileprivate static func applied(_ type: String) -> Reply { .applied(type, at: nil) }
}

extension ClientMessage {
    /// The fields besides `type` and `id`.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        switch self {
        case .login(var name, var secret, var owner, var isBot, var version, var options):
            try visitor.required("name", &name, .any, "the player's name")
            try visitor.optional(
                "secret", &secret, "opens your account: random, generated and stored by the client; a guest has none")
            try visitor.optional(
                "owner", &owner, .code, "a one-time code of the host, which makes your account a table's owner")
            try visitor.optional("bot", &isBot, absent: false, "whether this is a bot; other players see it")
            try visitor.optional(
                "version", &version, .version, absent: WireLimits.version, isWritten: true,
                "the protocol version of the client; default 1")
            try options.visit(&visitor)
            self = .login(name: name, secret: secret, owner: owner, isBot: isBot, version: version, options: options)
        case .available(var name):
            try visitor.required("name", &name, .any, "a name")
            self = .available(name: name)
        case .lobby(var follow, var table):
            try visitor.optional("follow", &follow, "whether to receive every change from now on; unchanged if omitted")
            try visitor.optional(
                "table", &table, .table, "list only this table, with the names of its players")
            self = .lobby(follow: follow, table: table)
        case .rules(var table):
            try visitor.table(&table)
            self = .rules(table: table)
        case .chart(var table):
            try visitor.table(&table)
            self = .chart(table: table)
        case .value(var turn, var seat):
            try visitor.optional(
                "turn", &turn, .counter,
                "the `turn` of your item `a…`; refused with `stale` if it is over. Without it you ask for the edge of the next round"
            )
            try visitor.ownSeat(&seat)
            self = .value(turn: turn, seat: seat)
        case .sit(var table, var seat, var pass, var known):
            try visitor.optional(
                "table", &table, .table,
                "the table; default: the one you are at, else one with a free seat and no pass phrase")
            try visitor.optional("seat", &seat, .seat, "the seat; default: the one you have, else the first free one")
            try visitor.pass(&pass)
            try known.visit(&visitor)
            self = .sit(table: table, seat: seat, pass: pass, known: known)
        case .watch(var table, var pass, var known):
            try visitor.table(&table)
            try visitor.pass(&pass)
            try known.visit(&visitor)
            self = .watch(table: table, pass: pass, known: known)
        case .commit(var server, var contribution):
            try visitor.required("server", &server, "the `commitment` of the item `next`; refused with `stale` if it has changed")
            try visitor.required("commitment", &contribution, "yours, made after it")
            self = .commit(server: server, contribution: contribution)
        case .reveal(var list, var contribution):
            try visitor.required("list", &list, "the digest of the closed list; refused with `stale` if it has changed")
            try visitor.required("contribution", &contribution, "the bytes to which you committed")
            self = .reveal(list: list, contribution: contribution)
        case .proof(var table, var shoe, var commitment):
            try visitor.table(&table)
            try visitor.optional("shoe", &shoe, .count, "its number; default: the last one that can be proved")
            try visitor.optional(
                "commitment", &commitment,
                "the server's to its secret, of `shoe` where both are given: finds the shoe of a closed table of that name too")
            self = .proof(table: table, shoe: shoe, commitment: commitment)
        case .chat(var text, var reaction):
            try visitor.required("text", &text, .chat, "the message")
            try visitor.optional("reaction", &reaction, "the same word, where the message is a reaction; shown at the seat")
            self = .chat(text: text, reaction: reaction)
        case .kick(var player, var minutes):
            try visitor.required("player", &player, .shownName, "the name of a player who is at the table, or was kicked")
            try visitor.optional(
                "minutes", &minutes, .kickMinutes, absent: WireLimits.kickMinutes,
                "for how long; default \(WireLimits.kickMinutes); 0 lets the player back")
            self = .kick(player: player, minutes: minutes)
        case .pass(var pass):
            try visitor.optional(
                "pass", &pass, .upTo(WireLimits.passBytes), "the new pass phrase; if omitted, the table no longer has one")
            self = .pass(pass)
        case .pause(var isOn, var reason):
            try visitor.required("on", &isOn, "whether clocks stand still; false lets them run again")
            try visitor.optional("reason", &reason, .chat, "why, for everyone at the table")
            self = .pause(isOn, reason: reason)
        case .match(var rounds, var round):
            try visitor.required("rounds", &rounds, .matchRounds, "its rounds, from the next one on; 0 ends it")
            try visitor.round(&round)
            self = .match(rounds: rounds, round: round)
        case .options(var options):
            try options.visit(&visitor)
            self = .options(options)
        case .bet(var amount, var seat, var round):
            try visitor.required("amount", &amount, .chips, "chips; 0 takes the bet back")
            try visitor.ownSeat(&seat)
            try visitor.round(&round)
            self = .bet(amount: amount, seat: seat, round: round)
        case .act(var action, var seat, var hand, var amount, var turn):
            try visitor.required("action", &action, "the decision")
            try visitor.ownSeat(&seat)
            try visitor.optional(
                "hand", &hand, .hand, "the hand; refused with `not_allowed` if another one is to act")
            try visitor.optional(
                "amount", &amount, .chips, "chips, for `insurance` and for doubling for less; default: the maximum")
            try visitor.required(
                "turn", &turn, .counter,
                "the `turn` of your item `a…`; refused with `stale` if it is over")
            self = .act(action, seat: seat, hand: hand, amount: amount, turn: turn)
        case .sitOut(var isOut):
            try visitor.optional("out", &isOut, absent: true, "false to play again")
            self = .sitOut(isOut)
        case .standings(var span):
            try visitor.optional("over", &span, absent: .evening, "default `evening`")
            self = .standings(over: span)
        case .history(var before, var limit):
            try visitor.optional(
                "before", &before, .time, "only rounds that ended before this time, such as the `next` of an answer")
            try visitor.optional("limit", &limit, .historyPage, "rounds at most; default \(WireLimits.historyRounds)")
            self = .history(before: before, limit: limit)
        case .leave, .logout, .ping: break
        }
    }

}

extension FieldVisitor {
    fileprivate mutating func table(_ value: inout String?) throws(Failure) {
        try optional("table", &value, .table, "the table; optional if there is only one, or if you are at one")
    }

    fileprivate mutating func round(_ value: inout Int) throws(Failure) {
        try required("round", &value, .counter, "the item `round`; refused with `stale` if the table has moved on")
    }

    fileprivate mutating func ownSeat(_ value: inout Int?) throws(Failure) {
        try optional("seat", &value, .seat, "which of your seats; optional if you have only one")
    }

    fileprivate mutating func pass(_ value: inout String?) throws(Failure) {
        try optional(
            "pass", &value, .upTo(WireLimits.passBytes), "the table's pass phrase, if it has one (`locked` in the lobby)")
    }
}

// MARK: - Encoding

extension Request {
    /// The request as a line, its end included; nothing for a line that was refused.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the request as a line, its end included; nothing for a line that was refused.
    public func encode(into bytes: inout [UInt8]) {
        guard case .success(var message) = message else { return }
        var (id, table) = (id, table)
        JSONWriter.appendLine(to: &bytes) { writer in
            writer.member("type", message.type)
            writer.optional("id", &id, "")
            message.visit(&writer)
            if message.mayNameTable { Self.visitTable(&table, &writer) }
        }
    }
}

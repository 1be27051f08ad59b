import ClientCore
import TableModel
import Wire

/// A change of tables: a seated player's table is looked up in the lobby, the hand in play ends, the seat is given up, and the other table
/// is asked for. Where that refuses, the former seat is taken again.
enum TableMove: Equatable, Sendable {
    struct Destination: Equatable, Sendable {
        var table: String
        /// The seat asked for; nil for any.
        var seat: Int?
        var watches = false
        var pass: String?
        /// Whether the session begins here: where no seat is to be had, the table is watched.
        var isFirst = false
        /// The seats that were given up for it.
        var former: [Destination] = []

        var message: ClientMessage {
            watches ? .watch(table: table, pass: pass) : .sit(table: table, seat: seat, pass: pass)
        }
    }

    /// The player is where they want to be.
    case none
    /// The question about the table in the lobby is unanswered.
    case looking(Destination)
    /// A hand or a bet of the player is on the table.
    case waiting(Destination)
    /// `leave` is unanswered.
    case leaving(Destination)
    /// `sit` or `watch` is unanswered.
    case arriving(Destination)
    /// The seat or the view was granted, and the table is not shown yet.
    case granted(Destination)

    /// The table that is waited for while a hand is in play.
    var awaited: Destination? { if case .waiting(let destination) = self { destination } else { nil } }

    /// Whether an answer of the server is outstanding.
    var isUnderway: Bool {
        switch self {
        case .none, .waiting, .granted: false
        case .looking, .leaving, .arriving: true
        }
    }

    /// Begins a move, or replaces one that waits. The table where the player is, is no move.
    /// - Returns: the request to send, if one may be sent.
    mutating func begin(_ destination: Destination, from client: ClientState) -> ClientMessage? {
        guard !isUnderway else { return nil }
        self = .none
        let isThere = client.table == destination.table && client.snapshot != nil
        if isThere, destination.watches == client.seats.isEmpty || destination.watches { return nil }
        self = .waiting(destination)
        guard !client.seats.isEmpty, client.link == .loggedIn else { return proceed(from: client) }
        self = .looking(destination)
        return .lobby(follow: nil, table: destination.table)
    }

    /// Goes on once the hand is over.
    /// - Returns: the request to send, if one may be sent.
    mutating func proceed(from client: ClientState) -> ClientMessage? {
        guard case .waiting(var destination) = self, client.link == .loggedIn else { return nil }
        if client.seats.isEmpty {
            self = .arriving(destination)
            return destination.message
        }
        // A seat that is being given up is free once its hand is settled.
        guard !client.hasStake, client.player?.presence != .leaving else { return nil }
        if let table = client.table { destination.former = client.seats.map { Destination(table: table, seat: $0) } }
        self = .leaving(destination)
        return .leave
    }
}

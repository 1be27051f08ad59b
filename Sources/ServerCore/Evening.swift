import Records
import TableEngine
import Wire

/// A player's rounds of an evening.
public struct EveningResult: Sendable, Equatable {
    public let name: String
    public let isBot: Bool
    public var rounds = 0
    /// Chips won in all; negative: lost.
    public var net = 0
    /// Chips won with one seat in one round at most.
    public var biggestWin = 0

    init(name: String, isBot: Bool) { (self.name, self.isBot) = (isBot ? PlayerName.houseBot(name) ?? name : name, isBot) }

    mutating func add(rounds: Int, net: Int, biggestWin: Int) {
        self.rounds += rounds
        self.net &+= net
        self.biggestWin = max(self.biggestWin, biggestWin)
    }

    /// `42 rounds, +350 chips, biggest win 150`.
    public var text: String {
        let sum = "\(net > 0 ? "+" : "")\(net) \(abs(net) == 1 ? "chip" : "chips")"
        return "\(rounds) \(rounds == 1 ? "round" : "rounds"), \(sum)" + (biggestWin > 0 ? ", biggest win \(biggestWin)" : "")
    }
}

/// Every player's results of an evening. It ends with a drain; a start within an hour of the last record goes on with it, after a crash or a
/// stop that kept the seats.
struct Evening: Sendable, Equatable {
    /// Players counted at most, some 150 bytes each; later ones are not counted.
    static let capacity = 10_000
    /// Milliseconds without records after which a start begins another evening.
    static let pause: Int64 = 3_600_000

    private(set) var results: [PlayerID: EveningResult] = [:]

    /// - Parameters:
    ///   - net: of one seat.
    ///   - isFirstSeat: whether no other seat of the player was counted for this round.
    mutating func note(_ player: PlayerID, name: @autoclosure () -> String, isBot: Bool, net: Int, isFirstSeat: Bool) {
        add(player, EveningResult(name: name(), isBot: isBot), rounds: isFirstSeat ? 1 : 0, net: net, biggestWin: net)
    }

    private mutating func add(
        _ player: PlayerID, _ first: @autoclosure () -> EveningResult, rounds: Int, net: Int, biggestWin: Int
    ) {
        guard let index = results.index(forKey: player) else {
            guard results.count < Self.capacity else { return }
            results[player] = first()
            return add(player, first(), rounds: rounds, net: net, biggestWin: biggestWin)
        }
        results.values[index].add(rounds: rounds, net: net, biggestWin: biggestWin)
    }

    /// Adds the results of an earlier part of the evening.
    mutating func add(_ earlier: Evening) {
        for (player, result) in earlier.results {
            add(
                player, EveningResult(name: result.name, isBot: result.isBot), rounds: result.rounds, net: result.net,
                biggestWin: result.biggestWin)
        }
    }

    /// An account is deleted.
    mutating func forget(_ player: PlayerID) { results[player] = nil }

    /// The best first.
    var ranking: [EveningResult] { results.values.sorted { ($1.net, $0.name) < ($0.net, $1.name) } }
}

/// An evening as the records of its earlier starts give it.
struct RecordedEvening {
    private(set) var evening = Evening()
    private var rounds: RoundHistory
    private var bots: Set<PlayerID>
    /// Tables that are not closed: none is open after a drain.
    private var open: Set<String>
    private var time: Int64

    /// - Parameter state: that before the first record; nil for a journal from its start.
    init(_ state: SavedState?) {
        rounds = RoundHistory(state)
        bots = Set(state?.accounts.values.lazy.filter(\.isBot).map(\.id) ?? [])
        open = Set(state?.tables.lazy.filter { $1.table.phase != .closed }.map(\.key) ?? [])
        time = state?.time ?? 0
    }

    mutating func add(_ record: Record, at place: RecordPlace) {
        switch record {
        case .started(let time, _):
            if open.isEmpty || time - self.time >= Evening.pause { evening = Evening() }
            self.time = time
        case .account(let id, _, let isBot, _, _, _): if isBot { bots.insert(id) }
        case .arrived(let account, _, _): if account.isBot { bots.insert(account.id) }
        case .closed(let id, _):
            evening.forget(id)
            bots.remove(id)
        case .opened(let table, _, _, _, _): open.insert(table)
        case .gone(let table, _): open.remove(table)
        case .facts(let table, let time, let facts):
            self.time = time
            if facts.contains(where: { if case .closed = $0 { true } else { false } }) { open.remove(table) }
        default: break
        }
        var ended: [PlayedRound] = []
        rounds.add(record, at: place) { ended.append($0) }
        for round in ended where !round.isVoided {
            var counted: Set<PlayerID> = []
            for seat in round.seats {
                evening.note(
                    seat.player, name: seat.name, isBot: bots.contains(seat.player), net: seat.net,
                    isFirstSeat: counted.insert(seat.player).inserted)
            }
        }
    }
}

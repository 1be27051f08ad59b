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

/// Every player's results since the start of the server.
struct Evening: Sendable, Equatable {
    /// Players counted at most, some 150 bytes each; later ones are not counted.
    static let capacity = 10_000

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

    /// An account is deleted.
    mutating func forget(_ player: PlayerID) { results[player] = nil }

    /// The best first.
    var ranking: [EveningResult] { results.values.sorted { ($1.net, $0.name) < ($0.net, $1.name) } }
}

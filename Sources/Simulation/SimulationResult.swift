import Foundation
import Rules

/// The result of a simulation. Amounts in chips, exact for any number of rounds.
///
/// The edge is the player's: negative means that the house wins.
public struct SimulationResult: Hashable, Sendable {
    /// The dealer's finals with one up card, each hand played to its end.
    public struct Finals: Hashable, Sendable {
        /// Counts of 17…21, blackjack, bust.
        public internal(set) var counts = Array(repeating: 0, count: 7)

        public static let names = ["17", "18", "19", "20", "21", "blackjack", "bust"]
    }

    public internal(set) var rounds = 0
    /// Whether the run was stopped early. The figures cover the rounds played.
    public internal(set) var isPartial = false
    public internal(set) var hands = 0
    public internal(set) var initialBets: Int128 = 0
    public internal(set) var wagered: Int128 = 0
    public internal(set) var net: Int128 = 0
    public internal(set) var blackjacks = 0
    public internal(set) var busts = 0
    public internal(set) var pushes = 0
    public internal(set) var surrenders = 0
    public internal(set) var splits = 0
    public internal(set) var doubles = 0
    public internal(set) var insuranceBets = 0
    public internal(set) var insuranceNet: Int128 = 0
    /// By up card: 2…10, then the ace.
    public internal(set) var dealerFinals = Array(repeating: Finals(), count: 10)
    /// The sum over rounds of the square of the players' net win.
    public internal(set) var squares: UInt128 = 0
    public internal(set) var seconds = 0.0

    public static let upCards = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "A"]

    /// The players' net win per chip of initial bets.
    public var edge: Double { initialBets == 0 ? 0 : Double(net) / Double(initialBets) }

    /// The standard deviation of a round's net win, in units of its initial bets.
    public var standardDeviation: Double {
        guard rounds > 1, initialBets > 0 else { return 0 }
        let mean = Double(net) / Double(rounds)
        let variance = max(0, Double(squares) / Double(rounds) - mean * mean) * Double(rounds) / Double(rounds - 1)
        return variance.squareRoot() / (Double(initialBets) / Double(rounds))
    }

    /// The standard error of the edge. Rounds of one shoe are treated as independent, which is nearly exact.
    public var standardError: Double { rounds == 0 ? 0 : standardDeviation / Double(rounds).squareRoot() }

    public var handsPerSecond: Double { seconds > 0 ? Double(hands) / seconds : 0 }

    /// One JSON object, on one line.
    public var json: String {
        let integers: [(String, Int128)] = [
            ("rounds", Int128(rounds)), ("hands", Int128(hands)), ("initialBets", initialBets), ("wagered", wagered),
            ("net", net),
        ]
        let counts = [
            ("blackjacks", blackjacks), ("busts", busts), ("pushes", pushes), ("surrenders", surrenders), ("splits", splits),
            ("doubles", doubles), ("insuranceBets", insuranceBets),
        ]
        let doubles = [("edge", edge), ("standardError", standardError), ("standardDeviation", standardDeviation)]
        let finals = zip(Self.upCards, dealerFinals).map { up, finals in
            let counts = zip(Finals.names, finals.counts).map { "\"\($0)\":\($1)" }.joined(separator: ",")
            return "\"\(up)\":{\(counts)}"
        }
        var fields = integers.map { "\"\($0)\":\($1)" }
        fields += doubles.map { "\"\($0)\":\($1)" }
        fields += counts.map { "\"\($0)\":\($1)" }
        fields.append("\"insuranceNet\":\(insuranceNet)")
        fields.append("\"dealerFinals\":{\(finals.joined(separator: ","))}")
        fields.append("\"partial\":\(isPartial)")
        fields.append("\"seconds\":\(seconds)")
        fields.append("\"handsPerSecond\":\(handsPerSecond)")
        return "{\(fields.joined(separator: ","))}"
    }
}

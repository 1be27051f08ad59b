import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// A game, and what its viewers are told.
private struct ToldGame {
    var game: Game
    private var teller: FactTeller

    init(_ changes: [(String, RuleValue)] = [], chips: [Int: Int], cards: String) throws {
        game = try Game(changes, chips: chips, cards: cards)
        teller = FactTeller(game.table)
    }

    /// The public facts of a step of the game.
    mutating func told(_ step: (inout Game) throws -> Void) throws -> [PublicFact] {
        let count = game.facts.count
        try step(&game)
        teller.clear()
        teller.note(Array(game.facts[count...]), sittingOut: nil)
        return teller.facts
    }
}

/// The facts of a table that its viewers get, and when.
struct FactTellerTests {
    /// Random commands, legal and not, in random houses: nothing is told that the table beside it does not show, or that is still open.
    @Test func whateverPlayersDo_noFactNamesWhatIsHidden() {
        var players = RandomPlayers()
        var (cards, answers) = (0, 0)
        let tables = Thorough.count(60, most: 2_000)
        // Some seeds need more tables for enough cards and answers.
        for number in 0..<10 * tables where number < tables || cards <= 1_000 || answers <= 8 {
            var table = Table(rules: players.house(), pace: players.pace())
            var teller = FactTeller(table)
            var now = Timestamp(milliseconds: 1_000_000)
            for _ in 0..<300 where table.phase != .closed {
                now = now.adding(milliseconds: players.pick([0, 0, 10, 700, 3_000, 16_000]))
                var facts = FactList()
                // A refused command may come after a time-out.
                try? table.perform(players.command(table), at: now, into: &facts)
                teller.clear()
                teller.note(facts.facts, sittingOut: nil)
                let shown = TableSnapshot(table)
                // A round that was voided, or followed at once, is off the table. Numbers of cards begin anew with a shuffle.
                let shuffle = teller.facts.lastIndex(of: .table(.shuffled)) ?? 0
                for (index, fact) in teller.facts.enumerated() {
                    switch fact {
                    case .card(let number, let word):
                        cards += 1
                        guard index >= shuffle else { break }
                        #expect(
                            shown[.card(number)] != .card(number, .dealer, nil) || word == .dealtFaceDown, "BJ_SEED=\(Seed.value)"
                        )
                    case .hand(_, let word) where Self.answers.contains(word):
                        answers += 1
                        let isOpen =
                            switch table.phase {
                            case .earlySurrender: true
                            // The answers to an early surrender come with the offer of insurance.
                            case .insurance: word == .insured || word == .declined
                            default: false
                            }
                        #expect(!isOpen, "\(word), BJ_SEED=\(Seed.value)")
                    default: break
                    }
                }
            }
        }
        #expect(cards > 1_000 && answers > 8, "\(cards) cards, \(answers) answers, BJ_SEED=\(Seed.value)")
    }

    private static let answers: Set<PublicFact.OfHand> = [.insured, .declined, .playedOn]

    /// Two tables alike but for one player's answer: what is told of both is the same until all have answered.
    @Test func anAnswer_isToldOnceAllHaveAnswered() throws {
        func answers(_ rule: (String, RuleValue), _ first: Action) throws -> (open: [PublicFact], closed: [PublicFact]) {
            var told = try ToldGame([rule], chips: [1: 100, 2: 100, 3: 100], cards: "TS 9S 8S AD 9C KC 5C 2D")
            _ = try told.told { try $0.bet([1: 10, 2: 10, 3: 10]) }
            var open = try told.told { try $0.act(first, seat: 1) }
            open += try told.told { try $0.perform(.disconnected(player: PlayerID(3))) }
            open += try told.told { try $0.act(.decline, seat: 2) }
            return (open, try told.told { try $0.act(.decline, seat: 3) })
        }
        let offers: [((String, RuleValue), Action)] = [
            (("insurance", .flag(true)), .insurance), (("surrender", .text("early")), .surrender),
        ]
        for (rule, action) in offers {
            let (one, other) = (try answers(rule, action), try answers(rule, .decline))
            #expect(one.open.isEmpty && other.open.isEmpty, "\(one.open) \(other.open)")
            #expect(one.closed != other.closed && one.closed.count >= 3, "\(one.closed) \(other.closed)")
        }
    }

    @Test func aConnectionLostAndFoundWithinItsGrace_isNotTold() throws {
        var told = try ToldGame(chips: [1: 100], cards: "2C")
        for _ in 0..<2 {
            #expect(try told.told { try $0.perform(.disconnected(player: PlayerID(1))) }.isEmpty)
            #expect(try told.told { try $0.perform(.reconnected(player: PlayerID(1))) }.isEmpty)
        }
        #expect(try told.told { try $0.perform(.disconnected(player: PlayerID(1))) }.isEmpty)
        #expect(try told.told { try $0.wait(10) } == [.player("p1", .away)])
        #expect(try told.told { try $0.perform(.reconnected(player: PlayerID(1))) } == [.player("p1", .back)])
    }

    @Test func aRound_isToldInItsOrder() throws {
        var told = try ToldGame(chips: [1: 100], cards: "TS 9D 2S 9C TH")
        let hand = HandIdentifier(seat: 1, number: 1)
        let dealt = try told.told { try $0.bet([1: 10]) }
        #expect(dealt.prefix(2) == [.hand(hand, .bet), .table(.round)])
        #expect(dealt.suffix(1).allSatisfy { if case .card(_, .dealtFaceDown) = $0 { true } else { false } } && dealt.count == 6)
        let words = try told.told { try $0.act(.hit) }.map { fact -> String in
            switch fact {
            case .hand(hand, let word): word.rawValue
            case .card(_, let word): word.rawValue
            case .table(let word): word.rawValue
            default: "?"
            }
        }
        #expect(words == ["hit", "dealt", "settled", "turned", "ended"])
    }
}

import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// Every state that two players at two seats can reach within a round, with every command in each of them.
struct ExhaustiveTests {
    private struct Node: Hashable {
        var table: Table
        var now: Timestamp

        func hash(into hasher: inout Hasher) {
            let state = table.state
            hasher.combine(now)
            hasher.combine([state.core.due, state.core.freeUntil])
            hasher.combine([state.core.turn, state.core.shoe.drawn, Int(state.core.stage.rawValue)])
            hasher.combine((0..<2).map { state.players[$0] })
            hasher.combine((0..<2).map { state.seats[$0] })
        }
    }

    private let commands: [Command] = {
        let players = [PlayerID(1), PlayerID(2)]
        var all: [Command] = [.close(), .void, .supplyShoe(.seeded(5)), .postpone(by: 700)]
        for player in players {
            let profile = PlayerProfile(name: "p")
            all += [
                .sit(player: player, profile: profile, seat: nil, chips: 25), .leave(player: player), .sitOut(player: player),
                .sitOut(player: player, isOut: false), .disconnected(player: player), .reconnected(player: player),
                .release(player: player),
                .bet(player: player, seat: nil, amount: 10), .bet(player: player, seat: nil, amount: 0),
                .bet(player: player, seat: nil, amount: 30),
            ]
            for action in Action.allCases {
                all.append(.act(player: player, action: action, seat: nil, hand: nil, amount: nil))
                all.append(.act(player: player, action: action, seat: nil, hand: 1, amount: 3))
            }
        }
        return all
    }()

    private static let deals = [
        // Eights against an ace with nothing under it: early surrender, insurance, splits, doubles.
        (1, "peek", "early", "8H AD 8C 9C 8S 2H 3H TC TD 5C 6C 2S 4S 7C 9D KS"),
        // The same where nobody looks, with a blackjack under it all.
        (1, "original", "late", "8H AD 8C 3C 4H TC TD KC KS"),
        // Two players against an ace, without splits and doubles.
        (2, "peek", "early", "TH 9D AD 6H 7S 8C 5C 6C 2S 4S 7C 9D KS"),
        // A blackjack and sixteen against a dealer's blackjack.
        (2, "none", "late", "AH 9D TD KH 7S AC 5C 6C 2S 4S 7C 9D KS"),
    ]

    @Test(arguments: Thorough.cases(deals))
    func everyCommand_inEveryReachableState_isLegalOrRefusedWithoutChange(
        players: Int, holeCard: String, surrender: String, cards: String
    ) throws {
        var game = try Game(
            [
                ("holeCard", .text(holeCard)), ("surrender", .text(surrender)), ("seats", .integer(2)),
                ("maxHands", .integer(players == 1 ? 2 : 1)), ("double", .text(players == 1 ? "any" : "none")),
                ("doubleForLess", .flag(players == 1)), ("minimumBet", .integer(10)),
            ], chips: players == 1 ? [1: 25] : [1: 25, 2: 25], cards: cards, pace: 1000)
        game.stack(cards)
        let start = Node(table: game.table, now: game.now)
        var seen: Set<Node> = [start]
        var open = [start]
        var (legal, refused) = (0, 0)
        var phases: Set<String> = []
        while let node = open.popLast() {
            phases.insert(RoundPhase(node.table.phase).rawValue)
            // One round, then the rest is the same again.
            if node.table.round > 1 || node.table.phase == .closed { continue }
            if node.table.round == 1, node.table.phase == .waiting { continue }
            for command in commands {
                var next = node
                if step(&next, command) { legal += 1 } else { refused += 1 }
                if leadsOn(command, players: players), seen.insert(next).inserted { open.append(next) }
            }
            if let moment = node.table.nextEvent {
                var next = Node(table: node.table, now: moment)
                #expect(step(&next, .tick))
                #expect(next.table != node.table, "what is due happens")
                if seen.insert(next).inserted { open.append(next) }
            } else {
                #expect(!node.table.state.isInRound, "a round waits for somebody, and not for ever")
            }
        }
        #expect(phases.isSuperset(of: ["waiting", "playing", "settled"]))
        #expect(seen.count > 50 && legal > 200 && refused > 1000, "\(seen.count) states, \(legal) legal, \(refused) refused")
    }

    /// Whether to look beyond a command: coming and going for ever would make the states endless.
    private func leadsOn(_ command: Command, players: Int) -> Bool {
        switch command {
        case .act, .bet, .leave, .void: true
        case .disconnected, .release, .close: players == 1
        case .sit, .sitOut, .reconnected, .supplyShoe, .tick, .postpone: false
        case .beginCeremonies, .supplySecret, .declare, .commit, .reveal: false
        }
    }

    /// Whether the command was accepted.
    private func step(_ node: inout Node, _ command: Command) -> Bool {
        var facts = FactList()
        return node.table.performByTheLaws(command, at: node.now, into: &facts) == nil
    }
}

import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// A page of the rule book as it is played: each scene is a few commands, each with what happens and how the table stands then.
///
/// ```
/// # a remark
/// == aSoft18_mayBeHit              a scene, with its name
/// rules charlie=5 surrender=early  before the seats: rules that are not as by default, `double='11'`; bets are from 1 on
/// settle 3000                      … how long results lie there, in milliseconds; `bank 30000`
/// seats 1:100 2:50@7               who sits where, with how many chips; `@7`: player 7
/// cards AH 9D 7H 9S 3C             the next cards: one to each seat, the dealer's, one to each seat, the hole card, those drawn
/// bet 1 10                         of a seat; `round 0`; `bet - 10 by 1`: a player's, without a seat
/// hit 1                            a decision of a seat; `hand 1`, `for 5` chips, `turn 2`, `by 7`
/// sit 2 100 at 3                   player 2, with chips; `leave 2`, `out 2`, `in 2`, `cut 2`, `back 2`, `release 2`
/// wait 5000                        a timer goes off; `later 5000`: none does; `tick`
/// close, void, postpone 5, shoe 7  … `draw 234`: from the shoe until then
/// ```
///
/// Behind a command stand the facts, or `!` and the refusal. Behind `=`: the phase with its deadline and the next event, players with their chips,
/// what lies before them, the dealer's cards, the house's profit and the shoe. A reply that differs fails; `BJ_RECORD=1` writes what is so.
struct SceneTests {
    static let scenes = ScriptFolder("Scenes", ending: ".scene")

    @Test(arguments: scenes.names) func aScene_isPlayedAsItIsWrittenDown(_ name: String) throws {
        try Self.scenes.expect(name, play: Self.replay)
    }

    @Test func theScenesAreThere() { #expect(Self.scenes.names.count >= 8) }

    private static func replay(_ script: String) throws -> String {
        var stage = Stage()
        var result: [String] = []
        for line in script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) where !line.hasPrefix("  ") {
            if line.hasPrefix("== ") { stage = Stage() }
            result.append(line)
            guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("==") else { continue }
            do { result += try stage.carryOut(line.split(separator: " ").map(String.init)) } catch let error as Stage.Mistake {
                throw Stage.Mistake(line: "\(line): \(error.line)")
            }
        }
        return result.joined(separator: "\n")
    }
}

/// Where a scene is played.
private struct Stage {
    struct Mistake: Error { let line: String }

    private var rules: [(String, RuleValue)] = []
    private var (settle, bank) = (0, 86_400_000)
    private var (chips, owners): ([Int: Int], [Int: UInt32]) = ([:], [:])
    private var made: Game?
    private var known = ""

    private mutating func game() throws -> Game {
        if let made { return made }
        let game = try Game(rules, chips: chips, cards: "", pace: settle, bank: bank, owners: owners)
        (made, known) = (game, Self.standing(game))
        return game
    }

    mutating func carryOut(_ words: [String]) throws -> [String] {
        switch words[0] {
        case "rules":
            for word in words.dropFirst() {
                let parts = word.split(separator: "=").map(String.init)
                rules.append((parts[0], Self.value(parts[1])))
            }
        case "settle": settle = try Self.number(words[1])
        case "bank": bank = try Self.number(words[1])
        case "seats":
            for word in words.dropFirst() {
                let parts = try word.split { $0 == ":" || $0 == "@" }.map { try Self.number(String($0)) }
                chips[parts[0]] = parts[1]
                if parts.count > 2 { owners[parts[0]] = UInt32(parts[2]) }
            }
        default: return try play(words)
        }
        return []
    }

    /// The facts of a command, and the state after it if it has changed.
    private mutating func play(_ words: [String]) throws -> [String] {
        var game = try game()
        defer { made = game }
        let count = game.facts.count
        var said: [String] = []
        switch words[0] {
        case "cards": game.stack(words.dropFirst().joined(separator: " "))
        case "draw": while game.table.state.core.shoe.drawn < (try Self.number(words[1])) { game.table.state.core.shoe.draw() }
        case "later", "wait":
            game.now = game.now.adding(milliseconds: try Self.number(words[1]))
            if words[0] == "wait" { try game.perform(.tick) }
        default:
            do { try game.perform(try Self.command(words, game)) } catch let refusal as Rejection {
                said.append("  ! \(refusal.code): \(refusal.message)")
            }
        }
        let facts = game.facts[count...].map(Self.text)
        if !facts.isEmpty { said.insert("  " + facts.joined(separator: "; "), at: 0) }
        let standing = Self.standing(game)
        if standing != known { said.append("  = " + standing) }
        known = standing
        return said
    }

    // MARK: Commands

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw Mistake(line: "\(text) is no number") }
        return number
    }

    private static func value(_ text: String) -> RuleValue {
        if text.hasPrefix("'") { return .text(text.filter { $0 != "'" }) }
        if let number = Int(text) { return .integer(number) }
        if let number = Double(text) { return .number(number) }
        return text == "true" || text == "false" ? .flag(text == "true") : .text(text)
    }

    private static func command(_ words: [String], _ game: Game) throws -> Command {
        /// The number behind a word.
        func number(after word: String) throws -> Int? {
            try words.firstIndex(of: word).map { try Self.number(words[$0 + 1]) }
        }
        func player(_ text: String) throws -> PlayerID { PlayerID(try Self.number(text)) }
        let seat = words.count > 1 ? Int(words[1]) : nil
        /// Of the seat, unless another one is named.
        func owner() throws -> PlayerID { try number(after: "by").map { PlayerID($0) } ?? game.owner(seat ?? 1) }
        switch words[0] {
        case "bet":
            return .bet(player: try owner(), seat: seat, amount: try Self.number(words[2]), round: try number(after: "round"))
        case "sit":
            let (player, chips) = (try player(words[1]), try Self.number(words[2]))
            return .sit(player: player, profile: PlayerProfile(name: "p\(words[1])"), seat: try number(after: "at"), chips: chips)
        case "leave": return .leave(player: try player(words[1]))
        case "out": return .sitOut(player: try player(words[1]))
        case "in": return .sitOut(player: try player(words[1]), isOut: false)
        case "cut": return .disconnected(player: try player(words[1]))
        case "back": return .reconnected(player: try player(words[1]))
        case "release": return .release(player: try player(words[1]))
        case "tick": return .tick
        case "close": return .close()
        case "void": return .void
        case "postpone": return .postpone(by: try Self.number(words[1]))
        case "shoe": return .supplyShoe(.seeded(UInt64(try Self.number(words[1]))))
        default:
            guard let action = Action.allCases.first(where: { $0.name == words[0] }) else { throw Mistake(line: "no command") }
            return .act(
                player: try owner(), action: action, seat: seat, hand: try number(after: "hand"),
                amount: try number(after: "for"),
                turn: try number(after: "turn"))
        }
    }

    // MARK: Texts

    /// The name of a fact with its values.
    private static func text(_ fact: Fact) -> String {
        guard let payload = Mirror(reflecting: fact).children.first, let name = payload.label else { return "\(fact)" }
        let values = Mirror(reflecting: payload.value)
        // A single value without a label, or a tuple.
        let all = values.displayStyle == .tuple ? values.children.map(\.value) : [payload.value]
        return ([name] + all.map(text)).joined(separator: " ")
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let player as PlayerID: "p\(player.rawValue)"
        case let card as CardID: "#\(card.rawValue)"
        case let moment as Timestamp: "\(moment.milliseconds)"
        case let profile as PlayerProfile: profile.name
        case let legal as ActionSet: legal.actions.map(\.name).joined(separator: ",")
        case let source as ShoeSource: if case .seeded(let seed) = source { "seed \(seed)" } else { "key" }
        case is ClosingNotice: "server"
        default: "\(value)"
        }
    }

    private static func standing(_ game: Game) -> String {
        let table = game.table
        let times = [("until", table.deadline), ("next", table.nextEvent)].compactMap { word, moment in
            moment.map { " \(word) +\($0.milliseconds - game.now.milliseconds)" }
        }
        var parts = [RoundPhase(table.phase).rawValue + (game.turn.map { " \($0.seat).\($0.hand)" } ?? "") + times.joined()]
        parts += table.playerViews.map { player in
            let slot = table.state.slot(of: player.id) ?? 0
            let spent = table.state.players[slot].spent
            let marks = [
                player.isAway ? "away" : player.isConnected ? "" : "cut", player.isSittingOut ? "out" : "",
                player.isLeaving ? "leaving" : "",
                player.missedRounds > 0 ? "missed \(player.missedRounds)" : "", spent > 0 ? "spent \(spent)" : "",
                table.isBroke(player.id) ? "broke" : "",
            ].filter { !$0.isEmpty }
            return (["p\(player.id.rawValue) has \(player.bankroll)"] + marks).joined(separator: ", ")
        }
        for seat in 1...table.rules.seats {
            let box = table.state.seats[seat - 1]
            var words = (0..<table.handCount(seat: seat)).map { hand in
                let stake = table.state.hands[TableState.handIndex(seat - 1, hand)].stake
                return "\(stake) on \(game.hand(seat, hand).joined(separator: " "))"
            }
            if box.bet > 0 { words.append("bets \(box.bet)") }
            if box.insurance > 0 { words.append("insured \(box.insurance)") }
            let legal = table.legalActions(seat: seat).map { action in
                action.cost == 0...0
                    ? action.action.name : "\(action.action.name) \(action.cost.lowerBound)…\(action.cost.upperBound)"
            }
            if !legal.isEmpty { words.append("may " + legal.joined(separator: ", ")) }
            if !words.isEmpty { parts.append("seat \(seat) \(words.joined(separator: ", "))") }
        }
        if table.dealerCardCount > 0 {
            parts.append("dealer \(game.dealerCards.joined(separator: " ")) (\(table.dealerValue.total))")
        }
        parts.append("house \(table.houseNet)")
        parts.append("shoe \(table.state.core.shoe.number)" + (table.state.shufflesNext ? ", shuffled next" : ""))
        return parts.joined(separator: "; ")
    }
}

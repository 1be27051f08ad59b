import CommandLineKit
import Foundation
import Odds
import RoundSimulation
import Rules

/// `bjbots odds`: the exact edge under a house's rules.
struct OddsOptions: Sendable {
    var rules = "default"
    var strategy = "basic"
    var hand: String?
    var up: String?
    var gone: String?
    var effects = false
    var removal = false
    var bet: Int?
    var json = false

    static let command = Command<OddsOptions, BotsProgram>(
        "odds", "Computes the exact edge of a strategy.", defaults: OddsOptions(), program: BotsProgram.odds
    ) { command in
        command.discussion(
            """
            The edge is the player's expected win per round from a fresh shoe, as a fraction of the bet; negative if the house wins. It is exact: \
            every card drawn leaves the shoe, as do those that --gone names. 'basic' is the best chart by totals, as printed by 'bjbots chart'; 'composition' plays every \
            hand by its exact cards; a file is a chart as for 'bjbots simulate'. 'as dealt' is a chart's edge in shoes dealt to the \
            cut card, with two standard errors; only the difference from a fresh shoe is simulated.
            """)
        command.option(
            "--rules", \.rules, SimulateOptions.rulesFormat, value: "FILE|PRESET", short: "r", help: "The house rules.")
        command.option(
            "--strategy", \.strategy, .text(upTo: 4096).completing(.words(["basic", "composition"], orFiles: true)),
            value: "FILE|basic|composition", short: "s", help: "Strategy to play.")
        command.option(
            "--hand", \.hand, .text(upTo: 64), value: "CARDS",
            help: "With --up: two cards or more, such as A,7. Prints the value of each action.")
        command.option("--up", \.up, .text(upTo: 2), value: "CARD", help: "With --hand: the dealer's up card.")
        command.option(
            "--gone", \.gone, .text(upTo: 2048), value: "CARDS",
            help:
                "Cards that have left the shoe before, such as 5,5,6,10: for the edge of the next round, or beside --hand and --up."
        )
        command.flag(
            "--effects", \.effects, help: "Adds the effect of other values of single rules, each with its own best strategy.")
        command.flag(
            "--removal", \.removal,
            help: "Adds the effect of one card less of each rank on the same chart, or on play by composition.")
        command.option(
            "--bet", \.bet, .int(1...1_000_000_000),
            help: "Bet in chips, with payments rounded to whole chips. Default: exact payments.")
        command.flag("--json", \.json, help: "Prints one JSON object.")
        command.example("bjbots odds --rules six-five --effects", "the edge of a 6:5 house, and the cost of each rule")
        command.example("bjbots odds --hand 10,6,2 --up 10 --gone 5,5,6,10", "a decision with what else was seen")
        command.exitStatus(65, "The rules or the chart are invalid.")
    }

    func run() -> Never {
        let house = Simulate.rules(rules)
        let shoe = shoe(of: house)
        var report = Report(bet: bet, gone: gone.map { _ in house.cardsInShoe - Int(shoe.total) })
        if hand != nil || up != nil {
            if effects || removal { Self.fail("--effects and --removal are for the edge, without --hand") }
            report.actions = values(under: house, shoe)
        } else {
            // A chart file applies to all rules unchanged.
            let chart = strategy == "composition" ? nil : Simulate.chart(strategy, for: house)
            let edge = edge(chart, house, shoe)
            report.edge = edge
            if gone == nil { report.dealt = chart.flatMap { dealt($0, house, edge.total) } }
            if effects {
                if gone != nil { Self.fail("--effects is for a fresh shoe, not for one with --gone") }
                report.effects = Self.changes(of: house).map { change in
                    let own = chart.map { strategy == "basic" ? StrategyChart(derivedFor: change.rules) : $0 }
                    return (change.rule, self.edge(own, change.rules, Composition(decks: change.rules.decks)).total - edge.total)
                }
            }
            if removal {
                report.removal = Report.upCards.map { points in
                    var less = shoe
                    less[Rank(points: points)] -= 1
                    return (points, less[points] < 0 ? 0 : self.edge(chart, house, less).total - edge.total)
                }
            }
        }
        let origin = Origin(rules: house, seed: report.dealt == nil ? nil : 1)
        Console.print(json ? origin.before(report.json) : report.text)
        exit(0)
    }

    private func edge(_ chart: StrategyChart?, _ rules: HouseRules, _ shoe: Composition) -> Edge {
        chart.map { Edge(of: $0, under: rules, shoe: shoe, bet: bet) } ?? Edge(ofBestPlayUnder: rules, shoe: shoe, bet: bet)
    }

    /// nil for a bet that the house does not accept.
    private func dealt(_ chart: StrategyChart, _ rules: HouseRules, _ fresh: Double) -> DealtEdge? {
        // Without a bet of one's own one that is paid without a rest: payments are exact.
        let chips = bet ?? stride(from: rules.minimumBet, through: rules.maximumBet, by: rules.betStep).first { $0 % 10 == 0 }
        let threads = ProcessInfo.processInfo.activeProcessorCount
        return chips.flatMap { try? DealtEdge(of: chart, under: rules, fresh: fresh, bet: $0, threads: threads) }
    }

    private static func fail(_ message: String) -> Never { Console.fail("bjbots", message, status: 64) }

    /// The full shoe without the cards gone.
    private func shoe(of rules: HouseRules) -> Composition {
        var shoe = Composition(decks: rules.decks)
        guard let gone = Self.cards(gone), let named = Self.cards(hand), let up = Self.cards(up) else {
            Self.fail("--hand, --up and --gone take cards, 2 to 10, J, Q, K or A: --hand 10,6,2 --up 10 --gone 5,5,6,10")
        }
        for card in gone { shoe[card] -= 1 }
        for (rank, count) in Dictionary(grouping: gone + named + up, by: \.self) where count.count > 4 * rules.decks {
            Self.fail("--hand, --up and --gone name \(count.count) cards \(rank.letter), and the shoe has \(4 * rules.decks)")
        }
        // A card less has up to ten.
        let least = removal ? 58 : 48
        if shoe.points < Double(least) {
            Self.fail("the shoe might run out: --gone leaves fewer than \(least) points in it (an ace is 1)")
        }
        return shoe
    }

    private func values(under rules: HouseRules, _ shoe: Composition) -> [(Action, Double)] {
        guard let cards = Self.cards(hand), cards.count > 1, let ups = Self.cards(up), ups.count == 1, let up = ups.first else {
            Self.fail("--hand takes two cards or more and --up one: 2 to 10, J, Q, K or A, as in --hand 10,2 --up 4")
        }
        let decision = Decision(cards, up: up)
        var legal = decision.legalActions(under: rules)
        let value = cards.reduce(HandValue()) { $0.adding($1) }
        if legal.isEmpty || cards.count == rules.charlie {
            let name = value.isTwoCard21 ? "a blackjack" : cards.count == rules.charlie ? "a charlie" : "\(value)"
            Self.fail("--hand \(hand ?? "") is \(name): there is no decision")
        }
        // Early surrender is asked before the peek; its values are shown beside those after it.
        if cards.count == 2, legal.contains(.surrender) || rules.asksEarlySurrender(upCard: up) {
            legal.insert(rules.surrender != .late && rules.holeCard == .peek ? [.surrender, .decline] : .surrender)
        }
        let values = decision.values(of: legal, under: rules, shoe: shoe) ?? [:]
        return Action.allCases.compactMap { action in values[action].map { (action, $0) } }
    }

    /// Cards from a list; none for no list, nil for another text.
    private static func cards(_ text: String?) -> [Rank]? {
        let words = (text ?? "").split(separator: ",", omittingEmptySubsequences: text == nil)
        let cards = words.compactMap { $0 == "10" ? Rank.ten : $0.count == 1 ? $0.first.flatMap { Rank(letter: $0) } : nil }
        return cards.count == words.count ? cards : nil
    }

    /// Every other value of each rule that changes the edge of a fresh shoe.
    static func changes(of rules: HouseRules) -> [(rule: String, rules: HouseRules)] {
        // Basic strategy takes no insurance.
        let fields = HouseRules.fields.filter { $0.changesOdds && $0.key != "insurance" }
        let values = fields.flatMap { field -> [(String, RuleValue)] in
            let all = field.key == "decks" ? [1, 2, 4, 6, 8].map(RuleValue.integer) : field.values.all
            return all.map { (field.key, $0) }
        }
        return values.compactMap { key, value in
            guard let changed = try? rules.with([(key, value)]), changed != rules,
                changed.fieldValues.contains(where: { $0 == key && $1 == value })
            else { return nil }
            return ("\(key) \(value)", changed)
        }
    }
}

extension OddsOptions {
    /// The figures that are printed.
    struct Report {
        let bet: Int?
        /// Cards that have left the shoe before the round.
        var gone: Int?
        var edge: Edge?
        var dealt: DealtEdge?
        var actions: [(action: Action, value: Double)] = []
        var effects: [(rule: String, change: Double)] = []
        var removal: [(points: Int, change: Double)] = []

        fileprivate static let upCards = Array(2...10) + [1]

        static func name(_ up: Int) -> String { up == 1 ? "A" : "\(up)" }

        /// In per cent, to a millionth of the bet.
        private static func percent(_ value: Double) -> String {
            let millionths = Int((value * 1_000_000).rounded())
            let decimals = String(abs(millionths) % 10_000 + 10_000).dropFirst()
            return (millionths < 0 ? "−" : millionths > 0 ? "+" : " ") + "\(abs(millionths) / 10_000).\(decimals)%"
        }

        private static func row(_ name: String, _ figures: String...) -> String {
            let columns = figures.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
            return name + String(repeating: " ", count: max(1, 28 - name.count)) + columns.joined()
        }

        var text: String {
            var lines: [String] = []
            if let edge {
                let chips = bet.map { ", \($0) chips on a round" } ?? ""
                let shoe = gone.map { "\($0) cards gone" } ?? "fresh shoe"
                lines.append(Self.row("edge", Self.percent(edge.total)) + " of the bet (the player's; \(shoe)\(chips))")
                if let dealt {
                    let plain = dealt.isPlain ? "; a plain simulation, since the shoe may run out" : ""
                    let error = Self.percent(2 * dealt.standardError).dropFirst()
                    lines.append(Self.row("as dealt", Self.percent(dealt.edge)) + " ± \(error) (to the cut card\(plain))")
                }
                lines += ["", Self.row("up card", "chance", "edge")]
                for up in Self.upCards {
                    let chance = Self.percent(edge.chances[up - 1]).dropFirst()
                    lines.append(Self.row(Self.name(up), String(chance), Self.percent(edge.wins[up - 1])))
                }
            }
            if !effects.isEmpty { lines += ["", Self.row("another rule", "change")] }
            for effect in effects.sorted(by: { $0.change > $1.change }) {
                lines.append(Self.row(effect.rule, Self.percent(effect.change)))
            }
            if !removal.isEmpty { lines += ["", Self.row("a card less", "change")] }
            for card in removal { lines.append(Self.row(Self.name(card.points), Self.percent(card.change))) }
            lines += actions.sorted { $0.value > $1.value }.map { Self.row($0.action.name, Self.percent($0.value)) }
            return lines.joined(separator: "\n")
        }

        var json: String {
            var fields: [JSONTree.Member] = []
            func add(_ key: String, _ value: JSONTree) { fields.append(.init(key, value)) }
            func number(_ value: Double) -> JSONTree { JSONTree(.number("\(value)")) }
            if let edge {
                add("edge", number(edge.total))
                add("upCards", .object(Self.upCards.map { .init(Self.name($0), number(edge.wins[$0 - 1])) }))
            }
            if let dealt {
                let error = number(dealt.standardError)
                add("dealt", ["edge": number(dealt.edge), "standardError": error, "plain": .bool(dealt.isPlain)])
            }
            if let bet { add("bet", .integer(bet)) }
            if !effects.isEmpty {
                add("effects", .object(effects.map { .init($0.rule.replacing("\"", with: ""), number($0.change)) }))
            }
            if !removal.isEmpty {
                add("removal", .object(removal.map { .init(Self.name($0.points), number($0.change)) }))
            }
            if !actions.isEmpty { add("actions", .object(actions.map { .init($0.action.name, number($0.value)) })) }
            return JSONTree.object(fields).description
        }
    }
}

import Fairness
import Rules
import TableModel
import TestKit

@testable import Wire

/// A secret for tests.
let sampleSecret: AccountSecret = {
    guard let secret = AccountSecret(String(repeating: "5e", count: AccountSecret.byteCount)) else {
        preconditionFailure("64 digits are a secret")
    }
    return secret
}()

/// One message of every kind, with and without what may be absent.
enum Samples {
    static let awkward = "q\"b\\s/ \u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F} \u{E9}\u{20AC}\u{1F0CF}"

    static let requests: [Request] = {
        var messages: [ClientMessage] = [
            .login(name: "Ann", secret: nil, isBot: false, version: 1),
            .login(name: awkward, secret: sampleSecret, owner: awkward, isBot: true, version: 7),
            .login(name: "Ann", secret: sampleSecret, owner: awkward, isBot: false, version: 1),
            .available(name: "Ann"), .rules(table: nil), .rules(table: "main"), .lobby(follow: nil),
            .lobby(follow: true, table: "main"),
            .sit(table: nil, seat: nil),
            .sit(table: "main", seat: nil),
            .sit(table: "main", seat: 7), .watch(table: nil),
            .watch(table: "high roller"), .watch(table: nil, pass: awkward), .sit(table: "vip", seat: 2, pass: "sesame"),
            .watch(table: nil, known: KnownTable(epoch: "00ff", revision: 17)),
            .watch(table: nil, known: KnownTable(revision: 1, chat: 7)),
            .sit(table: "main", seat: 1, pass: "p", known: KnownTable(epoch: "e", revision: 0, chat: 1 << 53)),
            .chat(text: awkward), .options(ConnectionOptions()),
            .options(ConnectionOptions(fair: true, facts: true, pedantic: true, silence: 30, brief: true)),
            .bet(amount: 10, seat: nil, round: 0), .bet(amount: 0, seat: 3, round: 0),
            .bet(amount: 5, seat: nil, round: 1 << 53),
            .act(.insurance, seat: 1, hand: 4, amount: 25, turn: 1),
            .act(.hit, seat: nil, hand: 2, amount: nil, turn: 0),
            .login(name: "Ann", secret: nil, isBot: false, version: 1, options: ConnectionOptions(fair: true)),
            .login(
                name: "Ann", secret: nil, isBot: false, version: 1,
                options: ConnectionOptions(fair: false, facts: true, pedantic: true, silence: 0)),
            .commit(server: digest(1), contribution: digest(2)), .reveal(list: digest(3), contribution: shoeSecret(4)),
            .proof(table: nil, shoe: nil), .proof(table: "main", shoe: 1 << 53),
            .proof(table: nil, shoe: 1, commitment: digest(1)), .sitOut(), .sitOut(false), .leave, .logout, .ping,
            .history(), .history(before: 1 << 53, limit: 500), .standings(), .standings(over: .career), .chart(table: nil),
            .chart(table: "main"), .value(turn: nil), .value(turn: 1 << 53, seat: 7), .kick(player: awkward),
            .kick(player: awkward, minutes: 0), .pass(nil), .pass(awkward),
            .pause(true), .pause(true, reason: awkward), .pause(false),
            .match(rounds: 0, round: 0), .match(rounds: 1000, round: 1 << 53), .standings(over: .match),
        ]
        messages += Action.allCases.map { .act($0, seat: nil, hand: nil, amount: nil, turn: 1) }
        return messages.map { Request(id: nil, $0) } + messages.map { Request(id: .number(7), $0) }
            + messages.filter(\.mayNameTable).map { Request(id: .number(8), $0, at: "high roller") }
    }()

    static let ids: [RequestID] = [
        .number(0), .number(.max), .number(.min), .number(-1), .text(""), .text("a"), .text("7"), .text(awkward), .text("\u{E9}"),
        .text("e\u{301}"), .text(String(repeating: "x", count: 64)), .text(String(repeating: "\u{1F0CF}", count: 16)),
    ]

    /// Each word once.
    private static let facts: [PublicFact] =
        [.sat(player: awkward, seat: 7), .card(1_000_000, .turned)]
        + PublicFact.OfTable.allCases.map { .table($0) } + PublicFact.OfPlayer.allCases.map { .player(awkward, $0) }
        + PublicFact.OfHand.allCases.map { .hand(HandIdentifier(seat: 7, number: 4), $0) }
        + PublicFact.OfCard.allCases.map { .card(0, $0) }

    private static let history = HandHistory(
        since: 1 << 53,
        rounds: [
            PastRound(
                table: awkward, round: 1 << 53, time: 1 << 53,
                seats: [
                    .init(
                        seat: 7, bet: 5,
                        hands: [
                            .init(
                                cards: [Card.deck[0], nil], total: .blackjack, bet: 5,
                                result: HandResult(outcome: .blackjack, net: 7))
                        ],
                        insurance: .init(bet: 2, net: -2)), .init(seat: 1, bet: 0, hands: []),
                ], dealer: [Card.deck[9], nil], dealerTotal: .soft(17)),
            PastRound(table: "main", round: 0, time: 0, isVoided: true, seats: [], dealer: [], dealerTotal: .hard(0)),
        ], isCut: true, next: 1 << 53)

    private static let standings: Standings = {
        var (standings, bot) = (Standings(), LeaderboardEntry(name: awkward, isBot: true))
        bot.add(rounds: 3, net: -(1 << 53) - 1, biggestWin: 0)
        var career = Career()
        career.count(hands: 2, blackjacks: 1, staked: 1 << 60, net: 1 << 60, at: 1 << 53)
        career.count(hands: 1, blackjacks: 0, staked: 5, net: 0, at: 1)
        for result in [bot, LeaderboardEntry(name: "Ann", isBot: false, career: career)] { standings.rank(result) }
        (standings.place, standings.own, standings.span, standings.isPartial) = (1, bot, .career, true)
        return standings
    }()

    private static let chart: ValueChart = {
        let values = [-80_000, 80_000, 0, -1, 1, 2, 3, 4, 5, 6]
        var full = ValueChart.Row(.pair(1), stand: values, hit: values)
        for action in [Action.double, .split, .decline] { full.values[action] = values }
        full.values[.surrender] = Array(values.dropLast())
        full.play = [
            .hit, .stand, .doubleElseHit, .doubleElseStand, .split, .surrenderElseHit, .surrenderElseStand, .surrenderElseSplit,
        ]
        return ValueChart(
            digest: "00ff", edge: -4059, insurance: [-340, -389, -437],
            rows: [full, .init(.hard(20), stand: [], hit: []), .init(.soft(13), cards: 6, stand: values, hit: values)])
    }()

    private static let decision = DecisionValues(
        turn: 1 << 53, seat: 7, hand: 4,
        actions: Dictionary(uniqueKeysWithValues: Action.allCases.map { ($0, 80_000 - Int($0.rawValue)) }),
        best: .hit, chart: .evenMoney)

    static func events() throws -> [ServerMessage] {
        let summary = TableSummary(
            name: "main", seats: 7, freeSeats: 5, players: ["Ann", awkward], watchers: 3,
            rules: (try? HouseRules(preset: "european")) ?? HouseRules(), isLocked: true, isClosing: true, owner: awkward,
            edge: -1_000_000)
        let other = TableSummary(name: awkward, seats: 1, freeSeats: 0, players: [], watchers: 0, rules: HouseRules())
        let line = ChatLine(sequence: 7, name: awkward, text: awkward, time: 5)
        let missed = CatchUp(
            epoch: "0123456789abcdef", revision: 1 << 53,
            results: [
                RoundResult(round: 1, seat: 7, hands: [], chips: 0),
                RoundResult(
                    round: 1 << 53, seat: 1, hands: [.init(bet: 5, result: HandResult(outcome: .blackjack, net: 7))],
                    insurance: .init(bet: 2, net: -2), chips: 1000),
            ], chat: [line, line])
        var generator = SeededGenerator(seed: 7)
        let (table, next) = (RandomTable.any(&generator), RandomTable.any(&generator))
        return [
            .hello(
                Hello(
                    server: "bjserver 0.1", time: 1_700_000_000_000, idleSeconds: 90, features: [awkward], isDraining: true,
                    givesRebuys: false)),
            .ok(id: nil, .login(LoginReply(name: "Ann", chips: 1000))),
            .ok(id: .number(1), .login(LoginReply(name: "Ann", chips: 0, table: "main", seats: [2, 3]))),
            .ok(id: nil, .login(LoginReply(name: "Ann", chips: 1000, owner: "main"))),
            .ok(id: .text("x"), .login(LoginReply(name: awkward, chips: 1, table: nil, seats: [2]))),
            .ok(id: nil, .available(true)), .ok(id: nil, .available(false)), .ok(id: nil, .lobby(revision: 0, total: 0, [])),
            .ok(id: nil, .lobby(revision: 9, total: 700, [summary, other])),
            .ok(id: nil, .sit(table: "main", seat: 4, CatchUp(epoch: "e", revision: 7))),
            .ok(id: nil, .sit(table: "main", seat: 4, missed, rebuy: 1000)),
            .ok(id: nil, .rules(table: "main", AllRules(RandomTable.tableRules(&generator)))),
            .ok(id: nil, .watch(table: awkward, CatchUp(epoch: "e", revision: 0))), .ok(id: nil, .watch(table: "main", missed)),
            .ok(id: nil, .options(ConnectionOptions(fair: false, facts: true, pedantic: false, silence: 0))),
            .ok(id: nil, .proof(proof)), .ok(id: nil, .done("commit")), .ok(id: nil, .done("reveal")),
            .lobby(LobbyChange(from: 1, to: 2)),
            .lobby(LobbyChange(from: 1, to: 9, tables: [summary, other], gone: ["a"])),
            .chat(line), .notice(HostNotice(HostNotice.kicked, name: awkward, reason: awkward, by: awkward, time: 9)),
            .notice(HostNotice("praised", name: "Ann", time: 9)), .ok(id: nil, .ping(time: 12)),
            .history(HandHistory(since: 0)), .history(history),
            .chart(ValueChart(digest: "", edge: 1_000_000, insurance: [], rows: [])), .chart(chart), .ok(id: nil, .done("chart")),
            .value(.nextRound(edge: -8_000_000)), .value(.decision(decision)),
            .ok(id: nil, .done("history")), .ok(id: nil, .done("pass")), .ok(id: nil, .done("value")),
            .ok(id: nil, .standings(Standings())), .ok(id: .number(1), .standings(standings)),
            .ok(id: nil, .kick(minutes: 10)), .ok(id: nil, .kick(minutes: 0)),
            .ok(id: nil, .done("chat")), .ok(id: .number(4), .applied("bet", at: 1 << 53)),
            .ok(id: nil, .applied("act", at: 3)), .ok(id: nil, .applied("sitOut", at: 3)), .ok(id: nil, .applied("pause", at: 3)),
            .ok(id: nil, .applied("match", at: 3)),
            .ok(id: nil, .applied("bet", at: nil)), .ok(id: .text("x"), .applied("leave", at: 0)),
            .error(Refusal(.rule, code: "bet_too_small", message: "The bet is at least 5.")),
            .error(
                Refusal(
                    id: .text(awkward), type: "act", .again, code: "illegal_action", message: awkward, legal: Action.allCases,
                    retryAfter: 250, versions: 1...3, closes: true)),
            .error(Refusal(.look, code: "x", message: "", legal: [])),
            .snapshot(table: "main", epoch: "", revision: 0, TableSnapshot()),
            .snapshot(table: "main", epoch: "", revision: 0, TableSnapshot(), chat: 1 << 53),
            .snapshot(table: "main", epoch: "0123456789abcdef", revision: 1 << 53, table),
            .diff(from: 41, to: 42, check: nil, table.difference(to: next)),
            .diff(from: 0, to: 1, check: .max, table.difference(to: table)),
            .diff(from: 0, to: 1, check: nil, TableDifference(clears: true, removals: [.cardsLeft])),
            .diff(from: 1, to: 2, check: nil, table.difference(to: next), news: .facts(facts)),
            .diff(from: 1, to: 9, check: 7, table.difference(to: next), news: .missed),
            .bye(code: "idle", message: awkward),
            .bye(code: "shutting_down", message: "", standings: standings, career: standings.own),
            .unknown(type: "confetti"),
        ]
    }
}

/// Tables with any content, and cards in any hand: more than a game would ever show.
enum RandomTable {
    static func any(_ generator: inout SeededGenerator) -> TableSnapshot {
        TableSnapshot(items(&generator).map { entry($0, &generator) })
    }

    /// The same table after a few changes: what a diff is mostly about.
    static func changed(_ table: TableSnapshot, _ generator: inout SeededGenerator) -> TableSnapshot {
        var entries = table.entries
        for _ in 0..<1 + generator.below(4) {
            let item = entries.randomElement(using: &generator)?.item ?? .round
            switch generator.below(3) {
            case 0: entries.append(entry(.card(200 + generator.below(1000)), &generator))
            case 1: entries.removeAll { $0.item == item }
            default: entries.append(entry(item, &generator))
            }
        }
        return TableSnapshot(entries)
    }

    private static func items(_ generator: inout SeededGenerator) -> [TableItem] {
        var items: [TableItem] = [
            .round, .phase, .clock, .shoe, .cardsLeft, .seen, .fairShoe, .nextShoe, .closing, .pause, .match, .rules,
            .dealerTotal,
        ]
        for seat in 1...7 {
            let hand = HandIdentifier(seat: seat, number: 1 + generator.below(4))
            items += [
                .player(seat), .choice(seat), .insurance(seat), .insuranceResult(seat), .bet(hand), .total(hand), .result(hand),
            ]
        }
        items += (0..<30).map { .card($0 * 7) } + [.card(1_000_000)]
        items += OtherKinds.names(&generator).map { .other($0) }
        items = items.filter { _ in generator.below(2) > 0 }
        items.shuffle(using: &generator)
        return items
    }

    /// - Parameter section: where a card lies.
    static func entry(_ item: TableItem, in section: TableSection? = nil, _ generator: inout SeededGenerator) -> TableEntry {
        let chips = [0, 1, 25, WireLimits.chips][generator.below(4)]
        let totals: [Total] = [.hard(0), .hard(9), .hard(21), .hard(22), .hard(31), .soft(11), .soft(21), .blackjack]
        let total = totals[generator.below(totals.count)]
        switch item {
        case .round: return .round(generator.below(99))
        case .phase: return .phase(one(of: RoundPhase.allCases, &generator))
        case .clock: return .clock(Clock(deadline: Int64(generator.below(9_999_999))))
        case .shoe:
            return .shoe(
                ShoeStatus(number: generator.below(9), decks: 1 + generator.below(8), behindCutCard: generator.below(99)))
        case .cardsLeft: return .cardsLeft(generator.below(417))
        case .seen: return .seen(SeenCards((0..<13).map { _ in [0, 7, 32, .max][generator.below(4)] }))
        case .fairShoe: return .fairShoe(fairShoe(&generator))
        case .nextShoe: return .nextShoe(nextShoe(&generator))
        case .closing:
            let cause = one(of: ClosingNotice.Cause.allCases, &generator)
            let deadline = generator.below(2) == 0 ? nil : Int64(generator.below(9_999_999))
            return .closing(ClosingNotice(cause, deadline: deadline, reason: generator.below(2) == 0 ? "" : Samples.awkward))
        case .pause:
            return .pause(TablePause(by: Samples.awkward, reason: generator.below(2) == 0 ? "" : "p", until: 1 << 53))
        case .match:
            let leads = [("", 0), (Samples.awkward, 1 << 53), ("a", -(1 << 53))].map { TableMatch.Lead(name: $0.0, net: $0.1) }
            return .match(TableMatch(round: generator.below(9), rounds: 1 << 53, leads: Array(leads.prefix(generator.below(4)))))
        case .rules: return .rules(tableRules(&generator))
        case .dealerTotal: return .dealerTotal(total)
        case .player(let seat):
            let name = one(of: ["Ann", "J. R.", Samples.awkward, "\u{738B}"], &generator)
            let presence = one(of: Player.Presence.allCases, &generator)
            return .player(seat, Player(name: name, chips: chips, presence: presence, isBot: generator.below(2) == 0))
        case .choice(let seat):
            let actions = Action.allCases.filter { _ in generator.below(2) == 0 }
            let options = actions.map { Choice.Option(action: $0, cost: generator.below(100)) }
            return .choice(seat, Choice(hand: 1 + generator.below(4), turn: generator.below(1000), options: options))
        case .insurance(let seat): return .insurance(seat, chips)
        case .bet(let hand): return .bet(hand, chips)
        case .total(let hand): return .total(hand, total)
        case .result(let hand): return .result(hand, HandResult(outcome: one(of: Outcome.allCases, &generator), net: 50 - chips))
        case .insuranceResult(let seat): return .insuranceResult(seat, 50 - chips)
        case .card(let id):
            let hand = HandIdentifier(seat: 1 + generator.below(7), number: 1 + generator.below(4))
            let place = section ?? (generator.below(8) == 0 ? .dealer : .hand(hand))
            return .card(id, place, generator.below(4) == 0 ? nil : Card.deck[generator.below(52)])
        case .other(let name):
            let content = OtherKinds.content(&generator)
            // What is null is absent.
            return .other(name, content == "null" ? "0" : content)
        }
    }

    static func tableRules(_ generator: inout SeededGenerator) -> TableRules {
        let others = [
            TableRules.Other(key: "aSideBet", value: #"{"pays":[1,2.5],"spoken":"né"}"#), .init(key: "zeal", value: "7"),
        ]
        return TableRules(
            rules(&generator), digest: String(repeating: "0a", count: generator.below(33)),
            others: others.filter { _ in generator.below(3) == 0 })
    }

    private static func rules(_ generator: inout SeededGenerator) -> HouseRules {
        let name = one(of: HouseRules.presetNames, &generator)
        do { return try HouseRules(preset: name) } catch { fatalError("the preset \(name) is wrong: \(error)") }
    }

    private static func one<Value>(of values: [Value], _ generator: inout SeededGenerator) -> Value {
        values[generator.below(values.count)]
    }
}

/// Samples of the ceremonies of shoes.
extension Samples {
    static func digest(_ number: UInt8) -> Digest { SHA256.hash([number]) }

    static func shoeSecret(_ number: UInt8) -> ShoeSecret {
        guard let secret = ShoeSecret(Array(repeating: number, count: ShoeSecret.length)) else { fatalError("32 bytes") }
        return secret
    }

    static let proof = ShoeProof(
        table: "main", shoe: 1 << 53, commitment: digest(1), secret: shoeSecret(2),
        contributions: [
            ShoeProof.Contribution(name: "Ann", commitment: digest(3), reveal: shoeSecret(4)),
            ShoeProof.Contribution(name: awkward, commitment: digest(5), reveal: nil),
        ],
        segments: [
            ShoeProof.Segment(number: 1, first: 312, discards: 0..<200),
            ShoeProof.Segment(number: 2, first: 512, discards: 200..<200, round: 31),
        ])
}

extension RandomTable {
    static func fairShoe(_ generator: inout SeededGenerator) -> FairShoe {
        FairShoe(
            shoe: generator.below(9), commitment: digest(&generator), list: digest(&generator), mixed: mixed(&generator),
            order: digest(&generator),
            segment: generator.below(2) == 0
                ? nil : .init(number: 1 + generator.below(3), first: 312, count: generator.below(313)))
    }

    static func nextShoe(_ generator: inout SeededGenerator) -> NextShoe {
        let contributors = ["Ann", "\u{738B}"].prefix(generator.below(3)).map {
            Contributor(name: $0, commitment: digest(&generator))
        }
        let stages: [NextShoe.Stage] = [
            .open, .revealing(contributors),
            .mixed(list: digest(&generator), mixed(&generator), order: digest(&generator)),
        ]
        return NextShoe(
            shoe: generator.below(9), attempt: 1 + generator.below(4), commitment: digest(&generator),
            withheld: generator.below(2) == 0 ? [] : ["J. R."], stage: stages[generator.below(3)],
            until: generator.below(2) == 0 ? nil : Int64(generator.below(9_999_999)))
    }

    private static func digest(_ generator: inout SeededGenerator) -> Digest {
        Samples.digest(UInt8(truncatingIfNeeded: generator.below(256)))
    }

    private static func mixed(_ generator: inout SeededGenerator) -> MixedContributions {
        MixedContributions((0..<generator.below(8)).map { _ in generator.below(2) == 0 })
    }
}

/// Items of a later server: names and contents that nobody has thought of yet.
enum OtherKinds {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    private static let rest = letters + Array("ABCXYZ0123456789.".utf8)

    /// A few names, each once, none of them known.
    static func names(_ generator: inout SeededGenerator) -> [OtherName] {
        var names: Set<OtherName> = []
        for _ in 0..<generator.below(4) {
            var name = [letters[generator.below(26)], letters[generator.below(26)]]
            for _ in 0..<generator.below(OtherName.maximumBytes - 1) { name.append(rest[generator.below(rest.count)]) }
            guard let other = OtherName(name), !known.contains(String(decoding: name, as: UTF8.self)) else { continue }
            names.insert(other)
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static let known: Set<String> = [
        "dealer", "round", "phase", "clock", "shoe", "left", "fair", "next", "closing", "rules", "seen",
    ]

    /// Compact JSON with sorted keys.
    static func content(_ generator: inout SeededGenerator, depth: Int = 0) -> String {
        switch generator.below(depth > 3 ? 5 : 8) {
        case 0: return "\(generator.below(2_000_000) - 1_000_000)"
        case 1: return ["0.75", "-1.5", "true", "false", "null"][generator.below(5)]
        case 2, 3: return text(&generator)
        case 4: return ["{}", "[]", "\"\""][generator.below(3)]
        case 5:
            let elements = (0..<generator.below(4)).map { _ in content(&generator, depth: depth + 1) }
            return "[" + elements.joined(separator: ",") + "]"
        default:
            let keys = Set((0..<generator.below(5)).map { _ in text(&generator) })
            // By the bytes of the keys themselves: a quote at the end would come after a space, not after the end.
            let sorted = keys.map { $0.dropFirst().dropLast() }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return "{" + sorted.map { "\"\($0)\":\(content(&generator, depth: depth + 1))" }.joined(separator: ",") + "}"
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        // Never empty: each key comes after another, and there is none before the empty one.
        let parts = ["a", "b", "zz", "Z", "0", "é", "王", "🂡", " ", "long enough for no short string", "?"]
        return "\"k" + (0..<generator.below(4)).map { _ in parts[generator.below(parts.count)] }.joined() + "\""
    }
}

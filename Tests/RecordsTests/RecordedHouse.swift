import Fairness
import TableEngine
import TestKit
import Wire

@testable import Records

/// A house at random, as a server would record it: accounts, tables, commands, operating.
struct RecordedHouse {
    struct Frame {
        var records: [Record]
    }

    var players: RandomPlayers
    /// The tables as played, to compare with replayed ones.
    private(set) var tables: [String: Table] = [:]
    private(set) var chips: [PlayerID: Int] = [:]
    private(set) var frames: [Frame] = []
    private(set) var now: Int64 = 1_795_000_000_000
    private var opened = 0
    /// Accounts that were closed: an id is never used again.
    private var closed: Set<PlayerID> = []
    private var pending: [Record] = []
    let tableCount: Int

    var records: [Record] { frames.flatMap(\.records) }

    init(seed: UInt64 = Seed.value, tables: Int = 3) {
        players = RandomPlayers(seed: seed)
        tableCount = tables
        pending = [.started(time: now, version: "1.1.0", careers: true)]
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps { step() }
    }

    /// Something happens; its records make a frame.
    mutating func step() {
        if players.random.below(3) == 0 { now += Int64(players.random.below(6000)) }
        switch players.random.below(60) {
        case 0: operate()
        case 1: restart()
        default:
            if tables.count < tableCount { open() }
            play()
        }
        if !pending.isEmpty { frames.append(Frame(records: pending)) }
        pending = []
    }

    private mutating func open() {
        opened += 1
        let rules = players.house()
        let pace = players.pace()
        let name = "table-\(opened)"
        tables[name] = Table(rules: rules, pace: pace)
        pending.append(.opened(table: name, rules: rules, pace: pace, pass: opened % 3 == 0 ? "x" : nil, time: now))
        perform(.tick, name)
        // Some tables have no ceremonies, as in tests.
        if opened % 4 > 0 { perform(.beginCeremonies(table: name), name) }
    }

    /// A player of a table commits or reveals, mostly the right bytes.
    private mutating func contribute(_ name: String, _ table: Table) {
        guard !table.playerViews.isEmpty, let next = table.nextShoe else { return }
        let player = players.pick(table.playerViews)
        let bytes = SHA256.hash("\(next.commitment.hex) \(player.id.rawValue)".utf8).bytes
        guard let mine = ShoeSecret(players.random.below(9) == 0 ? bytes.reversed() : bytes) else { return }
        if let list = table.closedList { return perform(.reveal(player: player.id, list: list, contribution: mine), name) }
        let own = player.profile.name
        let commitment = mine.contribution(table: name, shoe: next.shoe, player: own, to: next.commitment)
        perform(.commit(player: player.id, name: own, server: next.commitment, contribution: commitment), name)
    }

    private mutating func play() {
        let name = players.pick(tables.keys.sorted())
        guard let table = tables[name] else { return }
        if table.phase == .closed {
            pending.append(.gone(table: name, time: now))
            tables[name] = nil
            return
        }
        if table.hasCeremonies, players.random.below(4) == 0 { return contribute(name, table) }
        let number = Int(name.dropFirst(6)) ?? 0
        perform(players.command(table).moved(by: 10 * number + 1), name)
    }

    /// Performs as a server does: facts of time-outs of refused commands are kept, and the next shoe is supplied at once.
    private mutating func perform(_ command: Command, _ name: String) {
        guard var table = tables[name], command.player.map({ !closed.contains($0) }) ?? true else { return }
        var sink = FactList()
        let moment = Timestamp(milliseconds: now)
        let isRefused = (try? table.perform(command, at: moment, into: &sink)) == nil
        if table.needsShoeSource {
            guard let key = ShoeKey((0..<32).map { _ in UInt8(truncatingIfNeeded: players.random.next64()) }) else { return }
            try? table.perform(.supplyShoe(.keyed(key)), at: moment, into: &sink)
        }
        while table.needsSecret {
            let bytes = (0..<32).map { _ in UInt8(truncatingIfNeeded: players.random.next64()) }
            guard let secret = ShoeSecret(bytes) else { return }
            try? table.perform(.supplySecret(secret), at: moment, into: &sink)
        }
        if !isRefused, case .sit(let id, let profile, _, let amount) = command { fund(id, profile, amount) }
        tables[name] = table
        for fact in sink.facts {
            switch fact {
            case .sat(let id, _, _, let amount): chips[id, default: 0] -= amount
            case .left(let id, let amount): chips[id, default: 0] += amount
            default: break
            }
        }
        if !sink.facts.isEmpty { pending.append(.facts(table: name, time: now, sink.facts)) }
    }

    private mutating func fund(_ id: PlayerID, _ profile: PlayerProfile, _ amount: Int) {
        guard let owned = chips[id] else {
            let secret = players.random.below(2) == 0 ? SHA256.hash("\(id.rawValue)".utf8) : nil
            pending.append(
                .account(id, name: profile.name, isBot: profile.isBot, secret: secret, chips: amount + 100, time: now))
            chips[id] = amount + 100
            return
        }
        guard owned < amount else { return }
        let reason = players.pick(IssueReason.allCases)
        pending.append(.issued(id, chips: amount - owned, reason: reason, time: now))
        chips[id] = amount
    }

    private mutating func operate() {
        guard let id = chips.keys.min(by: { $0.rawValue < $1.rawValue }), let name = tables.keys.min() else { return }
        let isSeated = tables.values.contains { $0.bankroll(of: id) != nil }
        switch players.random.below(9) {
        case 0: pending.append(.renamed(id, name: "n\(frames.count)"))
        case 1: pending.append(.disabled(id, players.random.below(2) == 0))
        case 2: pending.append(.secret(id, SHA256.hash("\(frames.count)".utf8)))
        case 3: pending.append(.banned(block: "10.0.0.\(players.random.below(4))", until: players.pick([nil, now])))
        case 4: pending.append(.unbanned(block: "10.0.0.\(players.random.below(4))"))
        case 5: pending.append(.disabled(id, false))
        case 6:
            let digest = SHA256.hash("o\(frames.count)".utf8)
            pending += [.secret(id, digest), .owned(table: name, owner: id, code: digest)]
        case 7: pending.append(.pass(table: name, players.pick([nil, "open sesame"])))
        default:
            guard !isSeated else { return }
            pending.append(.closed(id, time: now))
            chips[id] = nil
            closed.insert(id)
        }
    }

    /// The server stops, or is killed, and starts later: tables are postponed.
    private mutating func restart() {
        if players.random.below(2) == 0 { pending.append(.stopped(time: now)) }
        let outage = players.random.below(100_000)
        now += Int64(outage)
        pending.append(.started(time: now, version: "1.1.1", careers: true))
        for name in tables.keys.sorted() where tables[name]?.phase != .closed { perform(.postpone(by: outage), name) }
    }
}

extension Command {
    var player: PlayerID? {
        switch self {
        case .sit(let player, _, _, _), .leave(let player), .bet(let player, _, _, _), .act(let player, _, _, _, _, _),
            .sitOut(let player, _), .disconnected(let player), .reconnected(let player), .release(let player):
            player
        case .declare(let player, _), .commit(let player, _, _, _), .reveal(let player, _, _): player
        case .supplyShoe, .tick, .close, .void, .postpone, .beginCeremonies, .supplySecret: nil
        }
    }

    /// The same of a player with another id, unless it names a player at the table. Shoes are supplied by the house.
    fileprivate func moved(by offset: Int) -> Command {
        guard let player else { if case .supplyShoe = self { return .tick } else { return self } }
        guard player.rawValue < 4 else { return self }
        let other = PlayerID(Int(player.rawValue) + offset)
        return switch self {
        case .sit(_, _, let seat, let chips):
            .sit(
                player: other,
                profile: PlayerProfile(name: "p\(other.rawValue)", isBot: true, contributes: other.rawValue % 3 > 0), seat: seat,
                chips: chips)
        case .leave: .leave(player: other)
        case .bet(_, let seat, let amount, let round): .bet(player: other, seat: seat, amount: amount, round: round)
        case .act(_, let action, let seat, let hand, let amount, let turn):
            .act(player: other, action: action, seat: seat, hand: hand, amount: amount, turn: turn)
        case .sitOut(_, let isOut): .sitOut(player: other, isOut: isOut)
        case .disconnected: .disconnected(player: other)
        case .reconnected: .reconnected(player: other)
        case .release: .release(player: other)
        case .declare, .commit, .reveal, .supplyShoe, .tick, .close, .void, .postpone, .beginCeremonies, .supplySecret: self
        }
    }
}

import Foundation
import Rules
import TestKit
import Testing
import Wire

@testable import ServerCore
@testable import TableEngine

/// A table, and clients each line of whom may be cut at any byte, and each answer be lost.
private final class Chaos {
    let server: VirtualServer
    var random: SeededGenerator
    var clients: [ChaosClient]
    var judge = ChaosJudge()
    var faults: [String] = []
    /// Where each kind of request was cut: bytes that arrived; one more than there are for an answer that was received.
    var cuts: [ChaosClient.Kind: Set<Int>] = [:]
    var phases: Set<String> = []
    var cutCount = 0
    /// The point of the next cut for each kind, so that all of them come.
    private var nextCut: [ChaosClient.Kind: Int] = [:]
    private var nextConnection: ConnectionID = 1

    init(players: Int, seed: UInt64) throws {
        let rules = try HouseRules([("surrender", .text("early"))])
        var configuration = ShardConfiguration(tables: [.init(name: "main", rules: rules)])
        configuration.startingChips = 1_000_000_000
        configuration.sitOutMilliseconds = 86_400_000
        configuration.settledMilliseconds = 1000
        configuration.requests = .unreached
        server = VirtualServer(configuration, seed: seed)
        random = SeededGenerator(seed: seed)
        clients = (1...players).map { ChaosClient("p\($0)") }
        server.onFacts = { [unowned self] facts, _ in judge.take(facts) }
        for index in clients.indices {
            connect(index)
            for line in [login(clients[index].name), #"{"type":"sit","table":"main"}"#] {
                deliver(Array((line + "\n").utf8)[...], index)
                hear()
            }
        }
    }

    private var hosted: HostedTable { server.shard.hostedTables[0] }

    var table: Table { hosted.engine }

    var bets: Int { clients.reduce(0) { $0 + $1.bets } }

    // MARK: What happens

    func step() {
        // Nobody is away for two minutes: after one, the next attempt meets no accident.
        if let late = clients.firstIndex(where: { $0.connection == nil && server.now > $0.lostAt + 60_000 }) {
            comeBack(late, isSafe: true)
            hear()
            return
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: server.advance(Int64.random(in: 1...1500, using: &random))
        case 1: server.advance(Int64.random(in: 1...9000, using: &random))
        default: move(Int.random(in: clients.indices, using: &random))
        }
        hear()
    }

    private func move(_ index: Int) {
        if let ghost = clients[index].ghosts.first, Bool.random(using: &random) {
            clients[index].ghosts.removeFirst()
            server.cut(ghost)
        }
        guard clients[index].connection != nil else {
            if Int.random(in: 0..<3, using: &random) == 0 { comeBack(index, isSafe: false) }
            return
        }
        if let pending = clients[index].pending { return attempt(pending, index, isSafe: false) }
        guard let ask = nextRequest(index) else {
            if Int.random(in: 0..<30, using: &random) == 0 { cut(index) }
            return
        }
        attempt(ask, index, isSafe: false)
    }

    private func nextRequest(_ index: Int) -> ChaosClient.Ask? {
        let (table, seat) = (table, clients[index].seat)
        if table.player(seat: seat).flatMap(table.playerView)?.isSittingOut == true {
            return clients[index].ask(.sitOut, #","out":false"#)
        }
        let actions = table.legalActions(seat: seat)
        if let action = actions.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 {
            let turn = hosted.shown.choice(seat)?.turn ?? 0
            return clients[index].ask(.act, ",\"action\":\"\(action.action.name)\",\"turn\":\(turn)")
        }
        let isOpen = table.phase.name == "waiting" || table.phase.name == "betting"
        // Now and then one that comes too late.
        guard isOpen ? table.state.seats[seat - 1].bet == 0 : Int.random(in: 0..<40, using: &random) == 0 else { return nil }
        let amount = Int.random(in: 2...60, using: &random) * 5
        return clients[index].ask(.bet, ",\"amount\":\(amount),\"round\":\(table.round)", amount: amount)
    }

    private func connect(_ index: Int) {
        clients[index].connection = nextConnection
        clients[index].framer = LineFramer(limit: WireLimits.requestBytes)
        server.connect(nextConnection)
        nextConnection += 1
    }

    private func comeBack(_ index: Int, isSafe: Bool) {
        connect(index)
        hear()
        let name = clients[index].name
        let digits = secret(of: name).digits
        attempt(clients[index].ask(.login, ",\"name\":\"\(name)\",\"secret\":\"\(digits)\""), index, isSafe: isSafe)
        guard clients[index].connection != nil else { return }
        let (epoch, revision) = (clients[index].epoch, clients[index].revision)
        let watch = clients[index].ask(.watch, ",\"table\":\"main\",\"epoch\":\"\(epoch)\",\"rev\":\(revision)")
        attempt(watch, index, isSafe: isSafe)
    }

    /// Sends a request, with a cut somewhere: within the line, before its answer, after it, or nowhere.
    private func attempt(_ ask: ChaosClient.Ask, _ index: Int, isSafe: Bool) {
        if ask.kind != .login && ask.kind != .watch { clients[index].pending = ask }
        let length = ask.line.count
        var point = length + 2
        // Seldom when it comes back, so that it does come back.
        let isCut = Int.random(in: 0..<(ask.kind == .login || ask.kind == .watch ? 8 : 3), using: &random) == 0
        if !isSafe, isCut {
            point = nextCut[ask.kind, default: 0] % (length + 2)
            nextCut[ask.kind, default: 0] += 1
            cuts[ask.kind, default: []].insert(point)
            phases.insert(table.phase.name)
        }
        deliver(ask.line.prefix(point), index)
        if point <= length {
            hear(except: clients[index].connection)
            if point == length { clients[index].pending?.mayHaveArrived = true }
            cut(index)
        } else {
            let answer = hear(for: ask.id, on: clients[index].connection)
            if let answer { clients[index].take(answer, to: ask) } else { faults.append("\(ask.id) got no answer") }
            if case .error(let refusal)? = answer, ask.kind == .login || ask.kind == .watch {
                faults.append("\(ask.id) was refused: \(refusal.code)")
            }
            clients[index].pending = ask.kind == .login || ask.kind == .watch ? clients[index].pending : nil
            if point == length + 1 { cut(index) }
        }
    }

    /// The bytes arrive in pieces.
    private func deliver(_ bytes: ArraySlice<UInt8>, _ index: Int) {
        guard let connection = clients[index].connection else { return }
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...rest.count, using: &random))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { bytes in
                _ = clients[index].framer.append(bytes) { line in
                    server.receive(String(decoding: line, as: UTF8.self), from: connection)
                    return true
                }
            }
        }
    }

    private func cut(_ index: Int) {
        guard let connection = clients[index].connection else { return }
        cutCount += 1
        clients[index].connection = nil
        if clients[index].isLoggedIn { clients[index].lostAt = server.now }
        clients[index].isLoggedIn = false
        // Now and then the server learns of it only later, perhaps when the player is back already.
        if Int.random(in: 0..<3, using: &random) == 0 { clients[index].ghosts.append(connection) } else { server.cut(connection) }
    }

    // MARK: What is said

    /// Takes everything that was said.
    /// - Returns: the answer to a request.
    @discardableResult
    private func hear(for id: String? = nil, on asking: ConnectionID? = nil, except lost: ConnectionID? = nil) -> ServerMessage? {
        var answer: ServerMessage?
        for output in server.take() {
            switch output {
            case .line(let connection, let line):
                let index = clients.firstIndex { $0.connection == connection }
                guard let index, connection != lost else { continue }
                guard let message = try? Array(line.utf8).withUnsafeBufferPointer({ try ServerMessage(line: $0) }) else {
                    faults.append("not of the protocol: \(line)")
                    continue
                }
                if let fault = clients[index].hear(message) { faults.append(fault) }
                guard connection == asking, let id else { continue }
                switch message {
                case .ok(.text(id), _): answer = message
                case .error(let refusal) where refusal.id == .text(id): answer = message
                default: break
                }
            case .closed(let connection):
                if let index = clients.firstIndex(where: { $0.ghosts.contains(connection) }) {
                    clients[index].ghosts.removeAll { $0 == connection }
                    server.cut(connection)
                } else {
                    faults.append("connection \(connection) was closed")
                }
            }
        }
        return answer
    }

    // MARK: What must hold

    /// The first broken law; nil for none.
    var fault: String? {
        if let first = faults.first ?? judge.faults.first { return first }
        if server.ledger.imbalance != 0 { return "chips: \(server.ledger)" }
        for client in clients where client.pending == nil {
            let seat = judge.seats[client.seat]
            let more = (seat.bets - client.bets, seat.chipsBet - client.chipsBet, seat.decisions - client.decisions)
            let isRight =
                (0...client.lost.bets).contains(more.0) && (0...client.lost.chipsBet).contains(more.1)
                && (0...client.lost.decisions).contains(more.2)
            if !isRight {
                return
                    "\(client.name) was told of \(client.bets) bets of \(client.chipsBet) chips and \(client.decisions) decisions; "
                    + "there were \(seat)"
            }
        }
        return nil
    }

    /// Ends it: everybody comes back and hears every answer, and the last round is played.
    func finish() {
        for index in clients.indices {
            if clients[index].connection == nil { comeBack(index, isSafe: true) }
            if let pending = clients[index].pending { attempt(pending, index, isSafe: true) }
        }
        while table.phase.name != "waiting" { server.advance(1000) }
        hear()
    }
}

/// A client that sends again what was not answered loses nothing and doubles nothing, wherever its connections are cut.
@Test(arguments: [2, 7])
func whereverAConnectionIsCut_eachBetIsPlacedOnce_orRefused(_ players: Int) throws {
    let wanted = Thorough.count(1000, most: 60_000)
    let chaos = try Chaos(players: players, seed: Seed.value &+ UInt64(players))
    var steps = 0
    while chaos.bets < wanted {
        chaos.step()
        steps += 1
        if let fault = chaos.fault {
            Issue.record("step \(steps), \(players) players, BJ_SEED=\(Seed.value): \(fault)")
            return
        }
        try #require(steps < wanted * 200, "they get on with it, BJ_SEED=\(Seed.value)")
    }
    chaos.finish()
    #expect(chaos.fault == nil, "BJ_SEED=\(Seed.value)")
    for client in chaos.clients {
        let seat = chaos.judge.seats[client.seat]
        #expect(
            client.pending == nil && seat.roundsDealt == seat.bets, "every bet was dealt: \(client.name), BJ_SEED=\(Seed.value)"
        )
        let reasons: Set = [
            "betting_closed", "not_your_turn", "stale", "sitting_out", "not_allowed",
        ]
        #expect(reasons.isSuperset(of: client.refusals.keys), "\(client.refusals), BJ_SEED=\(Seed.value)")
    }
    // Each byte of the lines, the end of which is one; the answer lost; the answer received.
    for (kind, length) in [(ChaosClient.Kind.bet, 49), (.act, 48), (.login, 103), (.watch, 63)] {
        #expect(chaos.cuts[kind, default: []].isSuperset(of: 0...length), "\(kind), BJ_SEED=\(Seed.value)")
    }
    #expect(chaos.phases.isSuperset(of: ["waiting", "betting", "insurance", "playing", "settled"]), "BJ_SEED=\(Seed.value)")
    if Thorough.isWanted {
        print(
            "\(players) players: \(chaos.bets) bets placed, \(chaos.cutCount) cuts, \(chaos.judge.rounds) rounds, \(chaos.judge.hands) hands, "
                + "\(chaos.judge.timeOuts) time-outs, refused: \(chaos.clients.reduce(into: [:]) { $0.merge($1.refusals, uniquingKeysWith: +) })"
        )
    }
}

/// The case that was found first: the lone bet of a player whose connection is lost.
@Test func aLoneBetIsStillThere_whenItsPlayerComesBackAndSendsItAgain() {
    let server = VirtualServer.small()
    for (index, name) in ["ann", "bob"].enumerated() {
        server.seat(name, ConnectionID(index), at: "main")
    }
    server.receive(#"{"type":"bet","amount":10,"id":"B","round":0}"#, from: 1)
    _ = server.take()
    server.cut(1)
    #expect(server.take().isEmpty, "a connection that was lost a moment ago costs nobody a diff")
    server.advance(1000)
    server.connect(2, as: "bob")
    #expect(server.take(0).isEmpty, "nor does coming back in time")
    server.receive(#"{"type":"bet","amount":10,"id":"B","round":0}"#, from: 2)
    #expect(server.take(2).first?.hasPrefix(#"{"type":"ok","id":"B""#) == true)
    #expect(server.shard.shown("main")?.snapshot.bet(.init(seat: 2, number: 1)) == 10)
}

@Test func aBetOfAPlayerWhoStaysAway_isDealtAndSettled_beforeTheSeatIsFreed() throws {
    let rules = try HouseRules([("bettingSeconds", .integer(300))])
    let server = VirtualServer.plain { $0.tables[0].rules = rules }
    for connection in ConnectionID(1)...2 { server.seat("p\(connection)", connection) }
    server.receive(#"{"type":"bet","amount":10,"round":0}"#, from: 1)
    server.cut(1)
    server.advance(130_000)
    #expect(server.shard.shown("main")?.snapshot.bet(.init(seat: 1, number: 1)) == 10, "the time away is over, and the bet stays")
    server.advance(200_000)
    #expect(server.facts.contains { if case .settled(1, 0, _, _, _) = $0 { true } else { false } })
    #expect(server.shard.shown("main")?.snapshot.player(1) == nil && server.shard.ledger.imbalance == 0)
    #expect(server.shard.accounts.count == 1, "and the account is dormant")
}

@Test func aPlayerWhoSitsOutForTooLong_isAtNoTable_andHasTheChips() {
    let server = VirtualServer.small()
    server.seat(guest: "ann", 1)
    server.receive(#"{"type":"sitOut"}"#, from: 1)
    for _ in 1...10 {
        #expect(server.shard.shown("main")?.snapshot.player(1) != nil)
        server.advance(60_000)
        server.receive(#"{"type":"ping"}"#, from: 1)
    }
    #expect(server.shard.shown("main")?.snapshot.player(1) == nil)
    #expect(server.shard.accounts.values.first?.state.chips == 1000 && server.shard.accounts.values.first?.table == nil)
}

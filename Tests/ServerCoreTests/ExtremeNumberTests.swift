import Rules
import TableModel
import TestKit
import Testing

@testable import ServerCore
@testable import Wire

/// How far a conversation has come when the extreme numbers are said.
enum ConversationState: String, CaseIterable, Sendable {
    case stranger, loggedIn, watching, waiting, betting, ownTurn, othersTurn, insurance, settled, sittingOut, leaving, draining

    /// A server in which connection 1 has come so far.
    func makeServer() throws -> VirtualServer {
        for seed in UInt64(1)...400 {
            let server = VirtualServer.small(rules: try rules, seed: seed, requests: .unreached)
            for connection in ConnectionID(1)...2 { server.connect(connection) }
            for line in lines { server.receive(line.text, from: line.connection) }
            if self == .draining { server.shard.drain(at: server.now) }
            if holds(in: server) { return server }
        }
        throw Unreachable(state: self)
    }

    struct Unreachable: Error { let state: ConversationState }

    private var rules: HouseRules {
        get throws { try HouseRules([("doubleForLess", .flag(true)), ("seatsPerPlayer", .integer(2))]) }
    }

    private var lines: [(connection: ConnectionID, text: String)] {
        let login = (ConnectionID(1), #"{"type":"login","name":"ann"}"#)
        let both = [
            login, (2, #"{"type":"login","name":"bob"}"#), (1, #"{"type":"sit","seat":1}"#), (2, #"{"type":"sit","seat":3}"#),
        ]
        let bets =
            both + [(1, #"{"type":"bet","amount":100,"round":"now"}"#), (2, #"{"type":"bet","amount":100,"round":"now"}"#)]
        switch self {
        case .stranger: return []
        case .loggedIn: return [login]
        case .watching: return [login, (1, #"{"type":"watch"}"#)]
        case .waiting: return both
        case .betting: return both + [(2, #"{"type":"bet","amount":100,"round":"now"}"#)]
        case .ownTurn, .insurance, .draining: return bets
        case .othersTurn: return bets + [(1, #"{"type":"act","action":"stand","turn":"now"}"#)]
        case .settled:
            return bets + [
                (1, #"{"type":"act","action":"stand","turn":"now"}"#), (2, #"{"type":"act","action":"stand","turn":"now"}"#),
            ]
        case .sittingOut: return both + [(1, #"{"type":"sitOut"}"#)]
        case .leaving: return bets + [(1, #"{"type":"leave"}"#)]
        }
    }

    /// Whether connection 1 is in this state.
    func holds(in server: VirtualServer) -> Bool {
        let session = server.shard.sessions[1]
        guard let table = server.shard.hostedTables.first(where: { _ in true }) else { return false }
        let ann = session?.account.flatMap { table.engine.playerView($0.id) }
        let isAsked = table.shown.isAsked(1)
        switch (self, table.engine.phase) {
        case (.stranger, _): return session != nil && session?.account == nil
        case (.loggedIn, _): return session?.account != nil && ann == nil && session?.watching == nil
        case (.watching, _): return ann == nil && session?.watching != nil
        case (.waiting, .waiting), (.betting, .betting): return ann?.isSittingOut == false
        case (.ownTurn, .playing): return isAsked && !table.engine.isClosing
        case (.othersTurn, .playing): return ann?.isLeaving == false && !isAsked
        case (.insurance, .insurance): return isAsked
        case (.settled, .settled): return ann != nil
        case (.sittingOut, _): return ann?.isSittingOut == true
        case (.leaving, .playing): return ann?.isLeaving == true
        case (.draining, .playing): return isAsked && table.engine.isClosing
        default: return false
        }
    }
}

struct ExtremeNumberTests {
    /// Each request that can have a number, with `@` for it.
    private static let requests = [
        #"{"type":"login","name":"ann","version":@}"#, #"{"type":"sit","seat":@}"#,
        #"{"type":"watch","epoch":"0","rev":@}"#, #"{"type":"watch","epoch":"EPOCH","rev":@}"#,
        #"{"type":"bet","amount":@,"round":"now"}"#, #"{"type":"bet","amount":100,"seat":@,"round":"now"}"#,
        #"{"type":"act","action":"hit","seat":@,"turn":"now"}"#,
        #"{"type":"act","action":"hit","hand":@,"turn":"now"}"#, #"{"type":"act","action":"double","amount":@,"turn":"now"}"#,
        #"{"type":"act","action":"insurance","amount":@,"turn":"now"}"#,
        #"{"type":"act","action":"split","amount":@,"turn":"now"}"#,
        #"{"type":"options","silence":@}"#, #"{"type":"ping","id":@}"#, #"{"type":"bet","amount":0,"id":@,"round":"now"}"#,
        #"{"type":"chat","text":"x","x":@}"#,
    ]

    private static let numbers =
        [
            Int.min, Int.min + 1, -(1 << 53), -1, 0, 1, 2, 4, 5, 7, 8, 50, 51, 99, 100, 101, 300, 1000, 1 << 31, 1 << 32,
            1_000_000_000, 1_000_000_000_000, 1 << 53, 1 << 53 + 1, Int.max - 1, Int.max,
        ].map(String.init) + ["9223372036854775808", "18446744073709551615", "-9223372036854775809", "1e400", "-0", "1.5"]

    @Test(arguments: ConversationState.allCases)
    func anyNumberInAnyRequest_isAnsweredOnce_andMakesOrLosesNoChip(_ state: ConversationState) throws {
        for request in Self.requests {
            var server = try state.makeServer()
            for number in Self.numbers {
                if !state.holds(in: server) { server = try state.makeServer() }
                let epoch = server.shard.hostedTables.first { _ in true }?.epoch ?? ""
                let line = request.replacing("@", with: number).replacing("EPOCH", with: epoch)
                _ = server.take()
                server.receive(line, from: 1)
                let answers = server.take(1).filter { $0.hasPrefix(#"{"type":"ok""#) || $0.hasPrefix(#"{"type":"error""#) }
                #expect(answers.count == 1, "\(state): \(line) got \(answers)")
                try check(server, "\(state): \(line)")
            }
            // Plays every accepted request to its end: clocks, payouts, away players, silence.
            for _ in 0..<40 { server.advance(60_000) }
            try check(server, "\(state): \(request), later")
        }
    }

    private func check(_ server: VirtualServer, _ place: @autoclosure () -> String) throws {
        try #require(server.shard.ledger.imbalance == 0, "\(place()): \(server.shard.ledger)")
        try #require(server.shard.hostedTables.allSatisfy { $0.shown == TableSnapshot($0.engine) }, "\(place())")
    }

    // MARK: Configurations

    @Test(arguments: [Int.min, -1, 0, 1, 1 << 53, Int.max - 1, Int.max])
    func anyNumberInAConfiguration_isBroughtIntoItsRange(_ number: Int) throws {
        var configuration = ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        configuration.startingChips = number
        configuration.settledMilliseconds = number
        configuration.awayMilliseconds = Int64(number)
        configuration.maximumConnections = number
        configuration.maximumPlayers = number
        configuration.requests = .init(number, perMilliseconds: number, burst: number)
        do {
            let server = VirtualServer(configuration)
            server.connect(1)
            server.receive(
                [
                    #"{"type":"login","name":"ann"}"#, #"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#,
                    #"{"type":"chat","text":"x"}"#,
                    #"{"type":"act","action":"stand","turn":"now"}"#,
                ], from: 1)
            for _ in 0..<20 { server.advance(60_000) }
            server.cut(1)
            for _ in 0..<20 { server.advance(86_400_000) }
            #expect(server.shard.ledger == Ledger(bank: -server.shard.ledger.house, house: server.shard.ledger.house))
        }
    }

    /// All that a player can own is bet again and again, and lost players borrow.
    @Test func theLargestBets_areWonAndLost_withoutEnd() throws {
        let most = HouseRules.betRange.upperBound
        let rules = try HouseRules([
            ("minimumBet", .integer(most)), ("maximumBet", .integer(most)), ("betStep", .integer(most)), ("seats", .integer(1)),
            ("blackjackPays", .text("2:1")),
        ])
        var configuration = ShardConfiguration(tables: [.init(name: "main", rules: rules)])
        configuration.startingChips = Int.max
        configuration.settledMilliseconds = 0
        configuration.requests = .unreached
        let server = VirtualServer(configuration)
        server.connect(1, asGuest: "ann")
        for _ in 0..<300 {
            server.receive(
                [
                    #"{"type":"sit"}"#, #"{"type":"bet","amount":\#(most),"round":"now"}"#,
                    #"{"type":"act","action":"double","turn":"now"}"#,
                    #"{"type":"act","action":"stand","turn":"now"}"#, #"{"type":"leave"}"#,
                ], from: 1)
            server.advance(700_000)
            #expect(server.shard.ledger.imbalance == 0)
        }
        #expect(server.shard.rounds == 300)
    }
}

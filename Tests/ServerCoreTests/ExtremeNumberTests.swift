import Rules
import Testing

@testable import ServerCore

struct ExtremeNumberTests {
    @Test(arguments: [Int.min, -1, 0, 1, 1 << 53, Int.max - 1, Int.max])
    func anyNumberInAConfiguration_isBroughtIntoItsRange(_ number: Int) throws {
        var configuration = ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        configuration.startingChips = number
        configuration.settledMilliseconds = number
        configuration.awayMilliseconds = Int64(number)
        configuration.maximumConnections = number
        configuration.maximumPlayers = number
        configuration.requests = .init(number, perMilliseconds: number, burst: number)
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

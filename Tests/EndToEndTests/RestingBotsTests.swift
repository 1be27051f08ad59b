import Bots
import Rules
import Sockets
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Bots that bet after others: a table without a bet gives their seats away, and they come back.
@Test(.ownThread) func botsThatRest_takeTheirSeatsAgain() async throws {
    let server = try RunningServer { $0.sitOutMilliseconds = 50 }
    let loop = Loop(label: "test.bots")
    defer { loop.stop() }
    let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
    var options = BotCrew.Options(host: "127.0.0.1", port: server.port, bots: 2)
    options.betsFirst = false
    crew.perform { [options] in $0.start(options) }
    func seats() -> [Bool] {
        (1...2000).compactMap { server.snapshot("main", $0) }.map { $0.player(1) != nil }.reduce(into: []) { seats, isTaken in
            if seats.last != isTaken { seats.append(isTaken) }
        }
    }
    #expect(Waiting.until { seats().contains([true, false, true]) }, "\(seats())")
    #expect(server.rounds == 0)
    crew.perform { $0.stop() }
    await server.stop()
}

/// Nobody else plays, so no change of the table follows.
@Test(.ownThread) func aBotIsBackAtATableThatStayedAsItWas_andBetsThere() throws {
    BasicStrategies.prepare(for: HouseRules())
    let server = try ScriptedServer { server, request in
        let watched = server.types.count { $0 == "watch" }
        switch request.message {
        case .success(.login(let name, _, _, _, _, _)):
            server.send(.ok(id: request.id, .login(LoginReply(name: name, chips: 1000, table: "main", seats: [1]))))
        case .success(.watch):
            server.send(.ok(id: request.id, .watch(table: "main", CatchUp(epoch: "e", revision: 7))))
            let player = Player(name: "bot-1", chips: 1000, isBot: true)
            let rules = TableRules(HouseRules(), digest: String(repeating: "0", count: 64))
            let table = TableSnapshot([.rules(rules), .round(0), .phase(.waiting), .player(1, player)])
            if watched == 1 { server.send(.snapshot(table: "main", epoch: "e", revision: 7, table, chat: 0)) }
        case .success(.bet) where watched == 1:
            server.refuse(request, .stale, "Too late.")
            server.hangUp()
        default: break
        }
    }
    let loop = Loop(label: "test.bot")
    defer { loop.stop() }
    let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
    var options = BotCrew.Options(host: "127.0.0.1", port: server.port, bots: 1)
    options.client.contributes = false
    crew.perform { [options] in $0.start(options) }
    func requests(_ type: String) -> Int { server.loop.performAndWait { server.types.count { $0 == type } } }
    #expect(Waiting.until { requests("bet") == 2 })
    #expect(requests("watch") == 2)
    crew.perform { $0.stop() }
    server.stop()
}

import Bots
import Sockets
import TestKit
import Testing

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

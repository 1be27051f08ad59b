import Bots
import CommandLineKit
import Dispatch
import Rules
import ServerCore
import Sockets

/// An in-process server with one table and house bots, on a loopback port.
final class Practice {
    let address: (host: String, port: Int)
    private let server: Server
    private let crew: LoopConfined<BotCrew>?

    /// Exits when the rules are invalid or listening fails.
    init(_ options: ClientProgram.PracticeOptions) {
        var shards = ShardConfiguration(tables: [.init(name: "practice", rules: Self.rules(options.rules))])
        // Nobody else waits.
        shards.hasClock = false
        // Long enough to read the results.
        shards.settledMilliseconds = 3000
        shards.serverName = "bjclient/\(Release.version)"
        var settings = Server.Options()
        settings.port = 0
        settings.seed = options.seed
        if options.seed == nil { settings.edgeDelay = 0 }
        server = Server(shards: shards, options: settings)
        do {
            let bound = try server.start()
            address = (bound.host, bound.port)
        } catch {
            Console.fail("bjclient", error, status: 69)
        }
        guard options.bots > 0 else {
            crew = nil
            return
        }
        BasicStrategies.prepare(for: shards.tables[0].rules)
        let loop = Loop(label: "bj.bots")
        let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
        var bots = BotCrew.Options(host: address.host, port: address.port, bots: options.bots)
        bots.namePrefix = "bot"
        // Which of them would be in time for the first shoe depends on the machine.
        if options.seed != nil { bots.contributes = false }
        // The player has seat 1, and everybody is there for the first round: the same seed plays the same game.
        (bots.firstSeat, bots.awaitedPlayers) = (2, options.bots + 1)
        let seated = DispatchSemaphore(value: 0)
        crew.perform { [bots] in
            $0.onSeated = { seated.signal() }
            $0.start(bots)
        }
        self.crew = crew
        // Bounds the wait for more bots than the table has seats for.
        _ = seated.wait(timeout: .now() + .seconds(3))
    }

    private static func rules(_ name: String) -> HouseRules {
        if name == "default" { return HouseRules() }
        do {
            return try RulesSource.load(name) { try RegularFile.read($0, upTo: RulesSource.limit) }
        } catch {
            Console.fail("bjclient", "\(error)", status: 65)
        }
    }
}

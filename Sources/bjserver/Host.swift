import Bots
import CommandLineKit
import Dispatch
import Foundation
import ServerCore
import Sockets
import Synchronization

/// Runs a server until it is told to stop.
struct Host {
    private let options: ServerProgram.ServeOptions
    private let stopping = Flag()

    init(_ options: ServerProgram.ServeOptions) { self.options = options }

    func run() -> Never {
        let server = makeServer()
        let address = listen(server)
        let crews = seatBots(at: address)
        if options.seed != nil {
            Console.printError("bjserver: --seed repeats every shoe: for tests only")
        }
        let stopping = stopping
        let signals = Console.onSignals([SIGINT, SIGTERM]) { _ in
            // The last word to the players; a second signal, or a peer that does not take it, ends the wait.
            if stopping.raise() { exit(0) }
            server.stop { exit(0) }
            DispatchQueue.main.asyncAfter(deadline: .now() + 3) { exit(0) }
        }
        withExtendedLifetime((signals, crews)) { dispatchMain() }
    }

    private func makeServer() -> Server {
        let rules = ServerProgram.rules(named: options.rules)
        guard Set(options.tables).count == options.tables.count else {
            Console.fail("bjserver", "two tables have the same name", status: 64)
        }
        var casino = CasinoConfiguration(tables: options.tables.map { .init(name: $0, rules: rules) })
        casino.startingChips = options.chips
        casino.settledMilliseconds = options.settle
        casino.holdMilliseconds = Int64(options.hold)
        casino.serverName = "bjserver/\(ServerProgram.version)"
        var settings = Server.Options()
        settings.host = options.listen.host
        settings.port = Int(options.listen.port)
        settings.seed = options.seed
        settings.logLevel = options.log
        return Server(casino: casino, options: settings) { Console.printError($0.text) }
    }

    private func listen(_ server: Server) -> SocketAddress {
        do {
            let address = try server.start()
            Console.print("listening on \(address)")
            return address
        } catch {
            Console.fail("bjserver", error, status: 69)
        }
    }

    /// House bots play over TCP like everybody else: by the same protocol, clock and limits.
    private func seatBots(at address: SocketAddress) -> [BotCrew] {
        guard options.bots > 0 else { return [] }
        let loop = Loop(label: "bj.bots")
        return options.tables.map { table in
            var settings = BotCrew.Options(host: local(address.host), port: address.port, bots: options.bots)
            settings.table = table
            settings.namePrefix = options.tables.count == 1 ? "house" : "house \(table)"
            let crew = BotCrew(loop: loop)
            let stopping = stopping
            crew.start(settings) { report in
                // Bots that are sent home with everybody else have nothing to complain of.
                guard !stopping.isRaised else { return }
                for error in report.errors { Console.printError("bjserver: house bot: \(error)") }
            }
            return crew
        }
    }

    /// A socket that listens on every address is reached on this machine's own.
    private func local(_ host: String) -> String { host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host }
}

/// Whether something has begun, known on every thread.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .relaxed) }

    /// - Returns: whether it was raised before.
    func raise() -> Bool { value.exchange(true, ordering: .relaxed) }
}

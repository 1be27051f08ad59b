import Bots
import CommandLineKit
import Dispatch
import Foundation
import Operations
import ServerCore
import Sockets
import Synchronization

/// Runs a server until it is told to stop.
struct Host {
    private let configuration: ServerConfiguration
    private let log: LogWriter
    private let stopping = Flag()
    private var options: ServeOptions { configuration.options }

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        log = LogWriter(settings: LogSettings(level: configuration.options.log, format: configuration.options.logFormat))
    }

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
        var casino = CasinoConfiguration(tables: configuration.tables)
        casino.startingChips = options.chips
        casino.settledMilliseconds = options.settle
        casino.holdMilliseconds = Int64(options.hold)
        casino.serverName = "bjserver/\(ServerProgram.version)"
        var settings = Server.Options()
        settings.host = options.listen.host
        settings.port = Int(options.listen.port)
        settings.seed = options.seed
        settings.logLevel = options.log
        return Server(casino: casino, options: settings) { [log] in log.write($0) }
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
        return configuration.tables.map(\.name).map { table in
            var settings = BotCrew.Options(host: local(address.host), port: address.port, bots: options.bots)
            settings.table = table
            settings.namePrefix = configuration.tables.count == 1 ? "house" : "house \(table)"
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

import Bots
import Operations
import ServerCore
import Sockets

/// The bots of the house, which play as long as their table is open.
struct HouseBots: Sendable {
    /// One loop for the bots of all tables; nil without bots.
    var loop: Loop?
    /// The address at which they connect.
    var address: SocketAddress?
    var crews: [String: LoopConfined<BotCrew>] = [:]
}

extension Host {
    /// Seats the house bots at the tables that are open at the start. They connect over TCP: the same protocol, clock and limits as
    /// players.
    func seatBots(at address: SocketAddress) {
        guard configuration.options.bots > 0 else { return }
        houseBots.withLock { ($0.loop, $0.address) = (Loop(label: "bj.bots"), address) }
        for table in configuration.tables { seatBots(atTable: table.name) }
    }

    /// Seats the house bots at a table that has opened.
    func seatBots(atTable table: String) {
        let options = configuration.options
        houseBots.withLock { bots in
            guard let loop = bots.loop, let address = bots.address else { return }
            var settings = BotCrew.Options(host: local(address.host), port: address.port, bots: options.bots)
            settings.table = table
            settings.namePrefix = configuration.tables.count == 1 ? "house" : "house \(table)"
            // It opens reserved names, and every table.
            settings.secret = hostSecret
            // The host's own contributions protect nobody, and a crash would lose them: the bots would be named as withholders.
            settings.contributes = false
            let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
            bots.crews[table] = crew
            crew.perform { [settings, stopping, log, server] crew in
                crew.start(settings) { report in
                    // During a drain bots lose their seats: not an error.
                    guard !stopping.isRaised else { return }
                    for error in report.errors {
                        log.write(
                            LogLine(
                                time: server.wallClock, level: .warning, event: "house_bot", fields: [LogField("reason", error)]))
                    }
                }
            }
        }
    }

    /// Sends the house bots of a closed table home.
    func dismissBots(ofTable table: String) {
        let crew = houseBots.withLock { $0.crews.removeValue(forKey: table) }
        crew?.perform { $0.stop() }
    }
}

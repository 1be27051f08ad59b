import Bots
import CommandLineKit
import LoadGenerator
import Wire

/// The subcommands of `bjbots`.
enum BotsProgram: Sendable {
    case play(PlayOptions)
    case simulate(SimulateOptions)
    case odds(OddsOptions)
    case chart(ChartOptions)
    case load(LoadOptions)
    case chaos(ChaosProxy.Options)

    struct PlayOptions: Sendable {
        var server = Endpoint(host: "127.0.0.1", port: 2121)
        /// ``crew`` adds the rest.
        var bots = BotCrew.Options(host: "", port: 0, bots: 1, rounds: 20)
        var name: String?
        var json = false
        var timeout: Int64 = 600_000
    }

    static let command = Command<Void, BotsProgram>(group: "bjbots", "Plays scripted blackjack bots.") { command in
        command.version(Release.text(protocol: WireLimits.versions))
        command.subcommand(play)
        command.subcommand(SimulateOptions.command)
        command.subcommand(OddsOptions.command)
        command.subcommand(ChartOptions.command)
        command.subcommand(LoadOptions.command)
        command.subcommand(Chaos.command)
    }

    private static let play = Command<PlayOptions, BotsProgram>(
        "play", "Runs bots that play basic strategy.", defaults: PlayOptions(), program: BotsProgram.play
    ) { command in
        command.discussion(
            """
            Each bot takes a seat, bets, and plays basic strategy for the rules of its table. At the end it reports the rounds, \
            hands, net chips and errors of all bots. Bots reconnect after a lost connection; a server that is unreachable at the start is an error.
            """)
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), help: "The server.")
        command.option("--bots", \.bots.bots, .int(1...1000), short: "b", help: "Number of bots.")
        command.option("--rounds", \.bots.rounds, .int(1...1_000_000_000), short: "r", help: "Rounds per bot.")
        command.option(
            "--table", \.bots.table, .text(upTo: 32), value: "NAME", short: "t",
            help: "Table to play at. Default: any with a free seat.")
        command.option(
            "--bet", \.bots.bet, .int(0...1_000_000_000), help: "Bet per round, within the table's limits. 0: the minimum.")
        command.option(
            "--name", \.name, .text(upTo: 12),
            help: "Prefix of the bots' names, numbered from 1. Default: names of the run's own.")
        command.option(
            "--timeout", \.timeout, .milliseconds(1000...86_400_000), help: "Time limit of the run.")
        command.flag("--json", \.json, help: "Prints the report as a JSON object.")
        command.example("bjbots play 127.0.0.1:2121 --bots 6 --rounds 20", "six bots, twenty rounds each")
        command.exitStatus(1, "There were errors; the report lists them.")
        command.exitStatus(69, "The server is unreachable or is not a bjserver.")
    }
}

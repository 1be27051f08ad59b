import Bots
import CommandLineKit
import Dispatch
import Foundation
import Sockets

/// Plays a crew of bots and reports.
struct Play {
    private let options: BotsProgram.PlayOptions

    init(_ options: BotsProgram.PlayOptions) { self.options = options }

    func run() -> Never {
        let options = options
        let loop = Loop(label: "bj.bots")
        let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
        var settings = options.crew
        // A little more than an attempt to connect takes at most.
        settings.greetingTimeout = 12_000
        Console.printError("connecting to \(options.server)")
        crew.perform { [settings] crew in
            crew.onReached = { Console.printError("playing: \(options.bots) bots, \(options.rounds) rounds each") }
            crew.start(settings) { Self.finish($0, options) }
            crew.startTimeout(milliseconds: Int64(options.timeout)) { Self.finish($0, options) }
        }
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in
            crew.perform { Self.finish($0.breakOff(because: "interrupted"), options) }
        }
        withExtendedLifetime((crew, signals)) { dispatchMain() }
    }

    private static func finish(_ report: BotCrew.Report, _ options: BotsProgram.PlayOptions) -> Never {
        Console.print(options.json ? Console.jsonLine(report) : text(report))
        for error in report.errors { Console.printError("bjbots: \(error)") }
        exit(report.isUnreachable ? 69 : report.errors.isEmpty ? 0 : 1)
    }

    private static func text(_ report: BotCrew.Report) -> String {
        "bots \(report.bots), rounds \(report.rounds), hands \(report.hands), net chips \(report.net), shoes \(report.shoes.verified) verified, "
            + "\(report.shoes.failed) failed, \(report.shoes.unproven) unproven, errors \(report.errors.count)"
    }
}

extension BotsProgram.PlayOptions {
    var crew: BotCrew.Options {
        var crew = BotCrew.Options(host: server.host, port: Int(server.port), bots: bots, rounds: rounds)
        (crew.table, crew.bet) = (table, bet)
        // A name is an account, which the last login takes: runs at the same time have numbers of their own.
        if let name { crew.namePrefix = name } else { crew.numbers.first = Int.random(in: 1_000...999_000) }
        return crew
    }
}

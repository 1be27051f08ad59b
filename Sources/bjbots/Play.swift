import Bots
import CommandLineKit
import Dispatch
import Foundation
import Sockets

extension BotsProgram.PlayOptions {
    /// Plays a crew of bots and reports.
    func run() -> Never {
        let loop = Loop(label: "bj.bots")
        let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
        var settings = self.crew
        // A little more than an attempt to connect takes at most.
        settings.greetingTimeout = 12_000
        Console.printError("connecting to \(server)")
        crew.perform { [settings] crew in
            crew.onReached = { Console.printError("playing: \(bots) bots, \(rounds) rounds each") }
            crew.start(settings) { finish($0) }
            crew.startTimeout(milliseconds: Int64(timeout)) { finish($0) }
        }
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in
            crew.perform { finish($0.breakOff(because: "interrupted")) }
        }
        withExtendedLifetime((crew, signals)) { dispatchMain() }
    }

    private func finish(_ report: BotCrew.Report) -> Never {
        let shoes = "\(report.shoes.verified) verified, \(report.shoes.failed) failed, \(report.shoes.unproven) unproven"
        let text =
            "bots \(report.bots), rounds \(report.rounds), hands \(report.hands), net chips \(report.net), shoes \(shoes), "
            + "errors \(report.errors.count)"
        Console.print(json ? Console.jsonLine(report) : text)
        for error in report.errors { Console.printError("bjbots: \(error)") }
        exit(report.isUnreachable ? 69 : report.errors.isEmpty ? 0 : 1)
    }

    var crew: BotCrew.Options {
        var crew = BotCrew.Options(host: server.host, port: Int(server.port), bots: bots, rounds: rounds)
        (crew.table, crew.bet) = (table, bet)
        // A name is an account, which the last login takes: runs at the same time have numbers of their own.
        if let name { crew.namePrefix = name } else { crew.numbers.first = Int.random(in: 1_000...999_000) }
        return crew
    }
}

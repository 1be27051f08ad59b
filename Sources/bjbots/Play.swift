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
        let settings = self.crew
        Console.printError("connecting to \(server)")
        crew.perform { crew in
            crew.onReached = { Console.printError("playing: \(settings.bots) bots, \(settings.rounds) rounds each") }
            crew.start(settings) { finish($0) }
            crew.startTimeout(milliseconds: timeout) { finish($0) }
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
        var crew = bots
        (crew.client.host, crew.client.port) = (server.host, Int(server.port))
        // A little more than an attempt to connect takes at most.
        crew.greetingTimeout = 12_000
        // A name is an account, which the last login takes: runs at the same time have numbers of their own.
        if let name { crew.namePrefix = name } else { crew.numbers.first = Int.random(in: 1_000...999_000) }
        return crew
    }
}

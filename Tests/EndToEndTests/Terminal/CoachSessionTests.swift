import Rules
import TestKit
import Testing

@testable import TerminalUI

/// The coach at a real server, whose chart it looks up.
@Suite(.ownThread, .timeLimit(.minutes(15)))
struct CoachSessionTests {
    @Test func theCoach_namesTheBestAction_andTheSessionEndsWithTheMistakes() async throws {
        // A house that asks nothing before a turn, and a player who is dealt decisions.
        let rules = try HouseRules.patient.with([("insurance", .flag(false)), ("evenMoney", .flag(false))])
        let server = try RunningServer(rules: rules, seed: 36)
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal)
        #expect(pipes.shows("Your bet"))
        pipes.type("coach")
        #expect(pipes.shows("The coach is on"))
        pipes.type("bet 10")
        // With this seed, a hard 13 against a 5. The server computes the chart behind everything else that runs here.
        #expect(pipes.shows("Basic strategy: stand.", minutes: 10), "\(pipes.text)")
        pipes.type("hit")
        #expect(pipes.shows("You hit"))
        run.onQueue { run.session.handle(.leave(.init(status: 0))) }
        let ending = try #require(await run.ending())
        #expect(ending.status == 0)
        let summary = try #require(ending.summaries.last?.text)
        let mistake = "1 decision, 1 mistake. Costliest: hard 13 against 5: hit instead of stand, −0."
        #expect(summary.contains(mistake), "\(summary)")
        await server.stop()
    }
}

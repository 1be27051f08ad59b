import Foundation
import Odds
import Rules
import TestKit
import Testing

@testable import RoundSimulation

struct SimulatorTests {
    @Test func theFigures_areTheSame_onAnyNumberOfThreads() throws {
        let rules = HouseRules()
        let chart = StrategyChart(publishedFor: rules)
        // Four blocks, the last one short.
        var results: [SimulationResult] = []
        for threads in [1, 3] {
            let simulator = try Simulator(
                rules: rules, chart: chart, rounds: 3 * 4000 + 17, seed: 7, seats: 2, threads: threads, blockRounds: 4000)
            var result = simulator.run()
            result.seconds = 0
            results.append(result)
        }
        #expect(results[0] == results[1])
        #expect(results[0].rounds == 12_017)
        #expect(results[0].initialBets == 12_017 * 2 * 10)
    }

    @Test func anotherSeed_isAnotherGame() throws {
        let rules = HouseRules()
        let chart = StrategyChart(publishedFor: rules)
        let nets = try [1, 2].map { try Simulator(rules: rules, chart: chart, rounds: 2000, seed: $0).run().net }
        #expect(nets[0] != nets[1])
    }

    @Test func theEdge_isWithinThreeStandardErrors_ofThePublishedOne() throws {
        // Six decks, S17, DAS: -0.54 + 0.14 (bj21.com, "Estimating your edge", table 4).
        let rules = HouseRules()
        let simulator = try Simulator(rules: rules, chart: StrategyChart(derivedFor: rules), rounds: 60_000, seed: 1, seats: 1)
        let result = simulator.run()
        #expect(abs(result.edge + 0.0040) < 3 * result.standardError)
        #expect((1.10...1.20).contains(result.standardDeviation))
        #expect(result.wagered > result.initialBets)
        // 4.75 % of hands are one, less the dealer's own.
        #expect((2500...2900).contains(result.blackjacks))
        let object = try JSONSerialization.jsonObject(with: Data(result.json.utf8)) as? [String: Any]
        #expect(object?.count == 19 && object?["partial"] as? Bool == false)
        #expect((object?["net"] as? Int).map { Int128($0) } == result.net)
    }

    @Test func whatCannotBeRun_isNamed() {
        let rules = HouseRules()
        let chart = StrategyChart(publishedFor: rules)
        func error(rounds: Int = 1, seats: Int = 1, bet: Int? = nil, threads: Int = 1) -> String? {
            do {
                _ = try Simulator(rules: rules, chart: chart, rounds: rounds, seed: 1, seats: seats, bet: bet, threads: threads)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(error(rounds: 0) == "rounds cannot be 0: it must be 1 or more")
        #expect(error(seats: 8) == "seats cannot be 8: these rules have 1 to 7")
        #expect(error(bet: -5) == "bet cannot be -5: these rules take 10 to 500 in steps of 5")
        #expect(error(bet: 12) == "bet cannot be 12: these rules take 10 to 500 in steps of 5")
        #expect(error(threads: 0) == "threads cannot be 0: it must be 1 or more")
    }
}

import Foundation
import Odds
import Rules
import TestKit
import Testing

@testable import RoundSimulation

private let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

/// Play by the count, beside a simulator in Python that knows the rules of the game alone.
struct CountedPlayTests {
    private static let rules = HouseRules()
    private static let system = CountingSystem(name: "hi-lo") ?? CountingSystem.all[0]
    private static let ramp = [(0, 10), (1, 50), (2, 200), (3, 500)].map { CountedPlay.Bet(from: $0, chips: $1) }

    private static func figures(
        _ play: CountedPlay.Play, _ chart: StrategyChart, rounds: Int, leaveBelow: Int? = nil, threads: Int = 2
    ) throws -> CountFigures {
        let counting = CountedPlay(system: system, ramp: ramp, leaveBelow: leaveBelow, bankroll: 3000, play: play)
        let simulator = try Simulator(
            rules: rules, chart: chart, rounds: rounds, seed: 3, threads: threads, counting: counting, blockRounds: rounds / 2)
        return try #require(simulator.run().counts)
    }

    @Test(.ownThread, .enabled(if: python != nil, "python3 is not in PATH"), arguments: [true, false])
    func figures_areWithinThreeStandardErrors_ofThoseOfAnotherSimulator(_ byIndexes: Bool) throws {
        let (rounds, chart) = (100_000, StrategyChart(derivedFor: Self.rules))
        let charts = byIndexes ? CountIndexes(of: Self.system, under: Self.rules).charts(under: Self.rules) : [(-10, chart)]
        let leaveBelow = byIndexes ? -2 : nil
        let ours = try Self.figures(byIndexes ? .indexes(charts) : .chart, chart, rounds: rounds, leaveBelow: leaveBelow)

        let cells = charts.map { from, chart -> [String: Any] in
            let rows = StrategyChart.Row.all.map { row in (row.text, (1...10).map { chart[row, $0].text }) }
            return ["from": from, "insurance": chart.takesInsurance, "cells": Dictionary(uniqueKeysWithValues: rows)]
        }
        let task: [String: Any] = [
            "seed": 4, "rounds": rounds, "tags": Array(Self.system.tags.prefix(10)), "leaveBelow": leaveBelow ?? -99,
            "bankroll": 3000, "ramp": Self.ramp.map { [$0.from, $0.chips] }, "charts": cells,
        ]
        let folder = ScratchFolder()
        let input = try folder.file("task", String(decoding: JSONSerialization.data(withJSONObject: task), as: UTF8.self))
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Python/counter.py").path
        let process = Tool.process(python ?? "", [script])
        process.standardInput = FileHandle(forReadingAtPath: input)
        let output = try process.ending()
        let theirs = try #require(
            JSONSerialization.jsonObject(with: Data(output.output.utf8)) as? [String: [Double]], "\(output.errors)")

        var figures = ours.figures
        figures += ours.rows.map { ("frequency \($0.count)", $0.frequency) }
        let compared = figures.filter { theirs[$0.name] != nil }
        #expect(compared.count == 11 - (byIndexes ? 1 : 0))
        for (name, figure) in compared {
            let (mean, error) = (try #require(theirs[name])[0], try #require(theirs[name])[1])
            let (value, own) = (try #require(figure).value, try #require(figure).standardError)
            #expect(
                abs(value - mean) < 3 * (error * error + own * own).squareRoot(), "\(name): \(value) ± \(own), \(mean) ± \(error)"
            )
        }
    }

    @Test func aHandfulOfBankrolls_allOrNoneLost_haveNoRuinWithoutAnError() throws {
        let chart = StrategyChart(derivedFor: Self.rules)
        var handfuls = 0
        for rounds in stride(from: 500, through: 5000, by: 500) {
            let found = try Self.figures(.chart, chart, rounds: rounds)
            let (lost, doubled) = found.bankrolls
            let figure = found.figures.first { $0.name == "simulatedRuin" }?.figure
            #expect((figure == nil) == (lost == 0 || doubled == 0) && figure?.standardError != 0, "\(rounds)")
            if figure == nil, lost + doubled > 0 { handfuls += 1 }
        }
        #expect(handfuls > 0)
    }

    @Test func figures_followFromWinAndDeviation_andAreTheSameOnAnyNumberOfThreads() throws {
        let best = CompositionPlay(under: Self.rules)
        let found = try [1, 2].map {
            try Self.figures(.composition(best), StrategyChart(name: "none", doubleAfterSplit: true), rounds: 40_000, threads: $0)
        }
        #expect(found[0] == found[1])
        let named = Dictionary(uniqueKeysWithValues: found[0].figures.map { ($0.name, $0.figure) })
        func value(_ name: String) throws -> Double { try #require(named[name] ?? nil).value }
        let (win, deviation) = (try value("winPer100") / 100, try value("deviationPer100") / 10)
        #expect(abs(try value("n0") * win * win / (deviation * deviation) - 1) < 1e-9)
        #expect(abs(try value("score") * value("n0") - 1e6) < 1e-3)
        #expect(abs(try value("ruin") - exp(-2 * win * 3000 / (deviation * deviation))) < 1e-9)
        // The edge rises by half a per cent a count.
        #expect(found[0].rows.count == 21 && found[0].rows.reduce(0) { $0 + $1.rounds } == 40_000)
        #expect(found[0].bankrolls.lost > 0 && found[0].bankrolls.doubled > 0)
        #expect(found[0].rows.map(\.bet) == Array(repeating: 10, count: 11) + [50, 200] + Array(repeating: 500, count: 8))
    }
}

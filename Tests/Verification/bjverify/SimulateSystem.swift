import CommandLineKit
import Dispatch
import Foundation
import SystemSimulation

/// Options of `bjverify simulate-system`.
struct SimulateSystemOptions: Sendable {
    var seed: UInt64?
    var rounds = 10_000
    var perWorld = 1000
    var faults = "all"
    var trace = false
    var minimise = false

    /// Bound on the search for a shorter story.
    private static let minimisingSeconds = 60

    static let command = Command<SimulateSystemOptions, VerifyProgram>(
        "simulate-system", "Tests the real server and clients on virtual time, with faults.",
        defaults: SimulateSystemOptions(), program: VerifyProgram.simulateSystem
    ) { command in
        command.discussion(
            """
            One thread runs the server's loops, connections and journal, and the clients' sessions. Sockets, clocks, randomness \
            and the disk are simulated. Each world has its own seed, counting up from --seed, and ends after --per-world rounds. \
            Phases with and without faults alternate. At every event, players compare what they receive with everything \
            received before, across restarts. In a phase without faults every table must finish a round and every player must be served. At the \
            end the server is stopped, and its journal is audited.

            A failure prints the world's seed, the release with its commit, the faults, and the affected player's last \
            lines. The same seed gives the same bytes: the digest is the SHA-256 of all events of the last world.

            Faults: \(FaultKind.names.joined(separator: ", ")).
            """)
        command.option("--seed", \.seed, .int(), help: "Seed of the first world. Default: random (printed).")
        command.option(
            "--rounds", \.rounds, .int(1...1_000_000_000_000), short: "n", help: "Minimum number of rounds in total.")
        command.option("--per-world", \.perWorld, .int(1...1_000_000_000), help: "Rounds per world.")
        command.option(
            "--faults", \.faults, .text(upTo: 400).completing(.words(["all", "none"] + FaultKind.names, orFiles: false)),
            value: "all|none|LIST", help: "Kinds of faults, separated by commas.")
        command.flag("--trace", \.trace, help: "Prints each event of the first world, and runs only that.")
        command.flag(
            "--minimise", \.minimise, help: "After a failure, searches for fewer faults that cause it, for up to 60 s.")
        command.example("bjverify simulate-system --rounds 100000", "at least 100,000 rounds in random worlds")
        command.example(
            "bjverify simulate-system --seed 42 --rounds 1 --minimise", "repeat one world with the fewest faults that break it")
        command.exitStatus(1, "A check failed; seed, release and faults are printed.")
    }

    private func chosenFaults() -> Set<FaultKind> {
        switch faults {
        case "all": return Set(FaultKind.allCases)
        case "none": return []
        default:
            return Set(
                faults.split(separator: ",", omittingEmptySubsequences: false).map { word in
                    guard let kind = FaultKind(rawValue: String(word)) else {
                        Console.fail(
                            "bjverify simulate-system",
                            "--faults: unknown fault '\(word)'; expected all, none or a list of \(FaultKind.names.joined(separator: ", "))",
                            status: 64)
                    }
                    return kind
                })
        }
    }

    func run() -> Never {
        let simulator = SystemSimulator(faults: chosenFaults(), roundsPerWorld: perWorld)
        let first = seed ?? UInt64.random(in: 0..<1_000_000_000)
        Console.print("seed \(first), faults \(faults), release \(Release.text())")
        var total = SystemSimulator.Report()
        let start = DispatchTime.now().uptimeNanoseconds
        var seed = first
        repeat {
            do throws(SystemSimulator.Failure) {
                total = try simulator.run(seed: seed, after: total, trace: trace ? { Console.print($0) } : nil)
            } catch {
                fail(error, simulator)
            }
            seed &+= 1
        } while total.rounds < rounds && !trace
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        Console.print(
            """
            \(total.rounds) rounds, \(total.faults) faults, \(total.starts) starts of the server in \(total.worlds) worlds: all checks passed
            \(total.shoes) proofs of shoes checked, \(total.events) events, \(total.milliseconds / 1000) virtual seconds in \(Int(seconds.rounded())) s: \
            \(Int(Double(total.rounds) / max(seconds, 0.001))) rounds per second
            digest of world \(seed &- 1): \(total.digest)
            """)
        exit(0)
    }

    private func fail(_ first: SystemSimulator.Failure, _ simulator: SystemSimulator) -> Never {
        var failure = first
        if minimise {
            Console.print("\(first.reason)\n\(first.story.count) faults; searching for fewer, up to \(Self.minimisingSeconds) s")
            let end = DispatchTime.now() + .seconds(Self.minimisingSeconds)
            failure = simulator.minimised(first, isOver: { DispatchTime.now() > end })
        }
        Console.print("FAILED \(failure.reason)")
        Console.print("the faults of world \(failure.seed), in order:")
        for line in failure.story { Console.print("  \(line)") }
        if !failure.transcript.isEmpty { Console.print("last lines of the affected player:") }
        for line in failure.transcript { Console.print("  \(line)") }
        if minimise { Console.print("\(failure.skipped.count) faults were not needed") }
        Console.print(
            "release \(Release.text()); to repeat: bjverify simulate-system --seed \(failure.seed) --rounds 1 --per-world \(perWorld) --faults \(faults)"
        )
        exit(1)
    }
}

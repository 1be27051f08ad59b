import Bots
import CommandLineKit
import Foundation

/// Plays the conformance kit and reports.
struct Conform {
    private let options: ConformOptions

    init(_ options: ConformOptions) { self.options = options }

    /// What came of one transcript.
    private struct Result: Encodable {
        let name: String
        let outcome: String
        let reason: String?
        let milliseconds: Int
    }

    private struct Report: Encodable {
        var passed = 0
        var failed = 0
        var broken = 0
        var skipped = 0
        var transcripts: [Result] = []
    }

    func run() -> Never {
        let transcripts = loadKit().only(options.only)
        guard !transcripts.isEmpty else { Console.fail("bjbots", "no transcript has such a name", status: 65) }
        if options.list {
            for transcript in transcripts { Console.print(transcript.name) }
            exit(0)
        }
        // Off the main thread, whose queue belongs to the system: every wait in there blocks.
        let options = options
        Thread.detachNewThread { Conform(options).perform(transcripts) }
        while true { RunLoop.main.run() }
    }

    private func loadKit() -> Conformance.Kit {
        guard let folder = options.kit else { return .builtIn() }
        do {
            return try .folder(folder)
        } catch let error as Conformance.Mistake {
            Console.fail("bjbots", error, status: 65)
        } catch {
            Console.fail("bjbots", "cannot read \(folder): \(error.localizedDescription)", status: 65)
        }
    }

    private func perform(_ transcripts: [Conformance.Transcript]) -> Never {
        let stage = Conformance.NetworkStage(host: options.server.host, port: Int(options.server.port))
        let performer = Conformance.Performer(stage: stage, options: performing)
        var report = Report()
        for transcript in transcripts {
            let start = stage.now
            do {
                let outcome = try performer.perform(transcript)
                note(outcome, of: transcript, milliseconds: stage.now - start, in: &report)
            } catch {
                Console.fail("bjbots", error, status: 69)
            }
        }
        if options.json {
            Console.print(Self.json(report))
        } else {
            Console.print(
                "passed \(report.passed), failed \(report.failed), broken \(report.broken), skipped \(report.skipped)")
        }
        exit(report.broken > 0 ? 3 : report.failed > 0 ? 1 : 0)
    }

    private var performing: Conformance.Performer.Options {
        // Nobody else's players are called so, as good as certainly.
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        var result = Conformance.Performer.Options(run: String((0..<5).map { _ in letters[Int.random(in: 0..<letters.count)] }))
        result.pass = options.pass
        result.given = Set(options.given)
        result.patience = options.patience / 1000
        return result
    }

    private func note(
        _ outcome: Conformance.Outcome, of transcript: Conformance.Transcript, milliseconds: Int, in report: inout Report
    ) {
        let (word, reason): (String, String?)
        switch outcome {
        case .passed:
            (word, reason) = ("passed", nil)
            report.passed += 1
        case .skipped(let why):
            (word, reason) = ("skipped", why)
            report.skipped += 1
        case .failed(let why):
            (word, reason) = ("failed", why)
            report.failed += 1
        case .broken(let why):
            (word, reason) = ("broken", why)
            report.broken += 1
        }
        report.transcripts.append(
            Result(name: transcript.name, outcome: word, reason: reason, milliseconds: milliseconds))
        guard !options.json else { return }
        Console.print("\(word)  \(transcript.name), \(milliseconds) ms" + (reason.map { ": \($0)" } ?? ""))
    }

    private static func json(_ report: Report) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(report) else { preconditionFailure("a report is made of numbers and texts") }
        return String(decoding: data, as: UTF8.self)
    }
}

import CommandLineKit
import Conformance
import Dispatch
import Foundation
import Sockets

/// Plays the conformance kit and reports.
struct Conform {
    private let options: ConformOptions

    init(_ options: ConformOptions) { self.options = options }

    func run() -> Never {
        if let command = options.client { ConformClient(options, command: command).run() }
        let transcripts = loadKit().only(options.only)
        guard !transcripts.isEmpty else { Console.fail("bjbots", "no transcript has such a name", status: 65) }
        if options.list {
            for transcript in transcripts { Console.print(transcript.name) }
            exit(0)
        }
        // Off the main thread, whose queue belongs to the system: every wait in there blocks.
        let options = options
        DetachedThread.start { Conform(options).perform(transcripts) }
        dispatchMain()
    }

    private func loadKit() -> ServerKit.TranscriptSet {
        guard let folder = options.kit else { return .builtIn() }
        // The system's error text: Foundation has none for a file that is no folder.
        guard let listing = opendir(folder) else {
            Console.fail("bjbots", "cannot read \(folder): \(String(cString: strerror(errno)))", status: 65)
        }
        closedir(listing)
        do {
            return try .folder(folder)
        } catch let error as ServerKit.Mistake {
            Console.fail("bjbots", error, status: 65)
        } catch {
            Console.fail("bjbots", "cannot read \(folder): \(Console.reason(error))", status: 65)
        }
    }

    private func perform(_ transcripts: [ServerKit.Transcript]) -> Never {
        let stage = ServerKit.NetworkStage(host: options.server.host, port: Int(options.server.port))
        let performer = ServerKit.Performer(stage: stage, options: performing)
        var report = ConformReport()
        for transcript in transcripts {
            let start = stage.now
            do {
                let outcome = try performer.perform(transcript)
                note(outcome, of: transcript, milliseconds: stage.now - start, in: &report)
            } catch {
                Console.fail("bjbots", error, status: 69)
            }
        }
        report.printSummary(asJSON: options.json)
        exit(report.broken > 0 ? 3 : report.failed > 0 ? 1 : 0)
    }

    private var performing: ServerKit.Performer.Options {
        // Nobody else's players are called so, as good as certainly.
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        var result = ServerKit.Performer.Options(run: String((0..<5).map { _ in letters[Int.random(in: 0..<letters.count)] }))
        result.pass = options.pass
        result.given = Set(options.given)
        result.patience = options.patience / 1000
        return result
    }

    private func note(
        _ outcome: ServerKit.Outcome, of transcript: ServerKit.Transcript, milliseconds: Int, in report: inout ConformReport
    ) {
        let (word, reason): (ConformReport.Word, String?) =
            switch outcome {
            case .passed: (.passed, nil)
            case .skipped(let why): (.skipped, why)
            case .failed(let why): (.failed, why)
            case .broken(let why): (.broken, why)
            }
        report.add(transcript.name, word, reason, milliseconds: milliseconds, isPrinted: !options.json)
    }
}

/// The report of `bjbots conform`, for a server or a client.
struct ConformReport: Encodable {
    enum Word: String, Encodable {
        case passed
        case failed
        case broken
        case skipped
    }

    /// The result of one transcript or scenario.
    private struct Result: Encodable {
        let name: String
        let outcome: Word
        let reason: String?
        let milliseconds: Int
    }

    private(set) var passed = 0
    private(set) var failed = 0
    private(set) var broken = 0
    private(set) var skipped = 0
    private var transcripts: [Result] = []

    mutating func add(_ name: String, _ word: Word, _ reason: String?, milliseconds: Int, isPrinted: Bool) {
        switch word {
        case .passed: passed += 1
        case .failed: failed += 1
        case .broken: broken += 1
        case .skipped: skipped += 1
        }
        transcripts.append(Result(name: name, outcome: word, reason: reason, milliseconds: milliseconds))
        if isPrinted { Console.print("\(word)  \(name), \(milliseconds) ms" + (reason.map { ": \($0)" } ?? "")) }
    }

    func printSummary(asJSON: Bool) {
        guard asJSON else {
            return Console.print("passed \(passed), failed \(failed), broken \(broken), skipped \(skipped)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("a report is made of numbers and texts") }
        Console.print(Console.visibleJSON(String(decoding: data, as: UTF8.self)))
    }
}

import CommandLineKit
import Foundation

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

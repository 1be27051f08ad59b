import Foundation
import Testing

@testable import Wire

/// What the fuzzer has found worth keeping, one input a line in base64: the fewest inputs that reach all it has reached.
struct CorpusTests {
    private static func inputs() throws -> [[UInt8]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/inputs.txt")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map { line in
            try Array(#require(Data(base64Encoded: String(line)), "\(line)"))
        }
    }

    @Test func everyInput_keepsTheLaws() throws {
        let inputs = try Self.inputs()
        #expect(inputs.count > 100)
        for (number, input) in inputs.enumerated() {
            do {
                try input.dropFirst().withUnsafeBytes { try LawCheck.check($0, chunkedBy: input.first ?? 0) }
            } catch {
                Issue.record("input \(number): \(error)")
            }
        }
    }
}

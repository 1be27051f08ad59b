import Foundation
import Testing

/// Compares a text with a file in `Golden`. A missing file is recorded, and the test fails.
func expectGolden(_ text: String, _ file: String, _ location: SourceLocation = #_sourceLocation) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(file)")
    guard let recorded = try? String(contentsOf: path, encoding: .utf8) else {
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: path, atomically: true, encoding: .utf8)
        Issue.record("\(file) was missing and has been recorded: read it, then commit it", sourceLocation: location)
        return
    }
    #expect(text == recorded, "delete Golden/\(file) to record it anew", sourceLocation: location)
}

/// The seed of random tests: fixed, unless `BJ_SEED` says otherwise.
let seed = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap { UInt64($0) } ?? 2121

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

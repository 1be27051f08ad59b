import Foundation
import Testing

/// Compares a text with a file in the folder `Golden` beside the test. A missing file is recorded, and the test fails.
public func expectGolden(
    _ text: String, _ file: String, test: String = #filePath, _ location: SourceLocation = #_sourceLocation
) throws {
    let path = URL(filePath: test).deletingLastPathComponent().appending(path: "Golden/\(file)")
    guard let recorded = try? String(contentsOf: path, encoding: .utf8) else {
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: path, atomically: true, encoding: .utf8)
        Issue.record("\(file) was missing and has been recorded: read it, then commit it", sourceLocation: location)
        return
    }
    #expect(text == recorded, "delete Golden/\(file) to record it anew", sourceLocation: location)
}

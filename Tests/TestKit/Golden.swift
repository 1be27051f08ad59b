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

/// A folder of scripts beside the test: what happens, with what follows from it below each line.
public struct ScriptFolder: Sendable {
    private let folder: URL
    /// Of its scripts, in order.
    public let names: [String]

    public init(_ name: String, ending: String, test: String = #filePath) {
        folder = URL(filePath: test).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        names = files.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }.sorted()
    }

    public func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Compares a script with the same one as it is played. A difference, or a missing script, fails; with `BJ_RECORD=1` in the environment it is
    /// also written into the file, to be read before it is kept.
    public func expect(
        _ name: String, _ location: SourceLocation = #_sourceLocation, play: (String) throws -> String
    ) throws {
        let written = try text(name)
        let played = try play(written)
        if played != written, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
            try played.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let lines = (written.split(separator: "\n"), played.split(separator: "\n"))
        let first = zip(lines.0, lines.1).first { $0 != $1 }
        #expect(
            played == written, "\(name)\n  written: \(first?.0 ?? "less")\n  played:  \(first?.1 ?? "less")",
            sourceLocation: location)
    }
}

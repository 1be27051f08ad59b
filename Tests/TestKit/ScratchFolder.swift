import Foundation

/// A folder of a test's own, which goes with the last reference to it.
public final class ScratchFolder: Sendable {
    public let path = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))").path

    /// - Parameter isMade: false for a path at which nothing is yet.
    public init(isMade: Bool = true) {
        if isMade { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    }

    /// Writes a file, and makes the folders in which it lies.
    /// - Returns: its path.
    @discardableResult
    public func file(_ name: String, _ text: String) throws -> String {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// The names in a folder in it, sorted.
    public func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

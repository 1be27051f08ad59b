import Foundation

/// The folders that a start makes for its data: a start that fails before anybody could connect takes them away.
struct NewDataFolder: Sendable {
    private let path: String
    /// The first of its folders that is missing.
    private let top: String

    /// - Returns: nil for a folder that exists.
    init?(_ path: String) {
        guard !FileManager.default.fileExists(atPath: path) else { return nil }
        var top = path
        while let end = top.lastIndex(of: "/"), end > top.startIndex, !FileManager.default.fileExists(atPath: String(top[..<end]))
        {
            top = String(top[..<end])
        }
        (self.path, self.top) = (path, top)
    }

    /// Removes the folders, unless there is more in them than a journal without a frame.
    func remove() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard names.allSatisfy({ $0 == "lock" || $0.hasSuffix(".tmp") }) else { return }
        for name in names { unlink("\(path)/\(name)") }
        var folder = path
        // A folder that is not empty stays.
        while rmdir(folder) == 0, folder != top, let end = folder.lastIndex(of: "/") { folder = String(folder[..<end]) }
    }
}

import Foundation

/// A file error in one line: path and the system's reason.
public struct FileFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ verb: String, _ path: String, _ reason: String) { description = "cannot \(verb) \(path): \(reason)" }

    /// From `errno`.
    init(_ verb: String, _ path: String) { self.init(verb, path, String(cString: strerror(errno))) }
}

extension Console {
    /// A file's, pipe's or device's UTF-8 text.
    /// - Parameter limit: in bytes; a longer file is an error, which bounds endless ones.
    public static func text(of path: String, upTo limit: Int = 1 << 26) throws(FileFault) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFault("read", path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw FileFault("read", path)
            }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw FileFault("read", path, "it is longer than \(limit) bytes") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw FileFault("read", path, "it is not UTF-8 text") }
        return text
    }

    /// Overwrites a file in place: follows links, keeps pipes and devices.
    public static func write(_ text: String, toFile path: String) throws(FileFault) {
        let file = try OutputFile(path)
        try file.append(text)
        try file.close()
    }

    /// Checks early that a file is writable, before long work. Creates none.
    public static func checkWritable(_ path: String) throws(FileFault) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            guard !isFolder.boolValue else { throw FileFault("write", path, String(cString: strerror(EISDIR))) }
            guard access(path, W_OK) == 0 else { throw FileFault("write", path) }
        } else {
            let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            guard access(folder, W_OK | X_OK) == 0 else { throw FileFault("write", path) }
        }
    }
}

/// A file written incrementally.
public struct OutputFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens and truncates the file.
    public init(_ path: String) throws(FileFault) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFault("write", path) }
    }

    public func append(_ text: String) throws(FileFault) {
        guard Console.write(text, to: descriptor) else { throw FileFault("write", path) }
    }

    /// Closes the file. Some file systems report write errors only here.
    public func close() throws(FileFault) {
        guard Foundation.close(descriptor) == 0 else { throw FileFault("write", path) }
    }
}

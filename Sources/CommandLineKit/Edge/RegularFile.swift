import Foundation

/// Reads a file without blocking: refuses pipes and devices, which may have no writer.
enum RegularFile {
    struct Failure: Error {
        let reason: String
    }

    /// - Parameter limit: the most bytes to read.
    static func read(_ path: String, limit: Int) -> Result<[UInt8], Failure> {
        // Without O_NONBLOCK opening a pipe blocks until a writer opens it.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(systemFailure) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(systemFailure) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a pipe or a device"
            return .failure(Failure(reason: "it is \(kind), not a regular file"))
        }
        var bytes = [UInt8](repeating: 0, count: min(limit, max(0, Int(status.st_size)) + 1))
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return .failure(systemFailure) }
            guard count > 0 else { break }
            filled += count
        }
        return .success(Array(bytes[..<filled]))
    }

    private static var systemFailure: Failure { Failure(reason: String(cString: strerror(errno))) }
}

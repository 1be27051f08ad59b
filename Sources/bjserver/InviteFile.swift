import CommandLineKit
import Foundation
import ServerCore

/// The invitation codes of a closed house.
enum InviteFile {
    /// Bytes of a file: a million of the shortest codes.
    private static let byteLimit = 10 << 20

    /// Reads a file.
    static func read(_ path: String) throws(ConfigurationFault) -> InviteCodes {
        func fault(_ problem: String) -> ConfigurationFault { ConfigurationFault(description: "\(path): \(problem)") }
        var status = stat()
        guard stat(path, &status) == 0 else { throw fault("cannot be read: \(String(cString: strerror(errno)))") }
        // Reading a pipe or a device may not end.
        guard status.st_mode & S_IFMT == S_IFREG else { throw fault("cannot be read: not a regular file") }
        guard status.st_size <= byteLimit else { throw fault("larger than \(byteLimit) bytes") }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw fault("cannot be read") }
        do throws(InviteCodes.Fault) {
            return try InviteCodes.parse(Array(data))
        } catch {
            let length = InviteCodes.length
            throw fault(
                "line \(error.line) is not a code of \(length.lowerBound) to \(length.upperBound) visible ASCII characters")
        }
    }
}

import CArguments
import Foundation

extension Console {
    /// Program name and arguments. `CommandLine.arguments` needs /proc on Linux and is empty without it.
    public static var arguments: [String] { givenArguments ?? CommandLine.arguments }

    /// The arguments from the C library; nil where it does not pass them.
    static var givenArguments: [String]? {
        let count = bj_argument_count()
        return count > 0 ? (0..<count).compactMap { bj_argument($0).map { String(cString: $0) } } : nil
    }

    /// Opens closed descriptors among 0 to 2, so that no socket gets the number of a standard stream. Reading or writing them
    /// still fails. Call before opening anything else.
    static func openStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // All lower numbers are in use, so `open` returns this one.
            let opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
            guard opened < 0 else { continue }
            // No /dev, as in an empty root: an unconnected socket cannot be read or written either.
            #if canImport(Glibc)
                _ = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #else
                _ = socket(AF_UNIX, SOCK_STREAM, 0)
            #endif
        }
    }
}

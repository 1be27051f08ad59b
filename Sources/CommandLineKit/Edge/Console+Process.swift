import CArguments
import Foundation

extension Console {
    /// The program's name and the words after it. `CommandLine.arguments` needs /proc on Linux, and is empty without it.
    public static var arguments: [String] { givenArguments ?? CommandLine.arguments }

    /// As the C library handed them over; nil where it does not.
    static var givenArguments: [String]? {
        let count = bj_argument_count()
        return count > 0 ? (0..<count).compactMap { bj_argument($0).map { String(cString: $0) } } : nil
    }

    /// Opens those of the descriptors 0 to 2 that are closed, so that no socket gets a number that is written to. Reading from, or
    /// writing to, one that was closed still fails. To be called before anything else is opened.
    static func openStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Each lower number is taken, so this one is given out.
            let opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
            guard opened < 0 else { continue }
            // No /dev, as in an empty root: an unconnected socket can't be read or written either.
            #if canImport(Glibc)
                _ = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #else
                _ = socket(AF_UNIX, SOCK_STREAM, 0)
            #endif
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A Unix-domain address: a path, or on Linux an abstract name with a leading `@`.
struct UnixAddress {
    private var storage = sockaddr_un()
    private var length: socklen_t

    /// nil if the path is empty or over the system's limit (107 bytes on Linux).
    init?(_ path: String) {
        var bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: storage.sun_path)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard !bytes.isEmpty, !bytes.contains(0), bytes.count < capacity, !(isAbstract && bytes.count == 1) else { return nil }
        if isAbstract { bytes[0] = 0 }
        storage.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: bytes) }
        // A path ends at its zero byte; an abstract name has an explicit length.
        let header = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        length = socklen_t(header + bytes.count + (isAbstract ? 0 : 1))
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

/// Calls on Unix-domain sockets, with the types of Linux and Darwin.
enum UnixSocket {
    enum Kind { case stream, datagram }

    /// A close-on-exec socket; -1 with errno set on failure.
    static func make(_ kind: Kind) -> Int32 {
        #if canImport(Glibc)
            let type = Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
            return socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            return descriptor
        #endif
    }

    /// Sets the timeout of each call.
    static func setTimeout(_ descriptor: Int32, seconds: Int) { setTimeout(descriptor, milliseconds: seconds * 1000) }

    /// Sets the timeout of each call.
    /// - Parameter milliseconds: at least 1.
    static func setTimeout(_ descriptor: Int32, milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all bytes.
    /// - Returns: false on failure, with errno set.
    static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Glibc)
            let quiet = Int32(MSG_NOSIGNAL)
        #else
            let quiet: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, quiet) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Available bytes, at most 64 KiB; empty at end of stream; nil on failure or timeout.
    static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0 && errno == EINTR { continue }
            return count < 0 ? nil : Array(buffer[..<count])
        }
    }
}

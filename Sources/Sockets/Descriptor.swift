#if canImport(Glibc)
    import CSystem
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Socket system calls, with their Linux and Darwin spellings.
package enum Descriptor {
    #if canImport(Glibc)
        package static let streamType = Int32(SOCK_STREAM.rawValue)
        package static let datagramType = Int32(SOCK_DGRAM.rawValue)
        private static let quietSend = Int32(MSG_NOSIGNAL)
    #else
        package static let streamType = SOCK_STREAM
        package static let datagramType = SOCK_DGRAM
        private static let quietSend: Int32 = 0
    #endif

    /// Opens a non-blocking, close-on-exec socket; -1 with errno set on failure.
    package static func makeSocket(family: Int32, type: Int32 = streamType) -> Int32 {
        #if canImport(Glibc)
            return socket(family, type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, type, 0)
            if descriptor >= 0 { setDefaults(descriptor) }
            return descriptor
        #endif
    }

    /// Two connected sockets with the flags of `makeSocket`; nil with errno set on failure.
    static func makePair() -> (Int32, Int32)? {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamType, 0, &pair) == 0 else { return nil }
        for descriptor in pair { setDefaults(descriptor) }
        return (pair[0], pair[1])
    }

    static func accept(_ listener: Int32, _ address: inout SocketAddress) -> Int32 {
        #if canImport(Glibc)
            return address.withMutablePointer { bj_accept(listener, UnsafeMutableRawPointer($0), $1) }
        #else
            let descriptor = address.withMutablePointer { Darwin.accept(listener, $0, $1) }
            if descriptor >= 0 { setDefaults(descriptor) }
            return descriptor
        #endif
    }

    /// Sets the flags of `makeSocket` on a descriptor from elsewhere.
    static func setDefaults(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        closeOnExecution(descriptor)
        #if !canImport(Glibc)
            set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    static func closeOnExecution(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Sets TCP_NODELAY; ends the connection of a peer that acknowledges nothing for 20 s, sent bytes or a probe after 15 s without traffic;
    /// and at most 64 KiB unsent in the kernel, so that a slow reader's messages queue where they can still be coalesced.
    static func configureStream(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Glibc)
            set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15)
            set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 20_000)
        #else
            set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, 15)
            set(descriptor, Int32(IPPROTO_TCP), TCP_RXT_CONNDROPTIME, 20)
        #endif
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 64 * 1024)
    }

    /// Lets the last message into a full kernel buffer.
    static func makeRoom(_ descriptor: Int32) { set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, .max) }

    /// Makes `close` send a reset, without TIME_WAIT.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The value of a socket option; nil with errno set on failure.
    static func option(_ descriptor: Int32, _ option: Int32, level: Int32 = SOL_SOCKET) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, option, &value, &length) == 0 ? value : nil
    }

    /// The error of a finished non-blocking `connect`; 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 { option(descriptor, SO_ERROR) ?? errno }

    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            return Glibc.send(descriptor, bytes.baseAddress, bytes.count, quietSend)
        #else
            return Darwin.send(descriptor, bytes.baseAddress, bytes.count, quietSend)
        #endif
    }

    package static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }

    static func shutdownWriting(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = shutdown(descriptor, Int32(SHUT_WR))
        #else
            _ = shutdown(descriptor, SHUT_WR)
        #endif
    }

    static func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        #if canImport(Glibc)
            return Glibc.bind(descriptor, address, length)
        #else
            return Darwin.bind(descriptor, address, length)
        #endif
    }

    /// Binds a socket that is to connect from an address. The system chooses the port when it connects.
    static func bindSource(_ descriptor: Int32, _ source: SocketAddress) -> Bool {
        #if canImport(Glibc)
            // IP_BIND_ADDRESS_NO_PORT (<linux/in.h>): allocates the port per destination instead of for all of them.
            set(descriptor, Int32(IPPROTO_IP), 24, 1)
        #endif
        return source.withPointer { bind(descriptor, $0, $1) } == 0
    }

    package static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
        #if canImport(Glibc)
            return Glibc.connect(descriptor, address, length)
        #else
            return Darwin.connect(descriptor, address, length)
        #endif
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    static func wouldBlock(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK }
}

/// The process's limit of open descriptors, which bounds its connections.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard limit.
    /// - Returns: the new soft limit.
    @discardableResult
    public static func raise() -> Int {
        var limit = current
        #if canImport(Glibc)
            // More than a million has no use, and the kernel refuses "unlimited".
            let most = min(limit.rlim_max, 1 << 20)
        #else
            let most = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        if limit.rlim_cur < most {
            limit.rlim_cur = most
            #if canImport(Glibc)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                setrlimit(RLIMIT_NOFILE, &limit)
            #endif
        }
        return Int(clamping: current.rlim_cur)
    }

    /// The soft limit.
    public static var now: Int { Int(clamping: current.rlim_cur) }

    private static var current: rlimit {
        var limit = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return limit
    }
}

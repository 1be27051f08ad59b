#if canImport(Glibc)
    import CSockets
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls on sockets, each with its Linux and Darwin spelling in one place.
enum Descriptor {
    #if canImport(Glibc)
        static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let quietSend = Int32(MSG_NOSIGNAL)
    #else
        static let streamType = SOCK_STREAM
        private static let quietSend: Int32 = 0
    #endif

    /// A non-blocking stream socket that a child process does not inherit; -1 with errno set on failure.
    static func makeSocket(family: Int32) -> Int32 {
        #if canImport(Glibc)
            return socket(family, streamType | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, streamType, 0)
            if descriptor >= 0 { makeOurs(descriptor) }
            return descriptor
        #endif
    }

    static func accept(_ listener: Int32, _ address: inout SocketAddress) -> Int32 {
        #if canImport(Glibc)
            return address.withMutablePointer { bj_accept(listener, UnsafeMutableRawPointer($0), $1) }
        #else
            let descriptor = address.withMutablePointer { Darwin.accept(listener, $0, $1) }
            if descriptor >= 0 { makeOurs(descriptor) }
            return descriptor
        #endif
    }

    /// Makes a descriptor from elsewhere like those that are made here.
    static func makeOurs(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        closeOnExecution(descriptor)
        #if !canImport(Glibc)
            set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    static func closeOnExecution(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Small messages leave at once; the kernel takes no more than 64 KiB beyond what is on its way, so that a slow reader's messages
    /// wait where they can still be replaced by fewer and newer ones, not in megabytes of kernel memory; and a peer that is gone without a word is found out by the kernel's own probes: after two
    /// minutes of silence, in three tries.
    static func configureStream(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Glibc)
            set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 120)
        #else
            set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, 120)
        #endif
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 20)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 64 * 1024)
    }

    /// Lets a last message pass into a full kernel buffer, which is given up if the peer takes nothing for so many milliseconds.
    static func makeRoom(_ descriptor: Int32, for milliseconds: Int64) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, .max)
        #if canImport(Glibc)
            set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: milliseconds))
        #endif
    }

    /// Has `close` send a reset and leave nothing to wait for.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// What a socket's option is set to; nil with errno set if it is no socket.
    static func option(_ descriptor: Int32, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
    }

    /// The error that a non-blocking `connect` ended with; 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 { option(descriptor, SO_ERROR) ?? errno }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            return Glibc.send(descriptor, bytes.baseAddress, bytes.count, quietSend)
        #else
            return Darwin.send(descriptor, bytes.baseAddress, bytes.count, quietSend)
        #endif
    }

    static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
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

    static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
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

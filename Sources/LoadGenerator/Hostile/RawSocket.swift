#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A bare TCP socket that is only asked, never told: for peers that do what no decent connection would, such as not reading. Nothing here waits.
struct RawSocket: ~Copyable {
    /// Where to connect to, looked up once.
    struct Address: Sendable {
        fileprivate var storage = sockaddr_storage()
        fileprivate var length: socklen_t = 0

        /// Blocks while the system looks the name up; nil when there is no such host.
        init?(host: String, port: Int) {
            var hints = addrinfo()
            #if canImport(Glibc)
                hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            #else
                hints.ai_socktype = SOCK_STREAM
            #endif
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host.isEmpty ? "127.0.0.1" : host, String(port), &hints, &list) == 0, let first = list else {
                return nil
            }
            defer { freeaddrinfo(list) }
            guard let source = first.pointee.ai_addr, Int(first.pointee.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
                return nil
            }
            length = first.pointee.ai_addrlen
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(first.pointee.ai_addrlen)))
            }
        }
    }

    /// What became of a read or a write.
    enum Outcome: Equatable {
        case done(Int)
        case wait
        case ended
    }

    private let descriptor: Int32

    /// Begins to connect; nil when the system has no socket to give.
    /// - Parameters:
    ///   - source: the address of this machine to connect from; nil for the system's own choice.
    ///   - receiveBuffer: the size asked for in bytes; 0 for the system's own choice.
    init?(_ address: Address, from source: Address? = nil, receiveBuffer: Int32 = 0) {
        #if canImport(Glibc)
            descriptor = socket(
                Int32(address.storage.ss_family), Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(Int32(address.storage.ss_family), SOCK_STREAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        #endif
        guard descriptor >= 0 else { return nil }
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, !Self.bindSource(descriptor, source) {
            close(descriptor)
            return nil
        }
        let status = withUnsafePointer(to: address.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, address.length) }
        }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            close(descriptor)
            return nil
        }
    }

    /// Has a socket connect from an address, with a port that is chosen when it connects.
    private static func bindSource(_ descriptor: Int32, _ source: Address) -> Bool {
        #if canImport(Glibc)
            // IP_BIND_ADDRESS_NO_PORT of <linux/in.h>: without it a port is taken from all peers at once.
            var option: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_IP), 24, &option, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return withUnsafePointer(to: source.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, source.length) == 0 }
        }
    }

    /// Sends what the system takes now.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return outcome(bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }, isReading: false)
    }

    /// Reads at most so many bytes of what is there.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(recv(descriptor, buffer.baseAddress, buffer.count, 0), isReading: true)
    }

    private func outcome(_ count: Int, isReading: Bool) -> Outcome {
        if count > 0 { return .done(count) }
        if count == 0 { return isReading ? .ended : .done(0) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN || errno == EINPROGRESS
            ? .wait : .ended
    }

    /// Has the close below tear the connection down at once, whatever is on its way.
    func makeAbrupt() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    deinit { close(descriptor) }
}

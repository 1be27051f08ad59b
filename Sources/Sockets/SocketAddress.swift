#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A kernel address: IPv4 or IPv6 with a port, or the path of a Unix-domain socket.
public struct SocketAddress: Sendable, CustomStringConvertible {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    var family: Int32 { Int32(storage.ss_family) }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    mutating func withMutablePointer<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &length) { length in
            withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
            }
        }
    }

    /// The numeric host without brackets: `127.0.0.1`, `::1`; `unix` for a Unix-domain socket.
    public var host: String { unixPath == nil ? numeric().host : "unix" }

    /// The port, 0…65535; 0 for a Unix-domain socket.
    public var port: Int { unixPath == nil ? Int(numeric().port) ?? 0 : 0 }

    /// `127.0.0.1:2121`, `[::1]:2121`, `unix:/run/bj.sock`.
    public var description: String {
        if let unixPath { return "unix:\(unixPath)" }
        let (host, port) = numeric()
        return Self.text(host, port)
    }

    /// Formats a host and a port: `localhost:2121`, `[::1]:2121`.
    static func text(_ host: String, _ port: some CustomStringConvertible) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private func numeric() -> (host: String, port: String) {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = withPointer { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard status == 0 else { return ("?", "0") }
        return (text(host), text(port))
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Resolves every stream address of a host name. Blocks during the lookup.
    /// - Parameters:
    ///   - host: a name or a numeric address; empty for every local address if `passive`, otherwise for the loopback address.
    ///   - port: 0…65535.
    ///   - passive: whether the addresses are for listening.
    /// - Throws: ``SocketError`` if the port is out of range or the lookup fails.
    public static func resolve(host: String, port: Int, passive: Bool = false) throws(SocketError) -> [SocketAddress] {
        try addresses(host: host, port: port, flags: passive ? AI_PASSIVE : 0)
    }

    /// The address of a numeric host, without a lookup; nil for a name.
    package static func numeric(host: String, port: Int) -> [SocketAddress]? {
        try? addresses(host: host, port: port, flags: AI_NUMERICHOST)
    }

    private static func addresses(host: String, port: Int, flags: Int32) throws(SocketError) -> [SocketAddress] {
        // getaddrinfo accepts larger numbers and drops their upper bits.
        guard (0...65_535).contains(port) else {
            throw SocketError(operation: "resolve", subject: text(host, port), reason: "a port is a number from 0 to 65535")
        }
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_NUMERICSERV | flags
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
        guard status == 0 else {
            throw SocketError(operation: "resolve", subject: text(host, port), reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let source = entry.pointee.ai_addr, Int(entry.pointee.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size {
                var address = SocketAddress()
                address.length = entry.pointee.ai_addrlen
                withUnsafeMutableBytes(of: &address.storage) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(entry.pointee.ai_addrlen)))
                }
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    /// The address that a socket is bound to, with its real port.
    static func bound(to descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        let status = address.withMutablePointer { getsockname(descriptor, $0, $1) }
        return status == 0 ? address : nil
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A kernel address: IPv4 or IPv6 with a port, or the path of a Unix-domain socket.
public struct SocketAddress: Sendable, CustomStringConvertible {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    package var family: Int32 { Int32(storage.ss_family) }

    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
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

    /// Why no connection can be made from a numeric address; nil where one can.
    public static func fault(ofSource host: String) -> String? {
        guard let address = numeric(host: host, port: 0)?.first else { return "not a numeric address such as 127.0.0.2" }
        let descriptor = Descriptor.makeSocket(family: address.family)
        defer { Descriptor.close(descriptor) }
        return descriptor >= 0 && Descriptor.bindSource(descriptor, address) ? nil : SocketError.reason(of: errno)
    }

    private static func addresses(host: String, port: Int, flags: Int32) throws(SocketError) -> [SocketAddress] {
        // getaddrinfo accepts larger numbers and drops their upper bits.
        guard (0...65_535).contains(port) else {
            throw SocketError(operation: "resolve", subject: text(host, port), reason: "a port must be a number from 0 to 65535")
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
                addresses.append(SocketAddress(copying: source, entry.pointee.ai_addrlen))
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    /// The address that a socket is bound to, with its real port.
    package static func bound(to descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        let status = address.withMutablePointer { getsockname(descriptor, $0, $1) }
        return status == 0 ? address : nil
    }
}

extension SocketAddress {
    /// - Precondition: the length is that of the address, and not above the storage's.
    package init(copying address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        self.init()
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    // MARK: Unix

    /// The address of a Unix-domain socket.
    /// - Parameter isAbstract: whether the path is a name of Linux's abstract namespace, behind a leading `@`.
    /// - Throws: ``SocketError`` if the path is empty, contains a zero byte or is longer than 107 bytes (103 on Darwin).
    public init(unixPath path: String, isAbstract: Bool = false) throws(SocketError) {
        self.init()
        let bytes = Array(path.utf8)
        let start = Self.unixPathOffset
        let most = MemoryLayout<sockaddr_un>.size - start - 1
        guard !bytes.isEmpty, !bytes.contains(0), bytes.count <= most else {
            throw SocketError(
                operation: "resolve", subject: path, reason: "the path of a socket has 1 to \(most) bytes and no zero among them",
                code: ENAMETOOLONG)
        }
        storage.ss_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage) { UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyBytes(from: bytes) }
        if isAbstract { withUnsafeMutableBytes(of: &storage) { $0[start] = 0 } }
        // A path ends at its zero byte; an abstract name has an explicit length.
        length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
    }

    /// The path of a Unix-domain socket; empty for an unnamed socket, such as a client's; nil for other kinds of address.
    public var unixPath: String? {
        guard family == AF_UNIX else { return nil }
        let end = min(Int(length), MemoryLayout<sockaddr_un>.size)
        guard end > Self.unixPathOffset else { return "" }
        return withUnsafeBytes(of: storage) {
            String(decoding: $0[Self.unixPathOffset..<end].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static var unixPathOffset: Int { MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2 }

    var isInternet: Bool { family == AF_INET || family == AF_INET6 }

    /// Converts an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291, 2.5.5.2) to IPv4; returns any other unchanged.
    var withoutMapping: SocketAddress {
        guard family == AF_INET6 else { return self }
        var wide = sockaddr_in6()
        withUnsafeMutableBytes(of: &wide) { wide in
            withUnsafeBytes(of: storage) { wide.copyMemory(from: .init(rebasing: $0[..<wide.count])) }
        }
        let bytes = withUnsafeBytes(of: wide.sin6_addr) { Array($0) }
        guard bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return self }
        var narrow = sockaddr_in()
        narrow.sin_family = sa_family_t(AF_INET)
        narrow.sin_port = wide.sin6_port
        withUnsafeMutableBytes(of: &narrow.sin_addr) { $0.copyBytes(from: bytes[12...]) }
        return SocketAddress(narrow)
    }

    /// All local addresses, IPv6 and IPv4; nil if the port is out of range.
    static func everyLocal(port: Int) -> SocketAddress? {
        guard let port = UInt16(exactly: port) else { return nil }
        var any = sockaddr_in6()
        any.sin6_family = sa_family_t(AF_INET6)
        any.sin6_port = port.bigEndian
        return SocketAddress(any)
    }

    private init<Address>(_ address: Address) {
        self.init()
        withUnsafeMutableBytes(of: &storage) { storage in withUnsafeBytes(of: address) { storage.copyMemory(from: $0) } }
        length = socklen_t(MemoryLayout<Address>.size)
    }
}

/// A failed operation: the operation, its subject, and the system's reason.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed: `resolve`, `bind`, `listen`, `connect`, …
    public let operation: String
    /// The address, path or variable, as the user wrote it: `127.0.0.1:2121`.
    public let subject: String
    /// The system's reason, such as `Address already in use`.
    public let reason: String
    /// The system's error number; 0 if it has none (a time-out, a name without addresses).
    public let code: Int32

    public init(operation: String, subject: String, reason: String, code: Int32 = 0) {
        self.operation = operation
        self.subject = subject
        self.reason = reason
        self.code = code
    }

    /// The system's message for an error number.
    public static func reason(of code: Int32) -> String { String(cString: strerror(code)) }

    init(_ operation: String, _ subject: String, errno code: Int32 = errno) {
        self.init(operation: operation, subject: subject, reason: String(cString: strerror(code)), code: code)
    }

    public var description: String { "cannot \(operation) \(subject): \(reason)" }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension SocketAddress {
    /// The address of a Unix-domain socket.
    /// - Throws: ``SocketError`` if the path is empty, contains a zero byte or is longer than 107 bytes (103 on Darwin).
    public init(unixPath path: String) throws(SocketError) {
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
        length = socklen_t(start + bytes.count + 1)
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

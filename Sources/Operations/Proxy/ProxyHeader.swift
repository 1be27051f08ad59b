/// The connection's addresses as reported by a proxy: PROXY protocol, versions 1 and 2
/// (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt).
public struct ProxyHeader: Sendable, Equatable {
    /// An address and a port.
    public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        public let address: IPAddress
        public let port: UInt16

        public init(_ address: IPAddress, _ port: UInt16) {
            self.address = address
            self.port = port
        }

        /// `192.0.2.1:2121`, `[2001:db8::1]:2121`.
        public var description: String { address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
    }

    /// The proxy's client; nil for the proxy's own connection (`LOCAL`, a health check) or `UNKNOWN`: the socket's address
    /// applies.
    public let source: Endpoint?
    /// The address that the client connected to.
    public let destination: Endpoint?

    static let unknown = ProxyHeader(source: nil, destination: nil)
}

/// An invalid header. Close without an answer: a proxy does not read one.
public enum ProxyHeaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The connection does not start with a header.
    case missing
    /// The header exceeds its limit.
    case tooLong
    /// The fault, in words.
    case malformed(String)
    /// The checksum of version 2 does not match.
    case checksum

    public var description: String {
        switch self {
        case .missing: "no PROXY header"
        case .tooLong: "the PROXY header is too long"
        case .malformed(let what): "malformed PROXY header: \(what)"
        case .checksum: "the PROXY header's checksum does not match"
        }
    }
}

/// Parses the header at the start of a connection, independent of chunk boundaries. Buffers at most ``limit`` bytes.
public struct ProxyHeaderParser: Sendable {
    /// Bytes of a version 2 header: 16, and 520 of addresses and extensions.
    public static let limit = 536
    /// Bytes of a version 1 line with its line break.
    static let lineLimit = 107

    private var buffer: [UInt8] = []

    public init() {}

    /// Receives bytes.
    /// - Returns: the header and the number of `bytes` that belong to it; nil while incomplete.
    public mutating func parse(_ bytes: some Collection<UInt8>) throws(ProxyHeaderError) -> (header: ProxyHeader, used: Int)? {
        let before = buffer.count
        buffer.append(contentsOf: bytes.prefix(Self.limit - before))
        guard let (header, length) = try Self.parse(buffer) else { return nil }
        buffer = []
        return (header, length - before)
    }

    /// The header at the start of `bytes` and its length; nil if more bytes are needed.
    static func parse(_ bytes: [UInt8]) throws(ProxyHeaderError) -> (ProxyHeader, Int)? {
        if bytes.starts(with: signature2) { return try version2(bytes) }
        if signature2.starts(with: bytes) || signature1.starts(with: bytes) { return nil }
        guard bytes.starts(with: signature1) else { throw .missing }
        return try version1(bytes)
    }

    static let signature1 = Array("PROXY ".utf8)
    static let signature2: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
}

/// What a proxy in front says of the connection it passes on: the PROXY protocol, versions 1 and 2
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

    /// Who connected to the proxy; nil when the proxy speaks for itself (`LOCAL`, a health check) or does not know (`UNKNOWN`): then the
    /// addresses of the connection itself hold.
    public let source: Endpoint?
    /// Whom he connected to.
    public let destination: Endpoint?

    static let unknown = ProxyHeader(source: nil, destination: nil)
}

/// What is wrong with a header. The connection is to be closed without a word: a proxy does not read answers.
public enum ProxyHeaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The connection does not begin with a header.
    case missing
    /// Longer than any header has a right to be.
    case tooLong
    /// In words, what is wrong.
    case malformed(String)
    /// The checksum of version 2 does not fit.
    case checksum

    public var description: String {
        switch self {
        case .missing: "no PROXY header"
        case .tooLong: "the PROXY header is too long"
        case .malformed(let what): "malformed PROXY header: \(what)"
        case .checksum: "the PROXY header's checksum does not fit"
        }
    }
}

/// Reads the header at the beginning of a connection, however its bytes arrive, and holds no more of them than a header may have.
public struct ProxyHeaderParser: Sendable {
    /// The most bytes of a header of version 2: its 16, and 520 of addresses and extensions.
    public static let limit = 536
    /// The most bytes of a line of version 1, its line break included.
    public static let lineLimit = 107

    private var buffer: [UInt8] = []

    public init() {}

    /// Takes bytes in.
    /// - Returns: the header and how many of `bytes` belong to it, what follows being the connection's own; nil while it is incomplete.
    public mutating func parse(_ bytes: some Collection<UInt8>) throws(ProxyHeaderError) -> (header: ProxyHeader, used: Int)? {
        let before = buffer.count
        buffer.append(contentsOf: bytes.prefix(Self.limit - before))
        guard let (header, length) = try Self.parse(buffer) else { return nil }
        buffer = []
        return (header, length - before)
    }

    /// The header that the bytes begin with and its length; nil if more bytes are needed to tell.
    static func parse(_ bytes: [UInt8]) throws(ProxyHeaderError) -> (ProxyHeader, Int)? {
        if bytes.starts(with: signature2) { return try version2(bytes) }
        if signature2.starts(with: bytes) || signature1.starts(with: bytes) { return nil }
        guard bytes.starts(with: signature1) else { throw .missing }
        return try version1(bytes)
    }

    static let signature1 = Array("PROXY ".utf8)
    static let signature2: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
}

import Journal
import Sockets

/// Listeners for proxies. Parses each connection's PROXY header, then admits it under the address in the header. Confined to its
/// loop.
final class ProxyGate {
    /// Deadline for the header, in milliseconds.
    static let timeout: Int64 = 5_000
    /// Bound on connections without a header; at the bound, a new connection replaces the oldest.
    private let capacity: Int
    /// Called with the error number when `accept` fails.
    var onFailure: ((Int32) -> Void)?

    /// Networks whose proxies are trusted.
    let trusted: [AddressBlock]

    private struct PendingConnection {
        let connection: Connection
        var parser = ProxyHeaderParser()
        let timer: LoopTimer
    }

    typealias Admission = (
        _ connection: Connection, _ address: IPAddress?, _ introduction: RelayIntroduction?, _ rest: [UInt8]
    ) -> Void

    private let loop: Loop
    private let metrics: Metrics
    private let log: (LogLevel, StaticString, LogFields) -> Void
    private let admit: Admission
    private var pending: [UInt64: PendingConnection] = [:]
    private var listener: Listener?

    /// - Parameter admit: receives a connection after its header, the address and the other server's introduction in the header, and the
    ///   bytes after the header.
    init(
        loop: Loop, trusted: [AddressBlock], capacity: Int, metrics: Metrics,
        log: @escaping (LogLevel, StaticString, LogFields) -> Void, admit: @escaping Admission
    ) {
        self.loop = loop
        self.trusted = trusted
        self.capacity = capacity
        self.metrics = metrics
        self.log = log
        self.admit = admit
    }

    /// Starts the listener. Must be called on the loop.
    /// - Parameter socket: the path of a Unix-domain socket; nil for host and port.
    /// - Returns: its address, with the real port.
    func listen(host: String, port: Int, socket: String?, limits: ConnectionLimits) throws(SocketError) -> SocketAddress {
        let accepted = { [weak self] (connection: Connection) in self?.accepted(connection) ?? () }
        let listener =
            if let socket { try Listener(unixPath: socket, loop: loop, limits: limits, accepted: accepted) } else {
                try Listener(host: host, port: port, loop: loop, limits: limits, accepted: accepted)
            }
        listener.onFailure = onFailure
        self.listener = listener
        return listener.address
    }

    /// Closes the listener and the connections without a header.
    func close() {
        listener?.close()
        listener = nil
        for (_, entry) in pending.sorted(by: { $0.key < $1.key }) { entry.connection.abort() }
    }

    private func accepted(_ connection: Connection) {
        // The mode of a Unix-domain socket's file says who may connect.
        guard connection.peer.unixPath != nil || trusted.contains(where: { connection.peer.ip.map($0.contains) == true }) else {
            metrics.refusedConnections.count("proxy_not_trusted")
            log(.warning, "proxy_not_trusted", ["peer": connection.peer])
            return connection.abort()
        }
        // Ids grow.
        if pending.count >= capacity, let oldest = pending.keys.min() {
            turnAway(oldest, "no room for another connection without a PROXY header")
        }
        let id = connection.id
        let timer = loop.makeTimer { [weak self] in self?.turnAway(id, "no PROXY header in time") }
        timer.arm(at: loop.now + Self.timeout)
        pending[id] = PendingConnection(connection: connection, timer: timer)
        connection.handler = self
    }

    private func turnAway(_ id: UInt64, _ reason: String) {
        guard let entry = pending.removeValue(forKey: id) else { return }
        entry.timer.disarm()
        metrics.refusedConnections.count("proxy_header")
        log(.warning, "proxy_header", ["peer": entry.connection.peer, "reason": reason])
        entry.connection.abort()
    }
}

extension ProxyGate: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard pending[connection.id] != nil else { return }
        do throws(ProxyHeaderError) {
            guard let (header, used) = try pending[connection.id]?.parser.parse(bytes) else { return }
            pending.removeValue(forKey: connection.id)?.timer.disarm()
            connection.handler = nil
            // For a relayed client without an address, the socket's address is that of the relaying server: unused.
            let address = header.source?.address ?? (header.introduction == nil ? connection.peer.ip : nil)
            admit(connection, address, header.introduction, Array(bytes[used...]))
        } catch {
            turnAway(connection.id, error.description)
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        pending.removeValue(forKey: connection.id)?.timer.disarm()
    }
}

/// The connection's addresses as reported by a proxy: PROXY protocol, versions 1 and 2
/// (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt).
package struct ProxyHeader: Sendable, Equatable {
    /// An address and a port.
    package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        let address: IPAddress
        let port: UInt16

        package init(_ address: IPAddress, _ port: UInt16) {
            self.address = address
            self.port = port
        }

        /// `192.0.2.1:2121`, `[2001:db8::1]:2121`.
        package var description: String { address.family == .v4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
    }

    /// The proxy's client; nil for the proxy's own connection (`LOCAL`, a health check) or `UNKNOWN`: the socket's address
    /// applies.
    let source: Endpoint?
    /// The introduction of a client that another server relays; nil for other clients.
    var introduction: RelayIntroduction?

    static let unknown = ProxyHeader(source: nil)

    /// - Parameter source: nil for a client without an address.
    package init(source: Endpoint?) { self.source = source }

    init(source: Endpoint?, introduction: RelayIntroduction) { (self.source, self.introduction) = (source, introduction) }
}

/// An invalid header. Close without an answer: a proxy does not read one.
enum ProxyHeaderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The connection does not start with a header.
    case missing
    /// The header exceeds its limit.
    case tooLong
    /// The fault, in words.
    case malformed(String)
    /// The checksum of version 2 does not match.
    case checksum

    var description: String {
        switch self {
        case .missing: "no PROXY header"
        case .tooLong: "the PROXY header is too long"
        case .malformed(let what): "malformed PROXY header: \(what)"
        case .checksum: "the PROXY header's checksum does not match"
        }
    }
}

/// Parses the header at the start of a connection, independent of chunk boundaries. Buffers at most ``limit`` bytes.
struct ProxyHeaderParser: Sendable {
    /// Bytes of a version 2 header: 16, and 520 of addresses and extensions.
    static let limit = 536
    /// Bytes of a version 1 line with its line break.
    static let lineLimit = 107

    private var buffer: [UInt8] = []

    /// Receives bytes.
    /// - Returns: the header and the number of `bytes` that belong to it; nil while incomplete.
    mutating func parse(_ bytes: some Collection<UInt8>) throws(ProxyHeaderError) -> (header: ProxyHeader, used: Int)? {
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

    // MARK: Version1

    /// `PROXY TCP4 192.0.2.1 198.51.100.1 56324 2121\r\n`: fields separated by one space.
    static func version1(_ bytes: [UInt8]) throws(ProxyHeaderError) -> (ProxyHeader, Int)? {
        guard let feed = bytes.prefix(lineLimit).firstIndex(of: 0x0A) else {
            guard bytes.count < lineLimit else { throw .tooLong }
            return nil
        }
        guard feed > 0, bytes[feed - 1] == 0x0D else { throw .malformed("the line does not end in CR LF") }
        let words = bytes[6..<(feed - 1)].split(separator: 0x20, omittingEmptySubsequences: false)
        let text = words.map { String(decoding: $0, as: UTF8.self) }
        switch text.first {
        // The specification: ignore the rest of the line.
        case "UNKNOWN": return (.unknown, feed + 1)
        case "TCP4", "TCP6":
            let family: IPAddress.Family = text[0] == "TCP4" ? .v4 : .v6
            guard words.count == 5 else { throw .malformed("\(text[0]) has four fields") }
            let source = ProxyHeader.Endpoint(try address(text[1], family), try port(words[3]))
            // The destination is unused but must be valid.
            _ = (try address(text[2], family), try port(words[4]))
            return (ProxyHeader(source: source), feed + 1)
        default: throw .malformed("neither TCP4 nor TCP6 nor UNKNOWN")
        }
    }

    private static func address(_ text: String, _ family: IPAddress.Family) throws(ProxyHeaderError) -> IPAddress {
        // An IPv4-mapped address parses as IPv4 but belongs in a TCP6 line.
        guard let address = IPAddress(text), text.utf8.contains(UInt8(ascii: ":")) == (family == .v6) else {
            throw .malformed("an address")
        }
        return address
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(ProxyHeaderError) -> UInt16 {
        guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"), let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { throw .malformed("a port") }
        return port
    }

    // MARK: Version2

    /// A signature of twelve bytes, version and command, family and protocol, length, addresses, extensions (type, length,
    /// value).
    static func version2(_ bytes: [UInt8]) throws(ProxyHeaderError) -> (ProxyHeader, Int)? {
        guard bytes.count >= 13 else { return nil }
        guard bytes[12] >> 4 == 2 else { throw .malformed("version \(bytes[12] >> 4)") }
        guard bytes[12] & 0xF <= 1 else { throw .malformed("command \(bytes[12] & 0xF)") }
        guard bytes.count >= 16 else { return nil }
        let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard length <= limit else { throw .tooLong }
        guard bytes.count >= length else { return nil }
        let isLocal = bytes[12] & 0xF == 0
        // LOCAL is the proxy's own connection: skip addresses and extensions.
        guard !isLocal else { return (.unknown, length) }
        var (header, used) = try addresses(bytes[16..<length], family: bytes[13])
        // Without addresses, reads only a relaying server's introduction.
        if used > 0 || bytes[13] == 0x00 && bytes[16..<length].dropFirst(3).starts(with: RelayIntroduction.mark) {
            header.introduction = try readExtensions(Array(bytes[..<length]), from: 16 + used)
        }
        return (header, length)
    }

    /// - Returns: the addresses and their length; 0 for a family without known addresses, whose block is skipped.
    private static func addresses(_ block: ArraySlice<UInt8>, family: UInt8) throws(ProxyHeaderError) -> (ProxyHeader, Int) {
        let width: Int
        switch family {
        case 0x11: width = 4
        case 0x21: width = 16
        // Unspecified, datagram and Unix-domain: no client address for a TCP listener.
        case 0x00, 0x12, 0x22, 0x31, 0x32: return (.unknown, 0)
        default: throw .malformed("family and protocol \(family)")
        }
        let used = 2 * width + 4
        guard block.count >= used else { throw .malformed("shorter than its addresses") }
        let start = block.startIndex
        func port(_ offset: Int) -> UInt16 { UInt16(block[start + offset]) << 8 | UInt16(block[start + offset + 1]) }
        guard let source = IPAddress(bytes: block[start..<(start + width)]) else { throw .malformed("an address") }
        return (ProxyHeader(source: .init(source, port(2 * width))), used)
    }

    /// Every extension must fit; a checksum (type 3, CRC-32C of the header with the field zeroed) must match.
    /// - Returns: the introduction. Ignores values of its type without its mark, which are a proxy's own.
    private static func readExtensions(_ header: [UInt8], from start: Int) throws(ProxyHeaderError) -> RelayIntroduction? {
        var index = start
        var introduction: RelayIntroduction?
        while index < header.count {
            guard index + 3 <= header.count else { throw .malformed("an extension is cut off") }
            let value = index + 3
            let end = value + Int(header[index + 1]) << 8 + Int(header[index + 2])
            guard end <= header.count else { throw .malformed("an extension is cut off") }
            if header[index] == 0x03 {
                guard end - value == 4 else { throw .malformed("a checksum has four bytes") }
                let sum = header[value..<end].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                var blank = header
                for place in value..<end { blank[place] = 0 }
                guard CRC32C.extended(over: blank[...]) == sum else { throw .checksum }
            }
            if header[index] == RelayIntroduction.extensionType, header[value..<end].starts(with: RelayIntroduction.mark) {
                guard introduction == nil else { throw .malformed("two introductions") }
                do throws(RelayFault) {
                    introduction = try RelayIntroduction(header[value..<end])
                } catch {
                    throw .malformed("an introduction: \(error)")
                }
            }
            index = end
        }
        return introduction
    }
}

extension ProxyHeader {
    /// The header in which a server introduces a client to another one.
    static func introducing(_ client: IPAddress?, _ introduction: RelayIntroduction) -> ProxyHeader {
        ProxyHeader(source: client.map { Endpoint($0, 0) }, introduction: introduction)
    }

    /// The header in version 2, with zeros as the destination.
    package var bytes: [UInt8] {
        var block: [UInt8] = []
        if let source {
            let address = source.address.bytes
            block = address + address.map { _ in 0 } + [UInt8(source.port >> 8), UInt8(source.port & 0xFF), 0, 0]
        }
        if let value = introduction?.bytes {
            block += [RelayIntroduction.extensionType, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
        }
        let family: UInt8 = source.map { $0.address.family == .v4 ? 0x11 : 0x21 } ?? 0x00
        return ProxyHeaderParser.signature2 + [0x21, family, UInt8(block.count >> 8), UInt8(block.count & 0xFF)] + block
    }
}

/// A host and a port: `127.0.0.1:2121`, `example.org:2121`, `[::1]:2121`. The host is unresolved; empty (`:2121`), it means all interfaces to
/// a listener and the local machine to a client. Port 0 requests any free port.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A name, an IPv4 or IPv6 address (without brackets), or empty.
    public var host: String
    /// 0…65535.
    public var port: UInt16

    /// Makes an endpoint of its parts.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; an IPv6 address stands in brackets. nil for any other text.
    ///
    /// - Parameter defaultPort: The port when the text has none. Without it, the port is required.
    public init?(_ text: String, defaultPort: UInt16? = nil) {
        let bytes = Array(text.utf8)
        let host: ArraySlice<UInt8>
        let tail: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 1 else { return nil }
            (host, tail) = (bytes[1..<close], bytes[(close + 1)...])
            guard host.allSatisfy(Self.isOfAddress), host.contains(UInt8(ascii: ":")) else { return nil }
        } else {
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            (host, tail) = (bytes[..<colon], bytes[colon...])
            guard host.allSatisfy(Self.isOfName) else { return nil }
        }
        if tail.isEmpty {
            // Digits alone are more likely a port without its colon than a host.
            guard let defaultPort, !host.isEmpty, !host.allSatisfy(\.isDigit) else { return nil }
            port = defaultPort
        } else {
            let digits = tail.dropFirst()
            guard tail.first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(\.isDigit),
                let number = UInt16(String(decoding: digits, as: UTF8.self))
            else { return nil }
            port = number
        }
        self.host = String(decoding: host, as: UTF8.self)
    }

    /// `HOST:PORT`, the inverse of ``init(_:defaultPort:)``; an IPv6 address stands in brackets.
    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isNameByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    /// Hexadecimal digits, colons, the dots of an embedded IPv4 address, and a zone such as `%eth0`.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        isOfName(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
    }
}

extension ValueFormat<Endpoint> {
    /// `HOST:PORT`; the port is optional if a default is given.
    public static func endpoint(defaultPort: UInt16? = nil) -> Self {
        let others = defaultPort == nil ? "[::1]:2121 or :2121" : "example.org or [::1]:2121"
        return Self("HOST:PORT", expected: "a host and port such as 127.0.0.1:2121, \(others)") {
            Endpoint($0, defaultPort: defaultPort)
        } print: {
            $0.description
        }
    }
}

/// The address of a server's listener for proxies.
package enum ProxyAddress: Sendable, Equatable {
    case endpoint(Endpoint)
    /// The path of a Unix-domain socket.
    case socket(String)

    package var endpoint: Endpoint? { if case .endpoint(let endpoint) = self { endpoint } else { nil } }
    package var socket: String? { if case .socket(let path) = self { path } else { nil } }
}

extension ValueFormat<ProxyAddress> {
    package static let proxyAddress = ValueFormat(
        "HOST:PORT|SOCKET", expected: "a host and port such as 127.0.0.1:2122, or the path of a socket such as /run/bj.sock",
        parse: { $0.hasPrefix("/") ? .socket($0) : Endpoint($0).map { .endpoint($0) } },
        print: { $0.socket ?? $0.endpoint?.description ?? "" })
}

/// Durations as text, such as `1h30m`, to and from whole milliseconds.
enum TimeSpan {
    private static let units: [(name: String, milliseconds: Int)] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]

    /// The text in milliseconds; nil for other text, repeated or unordered units, or overflow.
    static func milliseconds<Value: FixedWidthInteger>(in text: String) -> Value? {
        var rest = text[...]
        var smallest = Int.max
        var sum: Value = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(letters.count)
            guard let unit = units.first(where: { $0.name == letters }), unit.milliseconds < smallest else { return nil }
            // A narrow type may not hold the unit's factor, but "0s" is valid in all.
            guard let number = Value(digits), let factor = number == 0 ? 0 : Value(exactly: unit.milliseconds) else { return nil }
            let product = number.multipliedReportingOverflow(by: factor)
            let total = sum.addingReportingOverflow(product.partialValue)
            guard !product.overflow, !total.overflow else { return nil }
            sum = total.partialValue
            smallest = unit.milliseconds
        } while !rest.isEmpty
        return sum
    }

    /// Milliseconds as text: `5400000` is `1h30m`, `0` is `0s`.
    static func text<Value: FixedWidthInteger>(of milliseconds: Value) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units {
            guard let factor = Value(exactly: unit.milliseconds), rest >= factor else { continue }
            text += "\(rest / factor)\(unit.name)"
            rest %= factor
        }
        return text.isEmpty ? "0s" : text
    }
}

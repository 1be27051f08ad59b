extension ProxyHeaderParser {
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
            let destination = ProxyHeader.Endpoint(try address(text[2], family), try port(words[4]))
            return (ProxyHeader(source: source, destination: destination), feed + 1)
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
}

extension ProxyHeaderParser {
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
        let (header, used) = try addresses(bytes[16..<length], family: bytes[13])
        if used > 0 { try checkExtensions(Array(bytes[..<length]), from: 16 + used) }
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
        guard let source = IPAddress(bytes: block[start..<(start + width)]),
            let destination = IPAddress(bytes: block[(start + width)..<(start + 2 * width)])
        else { throw .malformed("an address") }
        let header = ProxyHeader(
            source: .init(source, port(2 * width)), destination: .init(destination, port(2 * width + 2)))
        return (header, used)
    }

    /// Every extension must fit; a checksum (type 3, CRC-32C of the header with the field zeroed) must match.
    private static func checkExtensions(_ header: [UInt8], from start: Int) throws(ProxyHeaderError) {
        var index = start
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
                guard CRC32C.checksum(of: blank) == sum else { throw .checksum }
            }
            index = end
        }
    }
}

/// CRC-32C, Castagnoli's polynomial (RFC 3720, appendix B.4), bit by bit: once per connection, on a short header.
enum CRC32C {
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82F6_3B78 }
        }
        return ~crc
    }
}

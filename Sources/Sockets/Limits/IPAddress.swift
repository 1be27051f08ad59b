/// An IPv4 or IPv6 address as a number. IPv4-mapped IPv6 (`::ffff:192.0.2.1`) becomes IPv4.
public struct IPAddress: Sendable, Hashable {
    public enum Family: UInt8, Sendable { case v4, v6 }

    public let family: Family
    /// 32 or 128 bits.
    let bits: UInt128

    /// Four bytes of IPv4 or sixteen of IPv6 in network order; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(family: bytes.count == 4 ? .v4 : .v6, bits: bits)
    }

    /// Four or sixteen bytes in network order.
    package var bytes: [UInt8] {
        stride(from: width - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt128($0)) }
    }

    init(family: Family, bits: UInt128) {
        if family == .v6, bits >> 32 == 0xFFFF {
            self.family = .v4
            self.bits = bits & 0xFFFF_FFFF
        } else {
            self.family = family
            self.bits = bits
        }
    }

    /// 32 or 128.
    var width: Int { family == .v4 ? 32 : 128 }

    /// Parses `192.0.2.1` or `2001:db8::1` strictly: no leading zeros in IPv4, no zone, brackets or port.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(46))
        if let bits = Self.version4(bytes[...]) {
            self.init(family: .v4, bits: UInt128(bits))
        } else if let bits = Self.version6(bytes) {
            self.init(family: .v6, bits: bits)
        } else {
            return nil
        }
    }

    /// Four decimal numbers of 0 to 255 without leading zeros.
    static func version4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number: UInt32 = 0
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
            }
            guard number <= 255 else { return nil }
            bits = bits << 8 | number
        }
        return bits
    }

    /// Eight hexadecimal groups, one run of zeros as `::`, the last two groups optionally as IPv4.
    private static func version6(_ text: [UInt8]) -> UInt128? {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else {
            guard let groups = groups(text[...], allowsVersion4: true), groups.count == 8 else { return nil }
            return number(groups)
        }
        let head = text[..<gap]
        let tail = text[(gap + 2)...]
        guard let front = head.isEmpty ? [] : groups(head, allowsVersion4: false),
            let back = tail.isEmpty ? [] : groups(tail, allowsVersion4: true), front.count + back.count < 8
        else { return nil }
        return number(front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back)
    }

    private static func groups(_ text: ArraySlice<UInt8>, allowsVersion4: Bool) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if allowsVersion4, index == parts.count - 1, let bits = version4(part) {
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
                continue
            }
            guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"),
                let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    private static func number(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }
}

extension IPAddress: CustomStringConvertible {
    /// RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`.
    public var description: String {
        guard family == .v6 else {
            return stride(from: 24, through: 0, by: -8).map { String(UInt8(truncatingIfNeeded: bits >> $0)) }.joined(
                separator: ".")
        }
        let groups = stride(from: 112, through: 0, by: -16).map { UInt16(truncatingIfNeeded: bits >> $0) }
        var best = 0..<0
        var start = 0
        while start < 8 {
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > best.count { best = start..<end }
            start = max(end, start + 1)
        }
        func text(_ groups: ArraySlice<UInt16>) -> String { groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard best.count > 1 else { return text(groups[...]) }
        return text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
    }
}

extension IPAddress {
    /// True for 127.0.0.0/8 and ::1.
    package var isLoopback: Bool { family == .v4 ? bits >> 24 == 127 : bits == 1 }
}

// MARK: - IP

extension SocketAddress {
    /// The address as a number; nil for other families. Ignores the zone of a link-local address (`%eth0`).
    public var ip: IPAddress? { IPAddress(host.prefix { $0 != "%" }) }
}

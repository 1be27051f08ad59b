import Journal
import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private typealias Endpoint = ProxyHeader.Endpoint

private func endpoint(_ host: String, _ port: UInt16) throws -> Endpoint { Endpoint(try #require(IPAddress(host)), port) }

/// A header of version 2.
private func version2(_ block: [UInt8], length: Int? = nil) -> [UInt8] { version2(0x21, 0x11, block, length: length) }

private func version2(_ command: UInt8, _ family: UInt8, _ block: [UInt8], length: Int? = nil) -> [UInt8] {
    let length = length ?? block.count
    return ProxyHeaderParser.signature2 + [command, family, UInt8(length >> 8), UInt8(length & 255)] + block
}

private let addresses4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xDC, 0x04, 0x08, 0x49]
private let addresses6: [UInt8] =
    [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1] + [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [
        2
    ]
    + [0, 1, 0xFF, 0xFF]

/// The header with an extension of type 3 whose checksum is right.
private func withChecksum(_ block: [UInt8]) -> [UInt8] {
    var bytes = version2(0x21, 0x11, block + [3, 0, 4, 0, 0, 0, 0] + [0x04, 0, 1, 9])
    let place = 16 + block.count + 3
    let sum = CRC32C.extended(over: bytes[...])
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
    return bytes
}

/// What a header comes to when it arrives whole, and when it arrives in any two pieces or byte by byte.
private func parsed(_ bytes: [UInt8], rest: [UInt8] = Array("{\"type\":\"ping\"}\n".utf8)) throws -> ProxyHeader {
    let whole = bytes + rest
    var parser = ProxyHeaderParser()
    let (header, used) = try #require(try parser.parse(whole))
    #expect(used == bytes.count)
    for cut in 0..<bytes.count {
        var parser = ProxyHeaderParser()
        #expect(try parser.parse(whole[..<cut]) == nil, "cut at \(cut)")
        let (again, used) = try #require(try parser.parse(whole[cut...]))
        #expect(again == header && cut + used == bytes.count, "cut at \(cut)")
    }
    var single = ProxyHeaderParser()
    for byte in bytes.dropLast() { #expect(try single.parse([byte]) == nil) }
    #expect(try single.parse(bytes.suffix(1))?.header == header)
    return header
}

@Test func theAddressesOfAHeaderAreReadHoweverItIsCut() throws {
    let four = try parsed(Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 2121\r\n".utf8))
    #expect(try four.source == endpoint("192.0.2.1", 56_324))
    let six = try parsed(Array("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n".utf8))
    #expect(try six.source == endpoint("2001:db8::1", 0) && six.source?.description == "[2001:db8::1]:0")
    #expect(try parsed(version2(addresses4)) == four)
    #expect(try parsed(version2(0x21, 0x21, addresses6)).source?.address == IPAddress("2001:db8::1"))
    #expect(try parsed(withChecksum(addresses4)) == four)
}

@Test func aProxyThatSpeaksForItselfOrDoesNotKnowNamesNobody() throws {
    let unknown = ProxyHeader(source: nil)
    #expect(try parsed(Array("PROXY UNKNOWN\r\n".utf8)) == unknown)
    #expect(try parsed(Array("PROXY UNKNOWN ffff::ffff 1 2 anything\r\n".utf8)) == unknown)
    #expect(try parsed(version2(0x20, 0x00, [])) == unknown)
    #expect(try parsed(version2(0x20, 0x11, addresses4 + [0xFF, 0xFF])) == unknown)
    for family: UInt8 in [0x00, 0x12, 0x22, 0x31, 0x32] { #expect(try parsed(version2(0x21, family, addresses4)) == unknown) }
}

@Test(arguments: [
    "GET / HTTP/1.1\r\n", "{\"type\":\"ping\"}\n", "PROXX", "proxy TCP4 192.0.2.1 198.51.100.1 1 2\r\n", "\r\n\r\nX", "\n",
])
func aConnectionWithoutAHeaderIsRefused(_ text: String) {
    var parser = ProxyHeaderParser()
    #expect(throws: ProxyHeaderError.missing) { try parser.parse(Array(text.utf8)) }
}

@Test(arguments: [
    "PROXY \r\n", "PROXY TCP4\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 3\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 1 2\n", "PROXY TCP4  192.0.2.1 198.51.100.1 1 2\r\n",
    "PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n",
    "PROXY TCP4 ::1 198.51.100.1 1 2\r\n", "PROXY TCP6 192.0.2.1 ::1 1 2\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 65536 2\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 01 2\r\n", "PROXY TCP4 192.0.2.1 198.51.100.1 +1 2\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 1 \r\n",
    "PROXY TCP5 192.0.2.1 198.51.100.1 1 2\r\n", "PROXY UDP4 192.0.2.1 198.51.100.1 1 2\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 \r\n",
])
func aMalformedLineIsRefused(_ line: String) {
    var parser = ProxyHeaderParser()
    #expect(throws: ProxyHeaderError.self) { try parser.parse(Array(line.utf8)) }
}

@Test func aLineWithoutAnEndIsRefusedAtItsBound() throws {
    var parser = ProxyHeaderParser()
    #expect(try parser.parse(Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x41, count: 106 - 14)) == nil)
    #expect(throws: ProxyHeaderError.tooLong) { try parser.parse([0x41]) }
    let longest = "PROXY UNKNOWN " + String(repeating: "A", count: 107 - 16) + "\r\n"
    var exact = ProxyHeaderParser()
    #expect(try exact.parse(Array(longest.utf8))?.used == 107)
}

@Test func aMalformedHeaderOfVersion2IsRefused() {
    var faulty: [[UInt8]] = [
        version2(0x11, 0x11, addresses4), version2(0x22, 0x11, addresses4), version2(0x21, 0x41, addresses4),
        version2(0x21, 0x11, Array(addresses4.dropLast())), version2(0x21, 0x21, addresses4),
        version2(addresses4 + [4]), version2(addresses4 + [4, 0]), version2(addresses4 + [4, 0, 2, 1]),
        version2(addresses4 + [3, 0, 3, 1, 2, 3]), version2(addresses4 + [3, 0, 4, 1, 2, 3, 4]),
        version2(addresses4, length: 521), version2(addresses4, length: 65_535),
    ]
    var flipped = withChecksum(addresses4)
    flipped[17] ^= 1
    faulty.append(flipped)
    for bytes in faulty {
        var parser = ProxyHeaderParser()
        #expect(throws: ProxyHeaderError.self) { try parser.parse(bytes) }
    }
}

@Test func theLongestHeaderIsTakenAndNothingMoreIsKept() throws {
    let filler: [UInt8] = [4, 1, 0xF9] + [UInt8](repeating: 7, count: 505)
    let bytes = version2(addresses4 + filler)
    #expect(bytes.count == ProxyHeaderParser.limit)
    #expect(try parsed(bytes, rest: [UInt8](repeating: 0x7B, count: 5_000)).source?.port == 56_324)
}

@Test func randomBytesAndRandomHarmAreAnsweredNotTrappedOn() {
    var draws = SeededGenerator()
    let seeds = [
        Array("PROXY TCP4 192.0.2.1 198.51.100.1 56324 2121\r\n".utf8), withChecksum(addresses4),
        version2(0x21, 0x21, addresses6),
    ]
    for round in 0..<20_000 {
        var bytes = round % 4 == 3 ? [] : seeds[round % 4]
        for _ in 0..<Int.random(in: 1...4, using: &draws) {
            let byte = UInt8.random(in: 0...255, using: &draws)
            let place = Int.random(in: 0...bytes.count, using: &draws)
            if place < bytes.count, Bool.random(using: &draws) { bytes[place] = byte } else { bytes.insert(byte, at: place) }
        }
        var whole = ProxyHeaderParser()
        let first = Result { try whole.parse(bytes).map { "\($0)" } }
        // However the same bytes are cut, the same comes of them.
        let cut = Int.random(in: 0...bytes.count, using: &draws)
        var parts = ProxyHeaderParser()
        let second = Result { () -> String? in
            if let (header, used) = try parts.parse(bytes[..<cut]) { return "\((header: header, used: used))" }
            return try parts.parse(bytes[cut...]).map { "\((header: $0.header, used: $0.used + cut))" }
        }
        #expect(describe(first) == describe(second), "seed \(Seed.value), round \(round)")
    }
}

private func describe(_ result: Result<String?, any Error>) -> String {
    switch result {
    case .success(let text): text ?? "incomplete"
    case .failure(let error): "\(error)"
    }
}

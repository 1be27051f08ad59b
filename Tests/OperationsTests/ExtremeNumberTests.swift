import Testing

@testable import ServerCore
@testable import Sockets

private let numbers = [
    "-9223372036854775808", "-1", "0", "1", "4294967296", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "99999999999999999999999999999999999999", "1e400", "1.5", "-0", "", "+1", "0x10",
]

@Test func aPortOfAnySize_isRefusedOrFits() {
    for number in numbers {
        for words in ["192.0.2.1 192.0.2.2 \(number) 1", "192.0.2.1 192.0.2.2 1 \(number)", "\(number).0.2.1 192.0.2.2 1 1"] {
            var parser = ProxyHeaderParser()
            let header = try? parser.parse(Array("PROXY TCP4 \(words)\r\n".utf8))?.header
            let mayFit = ["0", "1"].contains(number)
            #expect((header != nil) == mayFit, "\(words)")
        }
    }
    // Every length and every length of an extension that two bytes can say.
    for length in [0, 1, 11, 12, 13, 255, 520, 521, 65_535] {
        for extent in [0, 1, 255, 65_535] {
            var parser = ProxyHeaderParser()
            let head = ProxyHeaderParser.signature2 + [0x21, 0x11, UInt8(length >> 8), UInt8(length & 255)]
            let block: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2, 0, 1, 0, 1, 3, UInt8(extent >> 8), UInt8(extent & 255)]
            _ = try? parser.parse(head + block + [UInt8](repeating: 0, count: 600))
        }
    }
}

@Test func momentsAtTheEdges_areReckonedWith() {
    for moment in [Int64.min, Int64.min + 1, -1, 0, 1, Int64.max - 1, Int64.max] {
        #expect(Timestamp(moment).description.hasSuffix("Z"))
        var list = BanList()
        if let block = AddressBlock("192.0.2.0/24"), let inner = AddressBlock("192.0.2.7") {
            _ = list.ban(block, until: moment, at: 0)
            for now in [Int64.min, 0, Int64.max] {
                _ = (list.entry(for: inner, at: now), list.list(at: now), list.unban(block, at: now))
            }
        }
        for limit in [RateLimit(.max, perMilliseconds: .max, burst: .max), RateLimit(.min, perMilliseconds: .min, burst: .min)] {
            var bucket = TokenBucket()
            for now in [moment, 0, Int64.max, Int64.min] {
                for count in [1, 0, -1, Int.max, Int.min] { _ = bucket.take(count, of: limit, at: now) }
                #expect(bucket.available(limit, at: now) >= 0)
            }
        }
    }
}

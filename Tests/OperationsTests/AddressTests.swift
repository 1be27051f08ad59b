import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }
private func block(_ text: String) throws -> AddressBlock { try #require(AddressBlock(text), "\(text)") }

@Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"), ("::1", "::1"),
    ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"), ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
    ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
    ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("fe80::1:0:0:0", "fe80::1:0:0:0"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
])
func anAddressIsWrittenInOneWay(_ text: String, _ canonical: String) throws {
    #expect(try ip(text).description == canonical)
    #expect(try ip(canonical) == ip(text))
}

@Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", "1..2.3", ":", ":::", "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9", "12345::", "g::", "fe80::1%eth0", "[::1]", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:6:7::8",
    "::+1", "-1::", "1.2.3.4/8",
])
func whatIsNoAddressIsRefused(_ text: String) { #expect(IPAddress(text) == nil) }

@Test func everyAddressSurvivesBeingWrittenAndRead() throws {
    var draws = SeededGenerator()
    for _ in 0..<2_000 {
        let zeros = UInt8.random(in: 0...255, using: &draws)
        let bytes = (0..<16).map { index in
            zeros >> (index / 2) & 1 == 1 ? 0 : UInt8.random(in: 0...255, using: &draws)
        }
        let address = try #require(IPAddress(bytes: bytes))
        #expect(IPAddress(address.description) == address, "seed \(Seed.value)")
    }
}

@Test func aBlockContainsItsAddressesAndNoOthers() throws {
    let net = try block("192.0.2.0/25")
    #expect(try net.contains(ip("192.0.2.127")) && !net.contains(ip("192.0.2.128")) && !net.contains(ip("::1")))
    #expect(try block("0.0.0.0/0").contains(ip("255.1.2.3")) && block("::/0").contains(ip("2001:db8::1")))
    #expect(
        try block("2001:db8::/33").contains(ip("2001:db8:7fff::1")) && !block("2001:db8::/33").contains(ip("2001:db8:8000::1")))
    #expect(try block("192.0.2.7").contains(ip("::ffff:192.0.2.7")))
    #expect(try net.description == "192.0.2.0/25" && block("192.0.2.7/32").description == "192.0.2.7")
}

@Test(arguments: [
    "192.0.2.1/24", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1", "192.0.2.0/+8", "/8", "::/129", "a/8", "1.2.3.4/8/8",
    "10.0.0.0/0008",
])
func aBlockThatIsMostLikelyAMistakeIsRefused(_ text: String) { #expect(AddressBlock(text) == nil) }

@Test func noAddressGetsMoreThanItsShareAndNobodyIsCountedTwice() throws {
    var table = AddressTable(capacity: 5, capacityPerAddress: 2)
    let (a, b) = (try ip("192.0.2.1"), try ip("192.0.2.2"))
    try table.admit(a)
    try table.admit(a)
    #expect(throws: AddressTable.Refusal.tooManyFromAddress) { try table.admit(a) }
    try table.admit(b)
    try table.admit(nil)
    try table.admit(nil)
    #expect(throws: AddressTable.Refusal.full) { try table.admit(b) }
    #expect(table.count == 5)
    for address in [a, a, b, nil, nil] { table.release(address) }
    #expect(table.count == 0)
    try table.admit(a)
    try table.admit(a)
    #expect(throws: AddressTable.Refusal.tooManyFromAddress) { try table.admit(a) }
}

@Test func aCustomersWholeNetworkOfIPv6CountsAsOneAddress() throws {
    var table = AddressTable(capacity: 100, capacityPerAddress: 1)
    try table.admit(ip("2001:db8:0:1::1"))
    #expect(throws: AddressTable.Refusal.tooManyFromAddress) { try table.admit(ip("2001:db8:0:1:ffff::2")) }
    try table.admit(ip("2001:db8:0:2::1"))
}

@Test func aNetworkOfIPv6HoldsAQuarterOfAllConnections_atMost() throws {
    var table = AddressTable(capacity: 400, capacityPerAddress: 10)
    func held(_ addresses: some Sequence<String>) -> Int {
        addresses.count { text in (try? table.admit(ip(text))) != nil }
    }
    #expect(held((0..<99).map { "2001:db8:0:1::\($0)" }) == 10)
    #expect(held((0..<99).map { "2001:db8:0:\($0)::1" }) == 30)
    #expect(held((0..<999).map { "2001:db8:0:\(String($0 * 64, radix: 16))::1" }) == 60)
    #expect(held(["2001:db8:1::1", "192.0.2.1"]) == 2 && table.count == 102)
    // A smaller server is no worse for one address.
    table.capacity = 104
    for _ in 0..<2 { table.release(try ip("2001:db8:0:1::1")) }
    #expect(throws: AddressTable.Refusal.tooManyFromAddress) { try table.admit(ip("2001:db8:0:1::1")) }
}

import TestKit
import Testing

@testable import Postgres

/// A message of a server.
func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
    let length = UInt32(body.count + 4)
    return [type.asciiValue!] + (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * $0)) } + body
}

func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

func notice(_ type: Character, severity: String, state: String, _ words: String) -> [UInt8] {
    message(type, text("S" + severity) + text("V" + severity) + text("C" + state) + text("M" + words) + [0])
}

func number(_ value: Int32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

func row(_ values: [[UInt8]?]) -> [UInt8] {
    let columns = values.flatMap { value -> [UInt8] in
        guard let value else { return number(-1) }
        return number(Int32(value.count)) + value
    }
    return message("D", [0, UInt8(values.count)] + columns)
}

struct MessageTests {
    private static let session: [UInt8] =
        message("R", number(0)) + message("S", text("server_version") + text("15.1")) + message("K", number(1) + number(2))
        + message("Z", [0x49]) + message("1", []) + message("2", []) + row([[1, 2, 3], nil, []])
        + message("C", text("INSERT 0 17"))
        + notice("N", severity: "WARNING", state: "01000", "standby\u{1b}[31m")
        + notice("E", severity: "ERROR", state: "53100", "no space")
        + message("R", number(10) + text("SCRAM-SHA-256") + [0]) + message("R", number(11) + [7])
        + message("R", number(5) + [1, 2, 3, 4])

    private func decode(_ parts: [ArraySlice<UInt8>]) throws -> [BackendMessage] {
        var decoder = MessageDecoder()
        var messages: [BackendMessage] = []
        for part in parts {
            decoder.append(part)
            while let message = try decoder.next() { messages.append(message) }
        }
        return messages
    }

    @Test func messages_areTheSame_howeverTheirBytesAreSplit() throws {
        let all = Self.session
        let whole = try decode([all[...]])
        #expect(whole.count == 13)
        #expect(whole[0] == .authenticated)
        #expect(whole[1] == .parameter(name: "server_version", value: "15.1"))
        #expect(whole[6] == .row([[1, 2, 3], nil, []]))
        #expect(whole[7] == .complete(count: 17))
        #expect(whole[10] == .sasl(["SCRAM-SHA-256"]))
        #expect(whole[12] == .otherAuthentication(5))
        for split in 0...all.count { #expect(try decode([all[..<split], all[split...]]) == whole) }
        #expect(try decode(all.indices.map { all[$0..<$0 + 1] }) == whole)
    }

    @Test func textsOfAServer_areSafeToPrint() throws {
        guard case .notice(let notice) = try decode([Self.session[...]])[8] else { throw CancellationError() }
        #expect(notice.text == "standby?[31m")
        #expect(String(repeating: "x", count: 10_000).printable(upTo: 300).count == 301)
    }

    @Test(arguments: [
        [0x44, 0xFF, 0xFF, 0xFF, 0xFF], [0x43, 0x7F, 0xFF, 0xFF, 0xFF], [0x43, 0, 0, 0, 3], [0x00, 0, 0, 0, 4],
        Array("HTTP/1.1 400".utf8),
        message("D", [0, 2] + number(100)), message("D", [0xFF, 0xFF]), message("C", [0x41]), message("Z", []),
        message("E", [0x53]),
    ])
    func bytesThatAreNoMessage_areRefused_andNothingIsWaitedFor(_ bytes: [UInt8]) {
        #expect(throws: ProtocolViolation.self) { try decode([bytes[...]]) }
    }

    /// Any bytes make messages, or are refused: no trap, and no more memory than they have.
    @Test func damagedBytes_areRefusedOrRead() {
        var generator = SeededGenerator()
        for round in 0..<3000 {
            var bytes = Self.session
            for _ in 0...generator.below(4) {
                switch generator.below(3) {
                case 0: bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
                case 1: bytes.remove(at: generator.below(bytes.count))
                default: bytes.insert(UInt8(generator.below(256)), at: generator.below(bytes.count))
                }
            }
            let split = generator.below(bytes.count)
            let whole = Result { try decode([bytes[...]]) }
            let parts = Result { try decode([bytes[..<split], bytes[split...]]) }
            #expect((try? whole.get()) == (try? parts.get()), "seed \(Seed.value), round \(round)")
        }
    }

    @Test func aStatementIsSentWhole() throws {
        var encoder = MessageEncoder()
        encoder.parse("s", "SELECT $1", [.int(-2)])
        encoder.execute("s", [.int(-2)])
        let parse = message("P", text("s") + text("SELECT $1") + [0, 1] + number(20))
        let bind = message(
            "B", [0] + text("s") + [0, 1, 0, 1, 0, 1] + number(8) + [UInt8](repeating: 255, count: 7) + [254] + [0, 1, 0, 1])
        #expect(encoder.bytes == parse + bind + message("E", [0] + number(0)) + message("S", []))
    }
}

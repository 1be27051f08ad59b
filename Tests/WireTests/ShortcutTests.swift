import CommandLineKit
import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

/// However a line is written, the laws of the codec hold: the shortcut through `bet` and `act` gives what the general way gives, and what is read
/// is written and read again.
struct ShortcutTests {
    private static func lines(_ generator: inout SeededGenerator) throws -> [String] {
        var lines = (Samples.requests.map { $0.encoded() } + (try Samples.events().map { $0.encoded() }))
        for _ in 0..<20 {
            let table = RandomTable.any(&generator)
            let next = RandomTable.changed(table, &generator)
            let check: UInt32? = generator.below(2) == 0 ? next.check : nil
            lines.append(ServerMessage.diff(from: 1041, to: 1042, check: check, table.difference(to: next)).encoded())
        }
        return lines.map { text($0.dropLast()) }
    }

    @Test func everyMessage_asWeWriteIt_isReadTheSame() throws {
        var generator = SeededGenerator()
        var session = LawfulSession()
        for line in try Self.lines(&generator) { expectLaws(of: Array(line.utf8), in: &session) }
    }

    @Test func everyMessage_writtenOtherwise_isReadTheSame() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 1)
        var session = LawfulSession()
        for line in try Self.lines(&generator) where line.utf8.count < 600 {
            let tree = try JSONTree(line)
            for _ in 0..<10 {
                let disguise = Disguise(rawValue: generator.below(64))
                expectLaws(of: Array(tree.text(disguise, &generator).utf8), in: &session)
            }
        }
    }

    @Test func aZeroByteInAString_isNotTakenForItsEnd() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 3)
        var session = LawfulSession()
        for line in try Self.lines(&generator) where line.utf8.count < 200 {
            let bytes = Array(line.utf8)
            for place in bytes.indices where bytes[place] == UInt8(ascii: "\"") {
                expectLaws(of: bytes[..<place] + [0] + bytes[place...], in: &session)
            }
        }
    }

    /// Values at the edges of what may be, each alone, so that a shortcut that took one too many or one too few would show.
    @Test(arguments: [
        "0", "-0", "00", "01", "-1", "1", "4", "5", "7", "8", "416", "417", "1000", "1001", "1.0", "1e0", "1000000000000",
        "1000000000001", "9007199254740992", "9007199254740993", "4294967295", "4294967296", "999999999999999999",
        "1000000000000000000", "9223372036854775807", "9223372036854775808", "true", "null", "\"\"", "\"1\"", "\"07\"", "\"21\"",
        "\"22\"", "\"soft 10\"", "\"soft 11\"", "\"soft 21\"", "\"bust 21\"", "\"bust 22\"", "\"bust 31\"", "\"bust 32\"",
        "\"-5\"", "\"??\"", "\"?H\"", "\"KH\"", "\"1H\"", "\"c0\"", "\"c00\"", "\"c1\"", "\"c999999\"", "\"c1000000\"",
        "\"c1000001\"", "\"p0\"", "\"p7\"", "\"p8\"", "\"b7.4\"", "\"b7.5\"", "\"h1.1\"", "\"s8\"", "[]", "{}", "\"hit\"",
        "\"hit\\u0000\"", "\"surrender\"",
    ])
    func aValueAtTheEdge_isReadTheSame(_ value: String) {
        var session = LawfulSession()
        let lines = [
            #"{"type":"act","action":"hit","seat":@,"turn":1}"#, #"{"type":"act","action":"hit","hand":@,"turn":1}"#,
            #"{"type":"act","action":@,"turn":1}"#,
            #"{"type":"act","action":"double","amount":@,"id":1,"turn":1}"#, #"{"type":"bet","amount":@,"round":0}"#,
            #"{"type":"ping","id":@}"#,
            #"{"type":@}"#, #"{"type":"watch","epoch":"e","rev":@}"#, #"{"type":"watch","epoch":"e","rev":1,"chat":@}"#,
            #"{"type":"ok","id":@,"to":"bet","rev":3}"#, #"{"type":"ok","id":7,"to":"act","rev":@}"#,
            #"{"type":"ok","to":"act","rev":3,"epoch":@}"#, #"{"type":"bet","amount":5,"round":@}"#,
            #"{"type":"act","action":"hit","turn":@}"#,
            #"{"type":"login","name":"a","version":@}"#, #"{"type":"login","name":@,"bot":@}"#, #"{"type":"ok","to":@}"#,
            #"{"type":"diff","from":@,"to":2,"items":{}}"#, #"{"type":"diff","from":1,"to":2,"check":@,"items":{}}"#,
            #"{"type":"diff","from":1,"to":2,"clear":@,"items":{}}"#, #"{"type":"diff","from":1,"to":2,"items":@}"#,
        ]
        let items = [
            #""left":@"#,
            #""round":@"#,
            #""b1.1":@,"i2":@"#,
            #""r2":@"#,
            #""t1.1":@"#,
            #""c9":@"#,
            #""c9":["dealer",@]"#,
            #""c9":[@,"KH"]"#,
            #""clock":@"#,
            #""p1":{"chips":@,"name":"a"}"#,
            #"@:1"#,
            #"@:null"#,
            #""left":1,@:["1.1","KH"]"#,
            #""a1":{"actions":{"hit":@},"hand":1,"turn":1}"#,
            #""a1":{"actions":{"hit":1},"hand":1,"turn":@}"#,
            #""a1":{"actions":{"hit":1},"hand":@,"turn":1}"#,
            #""r1.1":{"net":@,"outcome":"win"}"#,
            #""shoe":{"behindCut":@,"decks":@,"number":@}"#,
            #""c1":["1.1","KH"],"a1":@,"c1":@"#,
            #""a1":null,"left":@,"a1":@"#,
        ]
        let diffs = items.map { #"{"type":"diff","from":1,"to":2,"items":{"# + $0 + "}}" }
        for line in lines + diffs { expectLaws(of: Array(line.replacing("@", with: value).utf8), in: &session) }
    }

    @Test func theWordsOfTheProtocol_areThoseOfTheirTypes() {
        for action in Action.allCases { #expect(action.key.description == action.name) }
        for outcome in Outcome.allCases { #expect(outcome.key.description == outcome.name) }
    }
}

import TestKit
import Testing

@testable import Wire

/// Whatever bytes arrive, they are read or refused; nothing traps, and what is read is written as it would be read again.
struct HostileBytesTests {
    @Test func mutatedMessages_areReadOrRefused() throws {
        var (generator, session) = (SeededGenerator(seed: Seed.value &+ 1), LawfulSession())
        let lines = Samples.requests.map { $0.encoded() } + (try Samples.events().map { $0.encoded() })
        let structural = Array(#""\,:[]{} 01.-eE?tfn"#.utf8) + [0, 9, 10, 0x7F, 0x80, 0xC3, 0xFF]
        let pieces = [#""""#, "{", "}", "[", "]", ",", ":", "\\", "\\u", "\"", "1e9", "-", "null", #""type""#, "\u{20AC}", " "]
            .map { Array($0.utf8) }
        for _ in 0..<9000 {
            var line = lines[generator.below(lines.count)]
            if line.count > 300 { line = Array(line[..<300]) }
            for _ in 0..<1 + generator.below(3) where !line.isEmpty {
                let place = generator.below(line.count)
                switch generator.below(8) {
                case 0: line[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: line[place] ^= 1 << UInt8(generator.below(8))
                case 2: line.remove(at: place)
                case 3: line.insert(contentsOf: pieces[generator.below(pieces.count)], at: place)
                case 4: line[place] = structural[generator.below(structural.count)]
                case 5: line.insert(structural[generator.below(structural.count)], at: place)
                case 6: line.removeSubrange(place...)
                default:
                    let other = lines[generator.below(lines.count)]
                    line.replaceSubrange(place..., with: other[min(place, other.count)..<min(place + 30, other.count)])
                }
            }
            expectLaws(of: line, in: &session)
        }
    }

    @Test func everyMessageTruncatedAtEveryByte_isRefused() throws {
        let lines = Samples.requests.map { $0.encoded() } + (try Samples.events().map { $0.encoded() })
        for line in lines where line.count < 400 {
            // Its closing brace and its end are all that may be cut off without making it less than a value.
            for length in 0..<line.count - 1 {
                #expect(refusal(line[..<length]) != nil)
            }
        }
    }

    /// A quadratic reader would need minutes for these, not a blink: each is an eighth of the longest line.
    private static let large: [(name: String, line: String)] = {
        let size = 1 << 17
        func many(_ unit: String, _ separator: String = ",") -> String {
            Array(repeating: unit, count: size / (unit.utf8.count + separator.utf8.count)).joined(separator: separator)
        }
        // Alike but for their last letter, and each letter an escape.
        let keys = (0..<60).map { "\"\(String(repeating: "\\u0041", count: size / 400))\($0)\":0" }.joined(separator: ",")
        let cards = (0..<size / 24).map { "\"c\($0)\":[\"dealer\",\"KH\"]" }.joined(separator: ",")
        let longest = #""later":""# + many("x", "") + "\""
        let diff = #"{"type":"diff","from":1,"to":2,"items":{"#
        return [
            ("arrays", "[\(many("[]"))]"), ("escapes", "[\"\(many("\\u0041", ""))\"]"), ("digits", "[\(many("1", ""))]"),
            ("objects", #"{"type":"bye","x":["# + many(#"{"a":1}"#) + "]}"), ("keys", "{\(keys)}"),
            ("members", #"{"type":"bye","x":[{"# + many(#""a":1,"b":{},"c":1"#, "},{") + "}]}"),
            ("space", "{" + many(" ", "") + "}"),
            ("amount", #"{"type":"bet","amount":"# + many("1", "") + "}"), ("word", #"{"type":""# + many("x", "") + "\"}"),
            ("deletions", diff + many(#""c1":null"#) + "}}"), ("updates", diff + cards + "}}"),
            ("an update", diff + longest + "}}"),
            ("a table", #"{"type":"snapshot","table":"t","epoch":"e","rev":1,"items":{"# + longest + "}}"),
            ("a lobby", #"{"type":"lobby","from":1,"to":2,"tables":{"a":["# + many(#""a""#) + "]}}"),
            ("text", #"{"type":"bye","code":"x","message":""# + many("\u{20AC}\\n", "") + "\"}"),
        ]
    }()

    @Test func aLargeLine_isReadInLinearTime() {
        for (name, line) in Self.large {
            #expect((refusal(line.utf8) == nil) == !["deletions", "updates"].contains(name), "\(name)")
            let isRead = Array(line.utf8).withUnsafeBufferPointer { (try? ServerMessage(line: $0)) != nil }
            #expect(isRead == ["an update", "a table", "text", "word", "amount"].contains(name), "\(name)")
            let isRequest = if case .success = request(line).message { true } else { false }
            #expect(isRequest == (name == "a lobby"), "\(name)")
        }
    }

    @Test func aLargeLineByteByByte_isCutInLinearTime() {
        for (name, line) in Self.large.prefix(2) {
            var framer = LineFramer(limit: WireLimits.eventBytes)
            var lengths: [Int] = []
            let bytes = Array("\(line)\n".utf8)
            bytes.withUnsafeBytes { bytes in
                for place in bytes.indices {
                    framer.append(UnsafeRawBufferPointer(rebasing: bytes[place...place])) {
                        lengths.append($0.count)
                        return true
                    }
                }
            }
            #expect(lengths == [bytes.count - 1], "\(name)")
        }
    }
}

import Testing

@testable import Wire

/// Whatever bytes arrive, they are read or refused; nothing traps, and what is read is written as it would be read again.
struct HostileBytesTests {
    private static func check(_ bytes: [UInt8]) {
        let asked = request(bytes)
        if case .success = asked.message { #expect(request(asked.encoded().dropLast()) == asked) }
        if let told = try? event(bytes) { #expect((try? event(told.encoded().dropLast())) == told) }
    }

    @Test func randomBytes_areReadOrRefused() {
        var generator = SeededGenerator(seed: Seed.value)
        let alphabet = Array(#"{}[]",:\ueEtfn0123456789.-+ "#.utf8) + [0x00, 0x0A, 0x7F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        for round in 0..<4000 {
            let bytes = (0..<generator.below(40)).map { _ in
                round % 2 == 0 ? alphabet[generator.below(alphabet.count)] : UInt8(truncatingIfNeeded: generator.next())
            }
            Self.check(bytes)
        }
    }

    @Test func mutatedMessages_areReadOrRefused() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 1)
        let lines = Samples.requests.map { $0.encoded() } + (try Samples.events().map { $0.encoded() })
        let pieces = [#""""#, "{", "}", "[", "]", ",", ":", "\\", "\\u", "\"", "1e9", "-", "null", #""type""#, "\u{20AC}", " "]
            .map { Array($0.utf8) }
        for _ in 0..<3000 {
            var line = lines[generator.below(lines.count)]
            if line.count > 300 { line = Array(line[..<300]) }
            for _ in 0..<1 + generator.below(3) where !line.isEmpty {
                let place = generator.below(line.count)
                switch generator.below(5) {
                case 0: line[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: line[place] ^= 1 << UInt8(generator.below(8))
                case 2: line.remove(at: place)
                case 3: line.insert(contentsOf: pieces[generator.below(pieces.count)], at: place)
                default:
                    let other = lines[generator.below(lines.count)]
                    line.replaceSubrange(place..., with: other[min(place, other.count)..<min(place + 30, other.count)])
                }
            }
            Self.check(line)
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

    @Test func aLargeLine_isReadInLinearTime() {
        // A quadratic reader would need minutes for these, not a blink.
        let size = 1 << 16
        let lines = [
            "[" + String(repeating: "[],", count: size / 3) + "[]]",
            "[\"" + String(repeating: "\\u0041", count: size / 6) + "\"]",
            "{\"type\":\"bye\",\"x\":[" + String(repeating: "{\"a\":1},", count: size / 9) + "0]}",
            "{" + (0..<60).map { "\"\(String(repeating: "\\u0041", count: 100))\($0)\":0" }.joined(separator: ",") + "}",
        ]
        for line in lines {
            #expect(refusal(line.utf8) == nil)
            #expect(throws: ProtocolError.self) { try event(line) }
        }
    }
}

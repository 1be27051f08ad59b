import CommandLineKit
import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

/// However a line is written, the laws of the codec hold: what is read is written and read again.
struct DisguiseTests {
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

    @Test func everyMessage_writtenOtherwise_isReadTheSame() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 1)
        var session = LawfulSession()
        for line in try Self.lines(&generator) where line.utf8.count < 600 {
            let (tree, plain) = (try JSONTree(line), Array(line.utf8).withUnsafeBufferPointer { Request(line: $0) })
            for _ in 0..<10 {
                let disguise = Disguise(rawValue: generator.below(64))
                let other = Array(tree.text(disguise, &generator).utf8)
                let request = other.withUnsafeBufferPointer { Request(line: $0) }
                if case .failure(.json(.duplicateKey)) = request.message {
                    #expect(disguise.contains(.doubled), "seed \(Seed.value)")
                } else {
                    #expect(request == plain, "\(line) as \(String(decoding: other, as: UTF8.self)), seed \(Seed.value)")
                }
                expectLaws(of: other, in: &session)
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

    @Test func theWordsOfTheProtocol_areThoseOfTheirTypes() {
        for action in Action.allCases { #expect(action.key.description == action.name) }
        for outcome in Outcome.allCases { #expect(outcome.key.description == outcome.name) }
    }
}

/// Strings are written eight bytes at once where none of them needs an escape.
struct TextWritingTests {
    @Test(arguments: ["a", "\u{E9}", "\u{1F0CF}"])
    func aSpecialByteAtAnyPlace_isEscaped_andNoOther(_ filler: Character) {
        for byte: UInt8 in [0, 9, 10, 13, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7E, 0x7F] {
            let special = Character(Unicode.Scalar(byte))
            for count in 0..<18 {
                let (before, after) = (String(repeating: filler, count: count), String(repeating: filler, count: 17 - count))
                let line = ServerMessage.bye(code: "x", message: before + String(special) + after).encoded()
                #expect(text(line) == #"{"type":"bye","code":"x","message":""# + before + Self.escape(byte) + after + "\"}\n")
            }
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x22: #"\""#
        case 0x5C: #"\\"#
        case 0x0A: #"\n"#
        case 0x0D: #"\r"#
        case 0x09: #"\t"#
        case 0..<0x20, 0x7F: #"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        default: String(Unicode.Scalar(byte))
        }
    }
}

/// Whole numbers are written digit by digit, by code of our own: everywhere that it could go wrong, it writes what Swift does.
struct NumberWritingTests {
    @Test func numbers_areWrittenAsSwiftWritesThem_aroundEachPowerOfTen() {
        var numbers = [Int.min, .min + 1, .max - 1, .max]
        var power = 1
        for _ in 0..<19 {
            numbers += [power - 1, power, power + 1, power &* 5, power &* 9 &+ 9, -power]
            power = power &* 10
        }
        for bit in 0..<63 { numbers += [1 << bit, (1 << bit) - 1, -(1 << bit)] }
        for number in numbers {
            var bytes: [UInt8] = []
            JSONWriter.append(to: &bytes) { $0.integer(number) }
            #expect(String(decoding: bytes, as: UTF8.self) == String(number))
        }
    }
}

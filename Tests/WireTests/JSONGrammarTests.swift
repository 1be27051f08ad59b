import Testing

@testable import Wire

/// RFC 8259, line by line: what it allows is read, everything else is refused, and nothing traps.
struct JSONGrammarTests {
    static let accepted = [
        "0", "-0", "7", "-12", "10", "0.5", "-0.25", "1e2", "1E+2", "1e-02", "12.50e7", "9223372036854775808", "1e999",
        "true", "false", "null", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\uFFFF\u00e9""#, #""\ud83c\udccf""#,
        #""\uDBFF\uDFFF""#, "\"\u{7F}\u{E9}\u{20AC}\u{10FFFF}\"", "[]", "{}", "[1]", "[1,2 , 3]", "[[],[[]],{}]", #"{"":0}"#,
        #"{"a":1,"b":[true,null]}"#, " \t\r\n[ \t1\r\n] ", #"{ "a" : { "b" : {} } , "c" : "d" }"#, "{\"a\"\n:\n1\n}",
    ]

    static let refused = [
        "", " ", "+1", "01", "-", "-a", "--1", "00", "-01", ".5", "1.", "1.e2", "1e", "1e+", "1e1.5", "0x10", "1_000", "1,2",
        "1 2",
        "Infinity", "NaN", "-Infinity", "True", "tru", "truee", "nul", "nulll", "fals", "undefined", "'a'", "\"", "\"a", #""\""#,
        #""\a""#, #""\x41""#, #""\u""#, #""\u12""#, #""\u123g""#, #""\ud800""#, #""\ud800a""#, #""\ud800\n""#, #""\ud800\ud800""#,
        #""\udc00""#, #""\udc00\ud800""#, "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]",
        "[,]",
        "[1 2]", "[1}", "{1}", "{]", "{,}", "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":1,,"b":2}"#,
        #"{"a":1}}"#, #"{"a"=1}"#, #"{1:2}"#, "[]]", "[] []", "{}{}", #""a""b""#, "// a", "[1] // a", "/**/1", "\u{FEFF}1",
        "\u{A0}1",
        "\u{C}1", "\u{B}1", ";", "[1;2]",
    ]

    @Test(arguments: accepted) func aValue_isAccepted(_ line: String) { #expect(refusal(line.utf8) == nil) }

    @Test(arguments: refused) func anythingElse_isRefused(_ line: String) { #expect(refusal(line.utf8) != nil) }

    @Test(arguments: accepted) func aTruncatedValue_isRefusedWithoutATrap(_ line: String) {
        let bytes = Array(line.utf8)
        for length in bytes.indices {
            let part = bytes[..<length]
            // Part of a number may be a number, and what follows a value may be space.
            let isWhole = part.contains { $0 > 0x20 } && bytes[length...].allSatisfy { $0 <= 0x20 }
            guard !isWhole, bytes.first.map({ !"-0123456789".utf8.contains($0) }) == true else { continue }
            #expect(refusal(part) != nil)
        }
    }

    static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
        [0xE2, 0x28, 0xAC], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x83], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE2, 0x82, 0xC3],
    ]

    @Test(arguments: notUTF8) func whatIsNotUTF8_isRefusedWithItsPlace(_ bytes: [UInt8]) {
        #expect(refusal([0x22, 0x61] + bytes + [0x22]) == .invalidUTF8(at: 2))
        #expect(refusal([0x22, 0x61] + bytes) == .invalidUTF8(at: 2))
    }

    @Test func everyScalar_isAcceptedAsItIs_andReadBack() throws {
        for value in stride(from: UInt32(0x20), through: 0x10FFFF, by: 251) {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            let text = String(Character(scalar))
            let back = try read("\"\(text)\"") { value throws(JSONError) in try value.string() }
            #expect(back.utf8.elementsEqual(text.utf8))
        }
    }

    @Test func escapes_areResolved() throws {
        let back = try read(#""\"\\\/\b\f\n\r\t\u0041\u00E9\ud83c\udccf x""#) { value throws(JSONError) in try value.string() }
        #expect(back == "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F0CF} x")
    }

    @Test func nesting_isAcceptedToTheLimitAndNoDeeper() {
        let limit = WireLimits.depth
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let inner = open == "[" ? "" : "1"
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
            }
            #expect(refusal(nested(limit).utf8) == nil)
            #expect(refusal(nested(limit + 1).utf8) == .tooDeep(limit: limit))
            #expect(refusal(String(repeating: open, count: 100_000).utf8) == .tooDeep(limit: limit))
        }
    }

    @Test func manyTokens_fitIntoTheirRoom() {
        // The tightest packing that there is: one byte each and one between them.
        for line in ["[" + String(repeating: "1,", count: 2000) + "1]", "[" + String(repeating: "[],", count: 2000) + "[[[[[[["] {
            _ = refusal(line.utf8)
        }
        #expect(refusal(("[" + String(repeating: "1,", count: 2000) + "1]").utf8) == nil)
    }

    static let numbers: [(String, Int?)] = [
        ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999999", nil), ("1.0", nil), ("1e2", nil),
        ("0e0", nil), (#""1""#, nil), ("null", nil), ("true", nil), ("[1]", nil), ("{}", nil),
    ]

    @Test(arguments: numbers) func aWholeNumber_hasNoFractionAndNoExponent(_ line: String, expected: Int?) {
        let number = try? read(line) { value throws(JSONError) in try value.integer() }
        #expect(number == expected)
    }

    static let fractions: [(String, Double?)] = [
        ("0.75", 0.75), ("-1e2", -100), ("1E-2", 0.01), ("3", 3), ("1e999", nil), ("true", nil), (#""1""#, nil), ("[]", nil),
    ]

    @Test(arguments: fractions) func aNumber_isFinite(_ line: String, expected: Double?) {
        let number = try? read(line) { value throws(JSONError) in try value.double() }
        #expect(number == expected)
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"b":0,"a":2}"#])
    func aKeyThatIsThereTwice_isRefused(_ line: String) {
        #expect(throws: JSONError.duplicateKey("a")) { try read(line) { value throws(JSONError) in _ = try value.object() } }
    }

    @Test func keysAreComparedByteForByte() throws {
        // The Kelvin sign is equivalent to K, and e with an accent is so in one scalar or two; as keys they differ.
        let line = "{\"K\":1,\"\u{212A}\":2,\"\u{E9}\":3,\"e\u{301}\":4,\"\\u004B2\":5}"
        let found = try read(line) { value throws(JSONError) in
            let object = try value.object()
            return [try object.required("K").integer(), try object.required("K2").integer()]
        }
        #expect(found == [1, 5])
        #expect(throws: JSONError.missing("K")) {
            try read("{\"\u{212A}\":2}") { value throws(JSONError) in _ = try value.object().required("K") }
        }
    }

    @Test func aMemberThatIsNull_isAbsent() throws {
        let isAbsent = try read(#"{"a":null,"b":0}"#) { value throws(JSONError) in try value.object().find("a") == nil }
        #expect(isAbsent)
    }
}

import Foundation
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records

struct RecordCodingTests {
    @Test func everyRecord_isJSONForOthers() throws {
        for record in Samples.records {
            #expect(try JSONSerialization.jsonObject(with: Data(record.encoded())) is [String: Any])
        }
    }

    /// A missing case would let a fact be written and never be read back.
    @Test func theSamples_haveEveryFact() {
        let names = Set((Samples.facts + Samples.ceremonies).map { String(String(describing: $0).prefix { $0 != "(" }) })
        #expect(names.count == 50, "\(names.sorted())")
    }

    @Test func unknownFieldsAreIgnored() throws {
        let line = #"{"later":[{"a":{}}],"type":"gone","table":"x","time":5,"more":null}"#
        #expect(try Record(line: Array(line.utf8)) == .gone(table: "x", time: 5))
    }

    @Test(arguments: [
        (#"{"type":"moon","time":5}"#, RecordError.unknownType("moon")),
        (#"{"type":"facts","table":"x","time":5,"facts":[{"fact":"danced"}]}"#, .unknownFact("danced")),
        (#"{"type":"gone","table":"x"}"#, .json(.missing("time"))),
        (#"{"type":"gone","table":"x","time":-1}"#, .json(.mismatch("time", expected: "a whole number from 0 to \(1 << 53)"))),
        (#"{"type":"gone","table":"x","time":1"#, .json(.malformed(expected: "',' or '}'", at: 35))),
        (#"{"type":"gone","type":"gone","table":"x","time":1}"#, .json(.duplicateKey("type"))),
        (
            #"{"type":"facts","table":"x","time":5,"facts":[{"fact":"hit","seat":8,"hand":1}]}"#,
            .json(.mismatch("seat", expected: "a whole number from 1 to 7"))
        ),
        (
            #"{"type":"facts","table":"x","time":5,"facts":[{"fact":"hit","seat":1,"hand":0}]}"#,
            .json(.mismatch("hand", expected: "a whole number from 1 to 4"))
        ),
    ])
    func aLineThatIsNoRecord_isAnErrorThatSaysWhy(_ line: String, _ error: RecordError) {
        #expect(throws: error) { try Record(line: Array(line.utf8)) }
        #expect(!error.description.isEmpty)
    }

    @Test func anyChangedByte_isAnErrorOrAnotherRecord_neverATrap() {
        var random = SeededGenerator()
        for record in Samples.records where record.encoded().count < 2000 {
            let line = record.encoded()
            for _ in 0..<Thorough.count(100, most: 5000) {
                var changed = line
                for _ in 0...random.below(2) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
                if let other = try? Record(line: changed) { #expect((try? Record(line: other.encoded())) == other) }
            }
        }
    }
}

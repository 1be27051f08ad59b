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

    /// A blank of another kind would let a record be written and never be read back.
    @Test func eachKind_isNamedByItsBlank_whichReadsItself() throws {
        for kind in Record.Kind.allCases { #expect(try blank(kind) == kind.blank) }
        for kind in Fact.Kind.allCases {
            #expect(kind.blank.form.name == kind.name)
            let record = Record.facts(table: "x", time: 0, [kind.blank])
            #expect(try Record(line: record.encoded()) == record)
        }
    }

    private func blank(_ kind: Record.Kind) throws -> Record {
        let line = kind.blank.encoded()
        #expect(line.starts(with: kind.opening))
        return try Record(line: line)
    }

    @Test func theSamples_haveEveryKindOfFact() {
        let names = Set((Samples.facts + Samples.ceremonies).map(\.form.name))
        #expect(names == Set(Fact.Kind.allCases.map(\.name)))
    }

    /// The fields that `bjserver journal` prints as `redacted` and that an audit does not quote.
    @Test func theSecretFields() {
        let always = Record.secrets.filter { $1 == .always }.keys
        #expect(always.sorted() == ["code", "configured", "pass", "secret"])
        #expect(Set(Record.secrets.keys).subtracting(always) == ["contribution", "key", "seed", "serverSecret"])
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

import CommandLineKit
import Foundation
import Rules
import TestKit
import Testing

@testable import Wire

private let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

struct SchemaTests {
    @Test func theSchema_isOneDocumentOfKeywordsThatAreKnown_andTheSameEveryTime() throws {
        let text = Catalog.schema()
        _ = try SchemaValidator(text)
        #expect(text == Catalog.schema())
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil)
    }

    @Test func everyReferenceInTheSchema_leadsSomewhere_andNothingIsSuperfluous() throws {
        let text = Catalog.schema()
        let defined = try Set(SchemaValidator(text).definitions.keys)
        let used = Set(text.matches(of: /"#\/\$defs\/([a-zA-Z.]+)"/).map { String($0.1) })
        #expect(used == defined)
        #expect(Set(Catalog.definitions.map(\.name)) == Set(Definition.Name.allCases))
    }

    @Test func everyRequestAndEveryReply_isInTheCatalog() throws {
        #expect(Set(Catalog.requests.map(\.type)) == Set(Samples.requests.compactMap(\.type)))
        #expect(Catalog.requests.count == Set(Catalog.requests.map(\.type)).count)
        let events = try Samples.events().map { try JSONTree(text($0.encoded())) }.compactMap { $0["type"]?.string }
        #expect(Set(Catalog.events.map(\.type)) == Set(events).subtracting(["confetti"]))
        let replies = try Samples.events().map { try JSONTree(text($0.encoded())) }.filter { $0["type"]?.string == "ok" }
        let promised = Catalog.requests.filter { !$0.reply.isEmpty }.map(\.type)
        #expect(Set(promised).isSubset(of: Set(replies.compactMap { $0["to"]?.string })))
    }

    @Test func everySampleLine_isAsTheSchemaSays_andHasNoFieldThatItDoesNotDescribe() throws {
        let validator = try SchemaValidator(Catalog.schema())
        for sample in Samples.requests {
            let line = try JSONTree(text(sample.encoded()))
            #expect(validator.accepts(line, as: "client.\(sample.type ?? "")"), "\(line)")
            #expect(validator.unknown == [], "\(line)")
            #expect(validator.accepts(line, as: "client"), "\(line)")
        }
        for sample in try Samples.events() {
            let line = try JSONTree(text(sample.encoded()))
            #expect(validator.accepts(line, as: "server"), "\(line.description.prefix(300))")
        }
    }

    /// The sessions that the server's tests play, the ones on the protocol's pages and the golden lines: whoever says something that is answered
    /// with `ok`, and the server always, says what the schema allows.
    @Test func everyLineOfEverySession_isAsTheSchemaSays() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var files = try ProtocolPages.files() + [tests.appending(path: "WireTests/Golden/lines.txt")]
        let sessions = tests.appending(path: "ServerCoreTests/Sessions")
        files += try FileManager.default.contentsOfDirectory(atPath: sessions.path).sorted().map { sessions.appending(path: $0) }
        var counts = (client: 0, server: 0)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            // Of a page, its sessions.
            let texts = file.pathExtension == "md" ? ProtocolPages.sessions(of: text) : [text]
            let lines = texts.flatMap { $0.split(separator: "\n") }
            for (index, line) in lines.enumerated() {
                if line.hasPrefix("{\"type\":") {
                    #expect(validator.accepts(try JSONTree(String(line)), as: "server"), "\(file.lastPathComponent): \(line)")
                } else if let said = line.firstMatch(of: /^[a-z0-9]+< (\{.*)$/) {
                    counts.server += 1
                    #expect(validator.accepts(try JSONTree(String(said.1)), as: "server"), "\(file.lastPathComponent): \(line)")
                } else if let asked = line.firstMatch(of: /^[a-z0-9]+> (\{.*)$/), index + 1 < lines.count,
                    lines[index + 1].contains("< {\"type\":\"ok\"")
                {
                    counts.client += 1
                    // A word with a mark stands for a secret, or a digest; 'now' for the round or turn of the moment.
                    let text = String(asked.1)
                        .replacing(/"\$(server|list|[a-z0-9]+_[a-z_]+)"/, with: "\"\(String(repeating: "A", count: 43))\"")
                        .replacing(/"\$[a-z0-9]+"/, with: "\"\(sampleSecret.digits)\"")
                        .replacing("\"now\"", with: "1")
                    #expect(validator.accepts(try JSONTree(text), as: "client"), "\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(counts.client > 60 && counts.server > 200, "\(counts)")
    }

    @Test func theRules_areThoseOfARulesFile_withTheirBounds() {
        #expect(Catalog.rules.map(\.name) == HouseRules.keys)
        for field in Catalog.rules {
            let (right, wrong) = field.shape.ruleValues
            for value in right { #expect(Self.isFitting(field.name, value), "\(field.name) \(value)") }
            for value in wrong { #expect(!Self.isFitting(field.name, value), "\(field.name) \(value)") }
        }
    }

    /// Whether a key may have a value, other keys aside.
    private static func isFitting(_ key: String, _ value: RuleValue) -> Bool {
        do throws(HouseRulesError) {
            _ = try HouseRules([(key, value)])
            return true
        } catch {
            if case .contradiction = error { return true }
            return false
        }
    }
}

extension Shape {
    /// What a key of a rules file may have and may not have, at the edges.
    fileprivate var ruleValues: (right: [RuleValue], wrong: [RuleValue]) {
        switch self {
        case .whole(let range):
            (
                [.integer(range.lowerBound), .integer(range.upperBound)],
                [.integer(range.lowerBound - 1), .integer(range.upperBound + 1), .text("1"), .flag(true), .number(1.5)]
            )
        case .number(let range):
            (
                [.number(range.lowerBound), .number(range.upperBound)],
                [.number(range.lowerBound.nextDown), .number(range.upperBound.nextUp), .text("1"), .flag(true)]
            )
        case .word(let words): (words.map(RuleValue.text), [.text("sometimes"), .text(""), .integer(0), .flag(false)])
        case .flag: ([.flag(true), .flag(false)], [.integer(0), .text("true")])
        case .either(let shapes): (shapes.flatMap { $0.ruleValues.right }, [.integer(-1), .integer(4), .integer(8)])
        default: ([], [.other("null")])
        }
    }
}

struct PedanticTests {
    private func pedantic(_ line: String) -> Request {
        Array(line.utf8).withUnsafeBufferPointer { Request(line: $0, isPedantic: true) }
    }

    @Test func everyRequest_isTakenFromAPedanticConnection_withAllOfItsFields() {
        for sample in Samples.requests { #expect(pedantic(text(Array(sample.encoded().dropLast()))) == sample) }
    }

    @Test func aFieldThatARequestDoesNotHave_isRefusedOnAPedanticConnection_andIgnoredOnAnother() {
        for sample in Samples.requests {
            let line = text(Array(sample.encoded().dropLast(2)))
            let result = pedantic(line + ",\"nmae\":1}")
            #expect(result.message == .failure(.unknownField("nmae", of: sample.type ?? "")) && result.id == sample.id)
            #expect(request(line + ",\"nmae\":1}") == sample)
        }
    }

    @Test func whatOneRequestHas_isNoFieldOfAnother() {
        let fields = Set(Catalog.requests.flatMap { $0.fields.map(\.name) })
        for sample in Samples.requests {
            let own = Catalog.requests.first { $0.type == sample.type }?.fields.map(\.name) ?? []
            for field in fields.subtracting(own) {
                let line = text(Array(sample.encoded().dropLast(2))) + ",\"\(field)\":null}"
                #expect(pedantic(line).message == .failure(.unknownField(field, of: sample.type ?? "")))
            }
        }
    }
}

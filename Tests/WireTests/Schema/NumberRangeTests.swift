import CommandLineKit
import TestKit
import Testing

@testable import Wire

/// Every number of every message, in both directions, at the edges of its range and far beyond: the decoder, the schema and the catalog
/// have one range.
struct NumberRangeTests {
    /// A place for a number in a line: what it may be, and the line with a number there.
    struct Probe {
        let name: String
        let ranges: [ClosedRange<Int>]
        let line: (String) -> JSONTree

        func within(_ name: String, _ wrap: @escaping (JSONTree) -> JSONTree) -> Probe {
            Probe(name: "\(name).\(self.name)", ranges: ranges) { wrap(line($0)) }
        }

        /// Its edges, the numbers beside them, and what fits no number of 64 bits or is no whole number.
        var values: [String] {
            let edges = ranges.flatMap { [$0.lowerBound, $0.upperBound] }
            let besides = edges.flatMap { edge in
                [edge.subtractingReportingOverflow(1), edge.addingReportingOverflow(1)].filter { !$0.overflow }.map(
                    \.partialValue)
            }
            return (edges + besides).map(String.init) + [
                "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
                "18446744073709551615", "18446744073709551616", "1e400", "-1e400", "-0", "0", "1.5", "1.0", "1e0",
                "9007199254740992", "9007199254740993",
            ]
        }

        /// Whether a number may stand there.
        func allows(_ value: String) -> Bool { Int(value).map { number in ranges.contains { $0.contains(number) } } ?? false }
    }

    @Test func aNumberOfARequest_isTakenByTheDecoderAndByTheSchema_ifAndOnlyIfItIsInItsRange() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var probed: Set<String> = []
        for description in Catalog.requests {
            let fields = [Field.optional("id", .reference(.id), ""), .optional("time", .whole(0...0), "")] + description.fields
            for probe in Self.probes(.object(fields)) {
                probed.insert("\(description.type).\(probe.name)")
                for value in probe.values {
                    let line = probe.line(value).typed(description.type)
                    let request = request(line.description)
                    let isTaken = if case .success = request.message { true } else { false }
                    // No other request has a time, and what it has there is ignored.
                    #expect(isTaken == (probe.allows(value) || probe.name == "time"), "\(line)")
                    #expect(validator.accepts(line, as: "client") == isTaken, "\(line)")
                    guard probe.name != "id" else { continue }
                    #expect(request.id == .number(Int.min) && request.type == description.type, "\(line)")
                    if case .failure(let error) = request.message { expect(error, names: probe, line.description) }
                }
            }
        }
        let known: Set = [
            "login.version", "login.silence", "sit.seat", "sit.rev", "sit.chat", "watch.rev", "watch.chat", "bet.amount",
            "bet.seat", "bet.round",
            "act.seat",
            "act.hand", "act.amount", "act.turn", "proof.shoe", "kick.minutes", "options.silence",
        ]
        let others = probed.filter { $0.hasSuffix(".id") || $0.hasSuffix(".time") }
        #expect(probed.subtracting(others) == known && others.count == 2 * Catalog.requests.count)
    }

    @Test func aNumberOfAServer_isTakenByTheDecoderAndByTheSchema_ifAndOnlyIfItIsInItsRange() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var messages = Catalog.events.filter { $0.type != "ok" }.map { ($0.type, [Field](), $0.fields) }
        for request in Catalog.requests {
            messages.append(("ok", [.required("to", .word([request.type]), "")], request.reply))
        }
        var count = 0
        for (type, constants, fields) in messages {
            for probe in Self.probes(.object(constants + fields)) {
                count += 1
                for value in probe.values {
                    let line = probe.line(value).typed(type)
                    let isTaken = (try? event(line.description)) != nil
                    #expect(isTaken == probe.allows(value), "\(line)")
                    #expect(validator.accepts(line, as: "server") == isTaken, "\(line)")
                }
            }
        }
        #expect(count > 60, "\(count)")
    }

    /// The error names the field and what would be right.
    private func expect(_ error: ProtocolError, names probe: Probe, _ line: String) {
        guard case .json(.mismatch(let field, let expected)) = error else {
            Issue.record("\(line): \(error)")
            return
        }
        #expect(field == probe.name, "\(line)")
        for range in probe.ranges {
            #expect(expected.contains("\(range.lowerBound)") && expected.contains("\(range.upperBound)"), "\(line): \(expected)")
        }
    }

    // MARK: Lines made of the catalog

    private static func shape(_ name: Definition.Name) -> Shape {
        guard let definition = Catalog.definitions.first(where: { $0.name == name }) else { fatalError("no \(name)") }
        return definition.shape
    }

    private static func probes(_ shape: Shape) -> [Probe] {
        switch shape {
        case .whole(let range): return [Probe(name: "", ranges: [range]) { .digits($0) }]
        case .either(let shapes):
            let ranges = shapes.compactMap { if case .whole(let range) = $0 { range } else { nil } }
            if !ranges.isEmpty { return [Probe(name: "", ranges: ranges) { .digits($0) }] }
            return shapes.flatMap(probes)
        case .list(let element): return probes(element).map { $0.within("") { .array([$0]) } }
        case .tuple(let elements):
            let examples = elements.map(example)
            return elements.indices.flatMap { index in
                probes(elements[index]).map { probe in
                    probe.within("\(index)") { .array(examples[..<index] + [$0] + examples[(index + 1)...]) }
                }
            }
        case .object(let fields):
            return fields.flatMap { field in
                probes(field.shape).map { probe in
                    Probe(name: probe.name.isEmpty ? field.name : "\(field.name).\(probe.name)", ranges: probe.ranges) { value in
                        .object(
                            fields.map { other in
                                .init(other.name, other == field ? probe.line(value) : example(other.shape))
                            })
                    }
                }
            }
        case .dictionary(let fields):
            return fields.flatMap { field in
                probes(field.shape).map { $0.within("") { .object([.init(item(field.name), $0)]) } }
            }
        // The least version is not above the greatest, and rules go together or not: a test of their own.
        case .reference(.versions):
            let range = WholeNumber.version.range
            return [
                Probe(name: "0", ranges: [range]) { .array([.digits($0), .digits("\(range.upperBound)")]) },
                Probe(name: "1", ranges: [range]) { .array([0, .digits($0)]) },
            ]
        case .reference(.rules), .reference(.tableRules): return []
        case .reference(let name): return probes(self.shape(name))
        case .text, .word, .openWord, .number, .flag, .anything: return []
        }
    }

    /// The example of a pattern; an unknown item is one of a later server.
    private static func item(_ pattern: String) -> String { Catalog.items.first { $0.pattern == pattern }?.example ?? "later" }

    /// A value of a shape, with everything that may be there.
    private static func example(_ shape: Shape) -> JSONTree {
        switch shape {
        case .text(_, nil): return .string("x")
        case .text(_, let pattern?) where pattern.hasSuffix("{64}$"): return .string(sampleSecret.digits)
        case .text(_, let pattern?) where pattern.contains("{42}["): return .string(Samples.digest(1).base64)
        case .text(_, "^[01]{0,7}$"): return .string("101")
        case .text(_, let pattern?) where pattern.hasPrefix("^(hard "): return .string("hard 5")
        case .text(_, let pattern?) where pattern.hasPrefix("^(dealer|"): return .string("3.1")
        case .text(_, _?): return .string("later")
        case .word(let words): return .string(words[0])
        case .openWord(let words): return .string(words[0].name)
        case .whole(let range): return .digits("\(range.lowerBound)")
        case .number(let range): return .digits("\(range.lowerBound)")
        case .flag, .anything: return true
        case .list(let element): return .array([example(element)])
        case .tuple(let elements): return .array(elements.map(example))
        case .object(let fields): return .object(fields.map { .init($0.name, example($0.shape)) })
        case .dictionary(let fields): return .object(fields.map { .init(item($0.name), example($0.shape)) })
        case .either(let shapes): return example(shapes.last ?? .flag)
        case .reference(.rules): return [:]
        case .reference(.tableRules): return ["digest": "x"]
        case .reference(.card): return .string("KH")
        case .reference(.total): return .string("9")
        case .reference(let name): return example(self.shape(name))
        }
    }
}

extension JSONTree {
    fileprivate func typed(_ type: String) -> JSONTree { .object([.init("type", .string(type))] + members) }
}

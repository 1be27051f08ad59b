import CommandLineKit
import Rules
import TestKit
import Testing

@testable import Wire

/// Every place of every message, in both directions, with each extreme value and with nothing there: decoder, schema and catalog agree, and
/// the laws of the codec hold.
struct FieldWalkTests {
    /// A place in a line: its name in errors, the numbers that may be there, the values to try, and the line with one of them there.
    struct Probe {
        var name = ""
        var ranges: [ClosedRange<Int>] = []
        var values: [JSONTree?]
        var line: (JSONTree?) -> JSONTree?

        func within(_ outer: String, _ wrap: @escaping (JSONTree?) -> JSONTree?) -> Probe {
            let name = outer.isEmpty || name.isEmpty ? outer + name : "\(outer).\(name)"
            return Probe(name: name, ranges: ranges, values: values) { wrap(line($0)) }
        }

        /// Whether a number may stand there.
        func allows(_ value: String) -> Bool { Int(value).map { number in ranges.contains { $0.contains(number) } } ?? false }
    }

    private static let numbers: [String] = ["1.5", "1.0", "1e0"] + ExtremeNumbers.texts.map { "\($0)" }

    private static let texts: [String] =
        """
        x -5 +5 1 07 9 09 021 21 22 1e1 soft bust blackJack blackjack ? ?? ??? K KH KHH KX kh 1H 10H \u{212A}H 3 1.1 3.0 3.5
        0.1 8.1 33.1 h3.1 dealer Dealer table hit hit\u{0} Hit 10 101 later Later true null \u{1B}[2J \u{7F} \u{202E} \u{E9}\u{20AC}\u{1F0CF}
        """.split(whereSeparator: \.isWhitespace).map(String.init)
        + ["", "\n", "a b", "blackjack ", "soft 10", "soft 11", "soft  17", "soft 22", "hard 17"]
        + [0, 21, 22, 31, 32].map { "bust \($0)" }
        + [32, 33, 43, 63, 64, 65, 200, 800, 801, 5_000].map { String(repeating: "a", count: $0) }
        + [String(repeating: "A", count: 64)]

    private static let others: [JSONTree?] = [
        nil, .null, true, false, [:], [], [1], ["x"], ["dealer", "KH"], ["a": 1], ["hit": 1], "", "x", "1", "KH", 1, -1, 1.5,
        .digits("9007199254740993"),
    ]

    /// Keys of objects whose keys have patterns, such as a table's items.
    private static let keys: [JSONTree?] = [
        "", "x", "c", "c0", "c00", "c1", "c01", "c-1", "c1000000", "c1000001", "p0", "p7", "p8", "b1", "b7.4", "b7.5", "b0.1",
        "h1.1", "s8", "round", "Round", "left_", "later", "later.", "laterlaterlaterlater", "\u{E9}", "p\u{661}", "a\u{0}",
    ]

    /// How many lines both took, and how many both refused.
    private typealias Verdicts = (taken: Int, refused: Int)

    @Test func anythingInAnyPlaceOfARequest_isTakenByTheDecoderAndByTheSchema_orByNeither() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var (session, verdicts, places) = (LawfulSession(), Verdicts(0, 0), 0)
        for description in Catalog.requests {
            let fields = [Field.optional("id", .reference(.id), ""), .optional("time", .whole(0...0), "")] + description.fields
            for probe in Self.inner(.object(fields)) {
                places += probe.ranges.isEmpty ? 0 : 1
                for (value, line) in lines(probe, description.type) {
                    let request = request(line.description)
                    let isTaken = if case .success = request.message { true } else { false }
                    judge(probe, value, line, isTaken, validator.accepts(line, as: "client"), &verdicts)
                    expectLaws(of: Array(line.description.utf8), in: &session)
                    guard probe.name != "id" else { continue }
                    #expect(request.id == .number(Int.min) && request.type == description.type, "\(line)")
                    if value != nil, case .failure(let error) = request.message { expect(error, names: probe, line.description) }
                }
            }
        }
        #expect(places == 23 + 2 * Catalog.requests.count, "numbers of requests, beside the id and the unknown field of each")
        #expect(verdicts.taken > 3_000 && verdicts.refused > 1_500, "\(verdicts)")
    }

    @Test func anythingInAnyPlaceOfAServersMessage_isTakenByTheDecoderAndByTheSchema_orByNeither() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var messages = Catalog.events.filter { $0.type != "ok" }.map { ($0.type, [Field](), $0.fields) }
        for request in Catalog.requests {
            messages.append(("ok", [.required("to", .word([request.type]), "")], request.reply))
        }
        var (session, verdicts, generator) = (LawfulSession(), Verdicts(0, 0), SeededGenerator())
        // Numbers where they belong, and of the others, tens of thousands, one in a few.
        let share = Thorough.count(8, most: 1, quick: 32)
        for (type, constants, fields) in messages {
            for probe in Self.inner(.object(constants + fields)) where !(type == "ok" && probe.name == "to") {
                for (value, line) in lines(probe, type) {
                    let isNumber = if case .number? = value?.content { !probe.ranges.isEmpty } else { false }
                    guard isNumber || generator.below(share) == 0 else { continue }
                    let isTaken = (try? event(line.description)) != nil
                    judge(probe, value, line, isTaken, validator.accepts(line, as: "server"), &verdicts)
                    expectLaws(of: Array(line.description.utf8), in: &session)
                }
            }
        }
        #expect(verdicts.taken > 300 && verdicts.refused > 1_000, "\(verdicts)")
    }

    private func lines(_ probe: Probe, _ type: String) -> [(value: JSONTree?, line: JSONTree)] {
        probe.values.compactMap { value in probe.line(value).map { (value, $0.typed(type)) } }
    }

    private func judge(
        _ probe: Probe, _ value: JSONTree?, _ line: JSONTree, _ isTaken: Bool, _ isAccepted: Bool, _ verdicts: inout Verdicts
    ) {
        #expect(isAccepted == isTaken, "\(probe.name), codec: \(isTaken), \(line.description.prefix(600)), seed \(Seed.value)")
        if isTaken { verdicts.taken += 1 } else { verdicts.refused += 1 }
        // No other request has a time, and what it has there is ignored.
        guard case .number(let digits)? = value?.content, !probe.ranges.isEmpty, probe.name != "time" else { return }
        #expect(isTaken == probe.allows(digits), "\(line.description.prefix(600))")
    }

    /// The error names the field and what would be right.
    private func expect(_ error: ProtocolError, names probe: Probe, _ line: String) {
        guard !probe.ranges.isEmpty, error != .json(.missing(probe.name)) else { return }
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

    /// The place of a shape itself, and those within it.
    private static func probes(_ shape: Shape) -> [Probe] {
        let ranges = ranges(shape)
        let edges = ranges.flatMap { [$0.lowerBound, $0.upperBound] }.flatMap { [$0, $0 &- 1, $0 &+ 1].map(String.init) }
        var values = others
        if !ranges.isEmpty { values += (edges + numbers).map { JSONTree.digits($0) } }
        if takesText(shape) { values += texts.map { JSONTree.string($0) } }
        return [Probe(ranges: ranges, values: values) { $0 }] + inner(shape)
    }

    private static func takesText(_ shape: Shape) -> Bool {
        switch shape {
        case .text, .word, .openWord: true
        case .either(let shapes): shapes.contains(where: takesText)
        case .reference(let name): takesText(self.shape(name))
        default: false
        }
    }

    private static func ranges(_ shape: Shape) -> [ClosedRange<Int>] {
        switch shape {
        case .whole(let range): [range]
        case .either(let shapes): shapes.flatMap(ranges)
        case .reference(.rules), .reference(.tableRules), .reference(.versions): []
        case .reference(let name): ranges(self.shape(name))
        default: []
        }
    }

    private static func inner(_ shape: Shape) -> [Probe] {
        switch shape {
        case .either(let shapes): shapes.flatMap(inner)
        case .list(let element): probes(element).map { $0.within("") { JSONTree.array($0.map { [$0] } ?? []) } }
        case .tuple(let elements):
            elements.indices.flatMap { index in
                probes(elements[index]).map { probe in
                    let (before, after) = (elements[..<index].map(example), elements[(index + 1)...].map(example))
                    return probe.within("\(index)") { JSONTree.array(before + ($0.map { [$0] } ?? []) + after) }
                }
            }
        case .object(let fields):
            fields.flatMap { field in
                probes(field.shape).map { probe in
                    probe.within(field.name) { value in
                        JSONTree.object(
                            fields.compactMap { other -> JSONTree.Member? in
                                (other == field ? value : example(other.shape)).map { JSONTree.Member(other.name, $0) }
                            })
                    }
                }
            }
        case .dictionary(let fields):
            fields.flatMap { field in
                probes(field.shape).map { $0.within("") { JSONTree.object([.init(item(field.name), $0 ?? .null)]) } }
                    + [Probe(values: keys) { JSONTree.object([.init($0?.string ?? "", example(field.shape))]) }]
            }
        // The least version is not above the greatest, and rules go together or not: a test of their own.
        case .reference(.versions):
            probes(.whole(WholeNumber.version.range)).flatMap { probe in
                let most = JSONTree.digits("\(WholeNumber.version.range.upperBound)")
                return [
                    probe.within("0") { JSONTree.array([$0 ?? 0, most]) },
                    probe.within("1") { JSONTree.array([0] + ($0.map { [$0] } ?? [])) },
                ]
            }
        case .reference(.rules), .reference(.tableRules): []
        case .reference(let name): inner(self.shape(name))
        case .text, .word, .openWord, .whole, .number, .flag, .anything: []
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

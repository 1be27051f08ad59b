import CommandLineKit
import Rules
import TestKit
import Testing

@testable import Wire

/// The codec and the schema are two accounts of the same: whatever is changed about a line, either both take it or neither does.
struct SchemaPropertyTests {
    private static let replacements: [JSONTree] = [
        .null, true, false, "", "x", .string(String(repeating: "x", count: 65)), .string(String(repeating: "x", count: 801)),
        "\u{E9}\u{20AC}", "1.1", "c7", "soft 11", "soft 10", "9", "09", "22", "KH", 0, 1, -1, 8, 1.5, 417, 1001,
        1_000_000_000_001,
        -1_000_000_000_001, 4_294_967_296, .digits("9007199254740993"), [:], [], [1],
    ]

    /// What a schema can't say: which rules go together, that the least version is not above the greatest.
    private static func isBeyondASchema(_ path: [Step]) -> Bool {
        path.contains(.key("rules")) || path.contains(.key("versions"))
    }

    /// Changes that both take, and that both refuse.
    private typealias Verdicts = (taken: Int, refused: Int)

    /// Changes a line in many ways, and holds the codec against the schema.
    private func compare(
        _ line: JSONTree, with validator: SchemaValidator, as direction: String, changes limit: Int,
        _ generator: inout SeededGenerator, _ verdicts: inout Verdicts, where isJudged: ([Step]) -> Bool = { _ in true }
    ) {
        for change in changes(of: line, limit: limit, &generator) where isJudged(change.path) {
            let written = change.line.description
            let isTaken =
                direction == "client" ? (try? request(written).message.get()) != nil : (try? event(written)) != nil
            #expect(
                validator.accepts(change.line, as: direction) == isTaken,
                "seed \(Seed.value), \(change.path), codec takes it: \(isTaken), \(written.prefix(400))")
            if isTaken { verdicts.taken += 1 } else { verdicts.refused += 1 }
        }
    }

    @Test func aChangedRequest_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var (generator, verdicts) = (SeededGenerator(), Verdicts(0, 0))
        for sample in Samples.requests {
            let line = try JSONTree(text(sample.encoded()))
            compare(line, with: validator, as: "client", changes: Thorough.count(130, most: 400), &generator, &verdicts)
        }
        #expect(verdicts.taken > 160 && verdicts.refused > 650, "\(verdicts)")
    }

    @Test func aChangedMessageOfTheServer_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var (generator, verdicts) = (SeededGenerator(), Verdicts(0, 0))
        for sample in try Samples.events() {
            let line = try JSONTree(text(sample.encoded()))
            compare(line, with: validator, as: "server", changes: Thorough.count(50, most: 150), &generator, &verdicts) {
                !Self.isBeyondASchema($0)
            }
        }
        #expect(verdicts.taken > 100 && verdicts.refused > 330, "\(verdicts)")
    }

    /// Each kind of item by itself, in a diff of one: every change of what it shows. A change of its name is one of both.
    @Test func aChangedItem_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema())
        var (generator, verdicts) = (SeededGenerator(), Verdicts(0, 0))
        for entry in try items() {
            let line: JSONTree = ["type": "diff", "from": 1, "to": 2, "items": .object([entry])]
            compare(line, with: validator, as: "server", changes: Thorough.count(80, most: 250), &generator, &verdicts) {
                $0.first == .key("items")
            }
        }
        #expect(verdicts.taken > 10 && verdicts.refused > 10, "\(verdicts)")
    }

    private func items() throws -> [JSONTree.Member] {
        let digest = Samples.digest(1).base64
        let lines = [
            #"["round",3]"#, #"["phase","playing"]"#, #"["clock",1700000000000]"#, #"["left",17]"#, #"["dealer","soft 17"]"#,
            #"["shoe",{"behindCut":78,"decks":6,"number":3}]"#, #"["c17",["3.1","KH"]]"#, #"["c0",["dealer","??"]]"#,
            #"["r3",-5]"#, #"["i3",5]"#, #"["b3.1",10]"#,
            #"["t7.4","bust 24"]"#, #"["r3.1",{"net":-10,"outcome":"lose"}]"#,
            #"["p3",{"bot":true,"chips":990,"name":"ann","presence":"away"}]"#,
            #"["a3",{"actions":{"double":10,"evenMoney":0,"hit":0,"stand":0},"hand":1,"turn":5}]"#,
            "[\"fair\",{\"commitment\":\"\(digest)\",\"list\":\"\(digest)\",\"mixed\":\"10\",\"order\":\"\(digest)\",\"shoe\":3}]",
            "[\"next\",{\"attempt\":2,\"commitment\":\"\(digest)\",\"shoe\":4,\"until\":1700000000000,\"withheld\":[\"bob\"]}]",
            "[\"next\",{\"commitment\":\"\(digest)\",\"contributors\":[{\"commitment\":\"\(digest)\",\"name\":\"ann\"}],\"shoe\":4}]",
            #"["later",{"anything":[1,null,{"x":"y"}]}]"#, #"["rulesets",3]"#,
            #"["closing",{"cause":"server","deadline":1700000060000,"reason":"Noon."}]"#,
        ]
        return try lines.map { try JSONTree($0).elements }.map { .init($0[0].string ?? "", $0[1]) }
    }

    // MARK: Changes

    enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    private func changes(of line: JSONTree, limit: Int, _ generator: inout SeededGenerator) -> [(path: [Step], line: JSONTree)] {
        var all: [(path: [Step], replacement: JSONTree?)] = []
        for path in paths(in: line) where !path.isEmpty {
            all.append((path, nil))
            all += Self.replacements.map { (path, $0) }
        }
        if all.count > limit {
            // Each path at least once, if there is room.
            all.shuffle(using: &generator)
            all = Array(all.prefix(limit))
        }
        return all.map { ($0.path, line.replacing($0.path[...], by: $0.replacement)) }
    }

    private func paths(in node: JSONTree) -> [[Step]] {
        switch node.content {
        case .object(let members): [[]] + members.flatMap { member in paths(in: member.value).map { [.key(member.key)] + $0 } }
        case .array(let elements):
            [[]] + elements.enumerated().flatMap { index, element in paths(in: element).map { [.index(index)] + $0 } }
        default: [[]]
        }
    }
}

extension JSONTree {
    /// The same with something else at a place, or with nothing there.
    fileprivate func replacing(_ path: ArraySlice<SchemaPropertyTests.Step>, by value: JSONTree?) -> JSONTree {
        guard let step = path.first else { return value ?? .null }
        let rest = path.dropFirst()
        switch (step, content) {
        case (.key(let key), .object(let members)):
            return .object(
                members.compactMap { member in
                    guard member.key == key else { return member }
                    if rest.isEmpty, value == nil { return nil }
                    return Member(key, member.value.replacing(rest, by: value))
                })
        case (.index(let index), .array(let elements)):
            var changed = elements
            if rest.isEmpty, value == nil {
                changed.remove(at: index)
            } else {
                changed[index] = elements[index].replacing(rest, by: value)
            }
            return .array(changed)
        default: return self
        }
    }
}

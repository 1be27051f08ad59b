import Rules
import TestKit
import Testing

@testable import Wire

/// The codec and the schema are two accounts of the same: whatever is changed about a line, either both take it or neither does.
struct SchemaPropertyTests {
    private static let replacements: [JSONNode] = [
        .null, .flag(true), .flag(false), .text(""), .text("x"), .text(String(repeating: "x", count: 65)),
        .text(String(repeating: "x", count: 801)), .text("\u{E9}\u{20AC}"), .text("h1.1"), .text("c7"), .text("soft 11"),
        .text("soft 10"), .text("9"), .text("09"), .text("22"), .text("KH"), .number("0"), .number("1"), .number("-1"),
        .number("8"),
        .number("1.5"), .number("417"), .number("1001"), .number("1000000000001"), .number("-1000000000001"),
        .number("4294967296"),
        .number("9007199254740993"), .object([]), .array([]), .array([.number("1")]),
    ]

    /// What a schema can't say: which rules go together, that the least version is not above the greatest, that everything is there once.
    private static func isBeyondASchema(_ path: [Step]) -> Bool {
        path.contains(.key("rules")) || path.contains(.key("versions")) || path.contains(.key("sections"))
    }

    @Test func aChangedRequest_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema(.client))
        var generator = SeededGenerator()
        var verdicts = (taken: 0, refused: 0)
        for sample in Samples.requests {
            let line = try JSONNode(text(sample.encoded()))
            for change in changes(of: line, limit: Thorough.count(130, most: 400), &generator) {
                let written = change.line.written
                let isTaken = (try? request(written).message.get()) != nil
                #expect(validator.accepts(change.line, as: "client") == isTaken, "seed \(Seed.value), \(written)")
                if isTaken { verdicts.taken += 1 } else { verdicts.refused += 1 }
            }
        }
        #expect(verdicts.taken > 160 && verdicts.refused > 650, "\(verdicts)")
    }

    @Test func aChangedMessageOfTheServer_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema(.server))
        var generator = SeededGenerator()
        var verdicts = (taken: 0, refused: 0)
        for sample in try Samples.events() {
            let line = try JSONNode(text(sample.encoded()))
            for change in changes(of: line, limit: Thorough.count(50, most: 150), &generator)
            where !Self.isBeyondASchema(change.path) {
                let written = change.line.written
                let isTaken = (try? event(written)) != nil
                #expect(
                    validator.accepts(change.line, as: "server") == isTaken,
                    "seed \(Seed.value), \(change.path), codec takes it: \(isTaken), \(written.prefix(400))")
                if isTaken { verdicts.taken += 1 } else { verdicts.refused += 1 }
            }
        }
        #expect(verdicts.taken > 100 && verdicts.refused > 330, "\(verdicts)")
    }

    /// Each kind of item by itself, in a diff of one: every change of what it shows.
    @Test func aChangedItem_isRefusedByTheCodec_ifAndOnlyIfTheSchemaRefusesIt() throws {
        let validator = try SchemaValidator(Catalog.schema(.server))
        var generator = SeededGenerator()
        var kinds: Set<String> = []
        for entry in try items() {
            kinds.insert(entry.elements[0].string.map { String($0.prefix(1)) } ?? "")
            let line = JSONNode.object([
                .init(key: "type", value: .text("diff")), .init(key: "from", value: .number("1")),
                .init(key: "to", value: .number("2")), .init(key: "set", value: .array([entry])),
            ])
            for change in changes(of: line, limit: Thorough.count(80, most: 250), &generator)
            where change.path.first == .key("set") {
                let written = change.line.written
                // Which item it is decides what it shows, so a change of the name is one of both.
                let isTaken = (try? event(written)) != nil
                #expect(
                    validator.accepts(change.line, as: "server") == isTaken,
                    "seed \(Seed.value), codec takes it: \(isTaken), \(written)")
            }
        }
        #expect(kinds.count >= 10)
    }

    private func items() throws -> [JSONNode] {
        let digest = Samples.digest(1).base64
        let lines = [
            #"["round",3]"#, #"["phase","playing"]"#, #"["clock",1700000000000]"#, #"["left",17]"#, #"["dealer","soft 17"]"#,
            #"["shoe",{"behindCut":78,"decks":6,"number":3}]"#, #"["c17","KH"]"#, #"["c0","??"]"#, #"["i3",5]"#, #"["b3.1",10]"#,
            #"["t7.4","bust 24"]"#, #"["r3.1",{"net":-10,"outcome":"lose"}]"#,
            #"["p3",{"bot":true,"chips":990,"name":"ann","presence":"away"}]"#,
            #"["a3",{"actions":{"double":10,"evenMoney":0,"hit":0,"stand":0},"hand":1,"turn":5}]"#,
            "[\"fair\",{\"commitment\":\"\(digest)\",\"list\":\"\(digest)\",\"mixed\":\"10\",\"order\":\"\(digest)\",\"shoe\":3}]",
            "[\"next\",{\"attempt\":2,\"commitment\":\"\(digest)\",\"shoe\":4,\"until\":1700000000000,\"withheld\":[\"bob\"]}]",
            "[\"next\",{\"commitment\":\"\(digest)\",\"contributors\":[{\"commitment\":\"\(digest)\",\"name\":\"ann\"}],\"shoe\":4}]",
            #"["later",{"anything":[1,null,{"x":"y"}]}]"#, #"["rulesets",3]"#,
            #"["closing",{"cause":"server","deadline":1700000060000,"reason":"Noon."}]"#,
        ]
        return try lines.map { try JSONNode($0) }
    }

    // MARK: Changes

    enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    private func changes(of line: JSONNode, limit: Int, _ generator: inout SeededGenerator) -> [(path: [Step], line: JSONNode)] {
        var all: [(path: [Step], replacement: JSONNode?)] = []
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

    private func paths(in node: JSONNode) -> [[Step]] {
        switch node {
        case .object(let members): [[]] + members.flatMap { member in paths(in: member.value).map { [.key(member.key)] + $0 } }
        case .array(let elements):
            [[]] + elements.enumerated().flatMap { index, element in paths(in: element).map { [.index(index)] + $0 } }
        default: [[]]
        }
    }
}

extension JSONNode {
    /// The same with something else at a place, or with nothing there.
    fileprivate func replacing(_ path: ArraySlice<SchemaPropertyTests.Step>, by value: JSONNode?) -> JSONNode {
        guard let step = path.first else { return value ?? .null }
        let rest = path.dropFirst()
        switch (step, self) {
        case (.key(let key), .object(let members)):
            return .object(
                members.compactMap { member in
                    guard member.key == key else { return member }
                    if rest.isEmpty, value == nil { return nil }
                    return Member(key: key, value: member.value.replacing(rest, by: value))
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

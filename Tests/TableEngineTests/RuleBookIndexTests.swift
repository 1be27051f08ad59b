import Foundation
import Testing

struct RuleBookIndexTests {
    /// The names of all scenes and of all test functions in `Tests`, read as text: they are of several targets.
    private static let names: Set<String> = {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        var names: Set<String> = []
        for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".scene") {
            guard let text = try? String(contentsOf: tests.appending(path: path), encoding: .utf8) else { continue }
            names.formUnion(text.matches(of: /\n== (\w+)/).map { String($0.1) })
            var isTest = false
            for line in text.split(separator: "\n") {
                let words = line.drop { $0 == " " }
                if words.hasPrefix("@Test") { isTest = true }
                // Arguments may stand on lines of their own between the attribute and its function.
                guard isTest, let function = words.firstRange(of: "func ") else { continue }
                names.insert(String(words[function.upperBound...].prefix { $0 != "(" }))
                isTest = false
            }
        }
        return names
    }()

    @Test func everyLineOfTheRuleBook_isThereOnce_withTestsThatExist() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "RuleBook.md")
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| (T?[0-9]+) \| ([^|]+) \| ([^|]+) \|/)
        let numbers: [String] = rows.map { String($0.1) }
        let wanted: [String] = (1...63).map { String($0) }
        #expect(numbers == wanted + (1...18).map { "T\($0)" } as [String])
        #expect(Self.names.count > 400, "the tests are found: \(Self.names.count)")
        for row in rows {
            let tests = row.3.matches(of: /`(\w+)`/).map { String($0.1) }
            #expect(!tests.isEmpty || row.3.hasPrefix("– "), "line \(row.1) has neither a test nor a reason")
            for test in tests where !Self.names.contains(test) {
                Issue.record("line \(row.1), \(row.2): there is no test \(test)")
            }
        }
    }
}

import Foundation
import Testing

@Suite
struct RuleBookIndexTests {
    /// The names of all test functions in `Tests`, read as text: they are of several targets.
    private static let names: Set<String> = {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        let paths = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String } ?? []
        var names: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            guard let text = try? String(contentsOf: tests.appending(path: path), encoding: .utf8) else { continue }
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

    @Test
    func everyLineOfTheRuleBook_isHere_once() {
        let wanted = (1...63).map(String.init) + (1...18).map { "T\($0)" }
        #expect(RuleBookIndex.lines.map(\.id) == wanted)
    }

    @Test
    func everyNamedTest_exists() {
        #expect(Self.names.count > 400, "the tests are found: \(Self.names.count)")
        for line in RuleBookIndex.lines {
            switch line.holding {
            case .tests(let tests):
                #expect(!tests.isEmpty, "\(line.id) \(line.asks)")
                for test in tests where !Self.names.contains(test) {
                    Issue.record("line \(line.id), \(line.asks): there is no test \(test)")
                }
            case .notOfTheTable(let reason): #expect(!reason.isEmpty, "\(line.id)")
            }
        }
    }
}

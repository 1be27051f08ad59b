import TestKit
import Testing

@testable import TerminalUI

/// Expressions of scripts: as regular expressions are, and never slow.
struct ExpressionTests {
    @Test(arguments: [
        ("You (win|lose|push)", "You lose 10 chips.", true), ("You (win|lose)", "You push.", false),
        ("^Round \\d+\\.$", "Round 12.", true), ("^Round", "The Round", false), ("a{2,3}b", "aab", true),
        ("^a{2,3}b", "aaaab", false),
        ("\\bhit\\b", "white", false), ("\\bhit\\b", "hit, stand", true), ("[^a-z ]", "only words", false), ("[]x]", "]", true),
        ("x*", "", true), ("(?:ab)+?c", "ababc", true), ("K[♥♠]", "Dealer: K♠", true), (#"\$\.\/"#, "$./", true),
        ("[\\w-]+@", "zoë-1@", true), ("^\\S+\\s\\D$", "a b", true), ("(a|)b", "b", true), ("a|", "", true), ("\\Bb", "ab", true),
    ])
    func anExpression_matchesAsUsual(_ source: String, _ text: String, _ isMatch: Bool) throws {
        #expect(try Expression(source).matches(text) == isMatch)
    }

    @Test(arguments: [
        ("(", "has a '(' without its ')'"), (")", "has a ')' without its '('"), ("[a", "has a '[' without its ']'"),
        ("*a", "has a '*' with nothing before it"), (#"(a)\1"#, #"has '\1', which is not known"#),
        ("(?=a)", "has '(?', of which only '(?:' is known: nothing looks around"), ("[z-a]", "has the range 'z-a'"),
        ("a{3,2}", "has a '{}' that is not"), ("a{", "has a '{' without its '}'"),
        ("((a{500}){500})", "has more than 2000 steps"),
        ("((((((){1000}){1000}){1000}){1000}){1000}){1000}", "has more than 2000 steps"),
        (String(repeating: "(", count: 10_000), "has more than 50 groups"), ("a\\", "ends with"),
    ])
    func whatIsWrongOrNeedsBacktracking_isRefused(_ source: String, _ reason: String) {
        #expect { try Expression(source) } throws: { ($0 as? Expression.Fault)?.description.hasPrefix(reason) == true }
    }

    /// Each takes longer than the age of the universe where an engine backtracks.
    @Test(arguments: ["(a+)+b", "(a|a)*b", "(a|aa)+$b", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)(.*)b"])
    func noExpression_isSlow(_ source: String) throws {
        #expect(try !Expression(source).matches(String(repeating: "a", count: 400)))
    }

    @Test func matchesAreThoseOfTheStandardLibrary() throws {
        var generator = SeededGenerator()
        func source(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth == 0 ? 3 : 8), using: &generator) {
            case 0: "a"
            case 1: "b"
            case 2: "[ab]"
            case 3: "(\(source(depth - 1))|\(source(depth - 1)))"
            case 4: "(\(source(depth - 1)))*"
            case 5: "(\(source(depth - 1))){1,2}"
            case 6: "(\(source(depth - 1)))?"
            default: source(depth - 1) + source(depth - 1)
            }
        }
        for _ in 0..<40 {
            let source = ["", "^"].randomElement(using: &generator)! + source(3) + ["", "$"].randomElement(using: &generator)!
            let (ours, theirs) = (try Expression(source), try Regex(source))
            for number in 0..<31 {
                let text = String(String(number + 1, radix: 2).dropFirst().map { $0 == "1" ? "a" : "b" })
                #expect(ours.matches(text) == text.contains(theirs), "/\(source)/ '\(text)' BJ_SEED=\(Seed.value)")
            }
        }
    }
}

import ClientCore
import Foundation
import Rules
import Testing

@testable import TableEngine
@testable import TerminalUI

/// Scripts on a clock of the test's, and lines for programs.
struct ScriptTests {
    @Test func aScript_isReadLineByLine() throws {
        let script = try Script(
            "# comment\n\n  expect phase betting within 5s\r\nbet 10\nwithin 60s\nexpect \"You stand\"\nexpect /a|b/\n")
        #expect(script.lines.map(\.number) == [3, 4, 5, 6, 7])
        #expect(
            script.lines.map(\.step) == [
                .expect(.phase("betting"), seconds: 5), .command(.bet(10)), .within(seconds: 60),
                .expect(.text("You stand"), seconds: nil), .expect(.expression(try Expression("a|b")), seconds: nil),
            ])
    }

    @Test func withinQuotesAndSlashes_within_isAWord() throws {
        let script = try Script(
            "expect \"not possible within 5s\"\nexpect \"within 5s\" within 9s\nexpect /a within 3/\nexpect /a|b/ within 7\nexpect seat within 8s"
        )
        #expect(
            script.lines.map(\.step) == [
                .expect(.text("not possible within 5s"), seconds: nil), .expect(.text("within 5s"), seconds: 9),
                .expect(.expression(try Expression("a within 3")), seconds: nil),
                .expect(.expression(try Expression("a|b")), seconds: 7), .expect(.seat, seconds: 8),
            ])
    }

    @Test(arguments: [
        ("bet 10\nbett 10", "line 2: Unknown command 'bett'."),
        ("expect phase dealing", "line 1: There is no phase 'dealing': waiting"),
        ("expect event foo", "line 1: There is no event 'foo': card"), ("expect turn within soon", "line 1: 'soon' is no time"),
        ("expect /(/", "line 1: The expression '(' has a '(' without its ')'."), ("expect", "line 1: expect: phase NAME"),
        ("within 0s", "line 1: '0s' is no time"),
    ])
    func aLineThatIsWrong_isNamed(_ text: String, _ reason: String) {
        #expect { try Script(text) } throws: { "\($0)".hasPrefix(reason) }
    }

    @Test func expectations_areMetByWhatWasToldSinceTheLastOne() throws {
        let scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        var run = ScriptRun(try Script("expect phase waiting\nexpect \"one\"\nexpect \"two\"\nexpect \"one\" within 5s"))
        run.hear(Sentence(.chat, "bob: one"))
        run.hear(Sentence(.chat, "bob: two"))
        // Both were told before; the first one is used up.
        #expect(run.next(in: scene.view.client, at: 1000) == .wait(until: 6000))
        run.hear(Sentence(.chat, "bob: one"))
        #expect(run.next(in: scene.view.client, at: 5999) == .done)
    }

    @Test func aCommand_isRunOnce_andTheNextLineWaitsForItsAnswer() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        var run = ScriptRun(try Script("bet 10\nexpect turn\nstand"))
        #expect(run.next(in: scene.view.client, at: 0) == .run(.bet(10)))
        #expect(run.next(in: scene.view.client, at: 10) == .wait(until: 30_000))
        try scene.bet(2, 10)
        try scene.bet(1, 10)
        run.commandDone()
        #expect(run.next(in: scene.view.client, at: 20) == .run(.act(.stand, amount: nil)))
        run.commandDone()
        #expect(run.next(in: scene.view.client, at: 30) == .done)
    }

    @Test func aFailure_namesTheLine_andHasItsStatus() throws {
        let scene = try Scene(cards: "2C")
        var run = ScriptRun(try Script("within 2s\n\nexpect turn"))
        #expect(run.next(in: scene.view.client, at: 0) == .wait(until: 2000))
        #expect(
            run.next(in: scene.view.client, at: 2000)
                == .fail(status: 75, "line 3 (expect turn): not met within 2 s; the phase is waiting"))
        var other = ScriptRun(try Script("bet 7"))
        #expect(other.next(in: scene.view.client, at: 0) == .run(.bet(7)))
        #expect(other.refusal("Too small.") == .fail(status: 65, "line 1 (bet 7): Too small."))
        #expect(other.next(in: scene.view.client, at: 30_000) == .fail(status: 65, "line 1 (bet 7): not possible within 30 s"))
    }

    @Test func theTable_isALineOfJSON_withTheQuestionAndItsCost() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        try scene.bet(2, 20)
        try scene.bet(1, 10)
        let line = try #require(StateReport.table(scene.view.client))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["phase"] as? String == "playing" && object["round"] as? Int == 1 && object["seats"] as? [Int] == [1])
        #expect((object["dealer"] as? [String: Any])?["cards"] as? [String] == ["KD", "??"])
        let question = object["question"] as? [String: Any]
        #expect(question?["legal"] as? [String: Int] == ["hit": 0, "stand": 0, "double": 10], "\(line)")
        let hands = object["hands"] as? [[String: Any]]
        #expect(hands?.first?["cards"] as? [String] == ["9H", "7D"] && hands?.first?["total"] as? String == "16")
        #expect((object["rules"] as? [String: Any])?.count == HouseRules().fieldValues.count)
        #expect((object["turn"] as? [String: Int]) == ["seat": 1, "hand": 1])
        // Each member is in the list for authors of tools.
        let members = try #require(JSONLines.types.first { $0.term == "table" }).meaning
        for object in [object, hands?.first ?? [:], question ?? [:], object["shoe"] as? [String: Any] ?? [:]] {
            for key in object.keys where key != "type" && key != "table" { #expect(members.contains(key), "\(key)") }
        }
    }

    @Test func linesForPrograms_areASCII_whateverIsSaid() {
        let line = StateReport.event(Sentence(.chat, SafeText("é王\u{1B}[2J\u{9B}\u{202E}😀")))
        #expect(line.utf8.dropLast().allSatisfy { (0x20..<0x7F).contains($0) } && line.hasSuffix("\n"))
        #expect(line.contains(#"\u00e9\u738b"#) && line.contains(#"\ud83d\ude00"#))
        #expect(StateReport.end(.init(status: 75, reason: "é")) == #"{"reason":"\u00e9","status":75,"type":"end"}"# + "\n")
    }
}

import ClientCore
import Fairness
import Testing
import Wire

@testable import TerminalUI

struct ShuffleTests {
    private let report: ShoeReport

    init() {
        var watched = WatchedShoe(table: "main", shoe: 3, rules: nil, commitment: SHA256.hash([1]))
        watched.note(25, at: 7, ofShoe: 3)
        report = ShoeReport(watched: watched)
    }

    private func told(_ finding: ShoeFinding) throws -> [Sentence] {
        let state = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C").view.state
        return LinkNarrator(wording: Wording(hasKeys: false)).sentences(
            from: state, to: ClientUpdate(state: state, event: .shoe(finding)))
    }

    @Test func nothingIsSaid_whileAllIsWell_andAnAlarmIsRaisedByTheSession() throws {
        for finding in [ShoeFinding.verified(report), .contradicted(report, .shuffledEarly), .evidence(report, .shuffledEarly)] {
            #expect(try told(finding).isEmpty)
        }
    }

    /// No more than is known: a server that names a withholder may have dropped the reveal itself.
    @Test(
        arguments: [
            (.notVerified(.left), "The shuffle of shoe 3 could not be verified: you left while it was in play."),
            (.notVerified(.restarted), "The server restarted: the round was lost, and shoe 3 with it."),
            (.notVerified(.refused), "The shuffle of shoe 3 could not be verified: the server does not reveal its secret."),
            (.notVerified(.unanswered), "The shuffle of shoe 3 could not be verified: the server did not reply."),
            (
                .givenUp(.named),
                "The server says that you held back your contribution to shoe 3. This program sent it: it came too late, or the server ignores it."
            ),
            (
                .givenUp(.withheld(["bob", "eve"])),
                "The server says that bob and eve are away: shoe 3 is shuffled again without them."
            ),
            (.givenUp(.gotUp(["bob"])), "bob has left: shoe 3 is shuffled again without them."),
            (
                .givenUp(.unseen),
                "A shuffle of shoe 3 was abandoned after you contributed, for no visible reason."
            ),
        ] as [(Said, String)])
    func whatIsWrong_isOneSentence(said: Said, text: String) throws {
        let sentences = try told(said.finding(report))
        #expect(sentences.map(\.text.text) == [text] && sentences[0].kind != .alarm)
    }

    @Test func aShoeThatWasOnlyAnnounced_isNotMentionedAfterARestart() throws {
        let announced = WatchedShoe(table: "main", shoe: 4, rules: nil, commitment: SHA256.hash([2]))
        #expect(try told(.notVerified(ShoeReport(watched: announced), .restarted)).isEmpty)
    }

    enum Said: Sendable {
        case notVerified(UnverifiedCause)
        case givenUp(GivenUpCause)

        func finding(_ report: ShoeReport) -> ShoeFinding {
            switch self {
            case .notVerified(let cause): .notVerified(report, cause)
            case .givenUp(let cause): .givenUp(cause, shoe: report.shoe, times: 2)
            }
        }
    }

    @Test func theThirdOrderGivenUp_isSaidLoudly_andATableWithoutCeremoniesOnce() throws {
        for cause in [GivenUpCause.unseen, .named] {
            let loud = try told(.givenUp(cause, shoe: 3, times: 3))
            #expect(loud.map(\.kind) == [.alarm] && loud[0].text.text.hasPrefix("3 SHUFFLES WERE ABANDONED"))
        }
        #expect(try told(.givenUp(.withheld(["bob"]), shoe: 3, times: 3)).map(\.kind) == [.table])
        #expect(try told(.noCeremonies(table: "main")).count == 1)
    }

    @Test func theTally_isOneLine_inTheRulesAndAtTheEnd() throws {
        var shoes = ShoeTally()
        #expect(ShuffleNarrator.summary(shoes) == nil)
        shoes.verified = 1
        #expect(ShuffleNarrator.summary(shoes)?.text == "1 shoe, 1 verified, rules not verified")
        (shoes.verified, shoes.tables, shoes.tablesWithRules) = (8, 1, 1)
        #expect(ShuffleNarrator.summary(shoes)?.text == "Rules and shuffle were honest: 8 of 8 shoes verified")
        shoes.hasUnknownRules = true
        #expect(
            ShuffleNarrator.summary(shoes)?.text.hasSuffix(
                ", rules verified, payments not compared: a table had rules that this client does not know") == true)
        shoes.hasUnknownRules = false
        (shoes.withoutPlayer, shoes.notVerified, shoes.open, shoes.givenUp, shoes.contradicted) = (2, 1, 1, 2, 1)
        shoes.areRulesFalse = true
        #expect(
            ShuffleNarrator.summary(shoes)?.text
                == "11 shoes, 8 verified (2 shuffled without you), 1 not verified, 1 not finished, 2 shuffles abandoned, 1 NOT HONEST, RULES NOT HONEST"
        )
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        scene.edit { view in
            view.state.shoes.verified = 8
            view.screen.panel = .rules
        }
        #expect(scene.frame(80, 40).text.contains("Shuffles of this session: 8 shoes, 8 verified, rules not verified."))
    }

    @Test func anAlarm_namesTheFirstWrongCard_andStaysOnTheScreen() throws {
        let text = ShuffleNarrator.alarm(report, .card(shoe: 3, place: 17, expected: 30, seen: 25))
        #expect(text.text == "SHOE 3 IS NOT HONEST: card 18 was KH instead of 5D.")
        for (columns, rows) in [(60, 18), (80, 24)] {
            var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
            scene.edit { view in
                view.say(Sentence(.alarm, text))
                view.state.shoes.contradicted = 1
                for number in 0..<100 { view.say(Sentence(.chat, "line \(number)")) }
            }
            let frame = scene.frame(columns, rows).text
            #expect(frame.contains("SHOE 3 IS NOT HONEST: card 18 was KH"), "\(frame)")
            #expect(frame.hasPrefix(" NOT HONEST · main") && frame.contains("line 99"))
        }
    }
}

import ClientCore
import Fairness
import Testing
import Wire

@testable import TerminalUI

struct ShuffleTests {
    private var report: ShoeReport {
        var watched = WatchedShoe(table: "main", shoe: 3, rules: nil, commitment: SHA256.hash([1]))
        watched.orders = [.init(shoe: 3, segment: 0, first: 0, count: 312, digest: SHA256.hash([2]))]
        for place in 1..<288 { watched.note(UInt8(place % 52), at: place, ofShoe: 3) }
        return ShoeReport(watched: watched, isIncluded: true)
    }

    private func told(_ finding: ShoeFinding, isSeated: Bool = true) throws -> [String] {
        var state = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C").view.client
        if !isSeated { state.login = nil }
        let update = ClientUpdate(state: state, event: .shoe(finding))
        return LinkNarrator(wording: Wording(suits: .words)).sentences(from: state, to: update).map(\.text.text)
    }

    private static let verified = "Shuffle dbc1 verified: all 287 cards seen of 312 were in the promised order."

    @Test func aShoe_isOneSentence() throws {
        #expect(try told(.verified(report)) == [Self.verified])
        var late = report
        late.isIncluded = false
        #expect(
            try told(.verified(late)) == [Self.verified + " It was shuffled without you."])
        #expect(
            try told(.unproven(report, .restarted)) == [
                "Shuffle dbc1 cannot be verified, 287 of 312 cards seen: the server lost the table."
            ])
        var gappy = report
        gappy.gaps = 2
        #expect(try told(.verified(gappy)) == [Self.verified + " Updates were missed 2 times."])
        #expect(try told(.noCeremonies(table: "main")).count == 1)
        #expect(try told(.verified(late), isSeated: false) == [Self.verified])
        // An alarm names a file, and is raised by the session.
        #expect(try told(.failed(report, .shuffledEarly)).isEmpty)
    }

    /// No more than is known: a server that names a withholder may have dropped the reveal itself.
    @Test(arguments: [
        (VoidCause.named(["bob", "eve"]), "the server says that bob, eve withheld a contribution"),
        (.namedBefore(["bob"]), "bob withheld a contribution again"),
        (.namedBefore(["bob", "eve"]), "one of bob, eve withheld a contribution again"),
        (.gotUp([.init(name: "bob", times: 1), .init(name: "eve", times: 3)]), "bob got up, eve got up (3 times)"),
        (.unseen, "changes were missed, and with them the cause"),
    ])
    func aVoidAttempt_isOneSentence(cause: VoidCause, reason: String) throws {
        #expect(try told(.voided(cause, shoe: 4)) == ["Shoe 4 is made again: \(reason)."])
    }

    @Test func aContributionThatDoesNotCount_isSaid() throws {
        let causes: [ExclusionCause] = [
            .committedElsewhere, .missed, .seatLost, .tooLate, .refused(code: "odd"), .unanswered, .revealUnconfirmed,
        ]
        let sentences = try causes.map { try told(.notIncluded($0, shoe: 4)) }
        #expect(sentences.allSatisfy { $0.count == 1 && $0[0].contains("hoe 4 ") } && Set(sentences).count == causes.count)
        #expect(sentences[1] == ["Shoe 4 is shuffled without you: updates were missed while contributions were collected."])
        #expect(sentences[4] == ["Shoe 4 is shuffled without you: the server refused your contribution (odd)."])
        #expect(try told(.seatLost(table: "main")).first?.hasPrefix("You had a seat at main") == true)
        #expect(
            try told(.namedUnanswered(shoe: 4)).first?.hasPrefix("The server says that you held back your contribution") == true)
        #expect(try told(.rejectedOften(times: 3)).first?.hasPrefix("3 SHUFFLES WERE GIVEN UP") == true)
        #expect(try told(.namedAfterRefusal(shoe: 4)).first?.hasPrefix("THE SERVER REFUSED YOUR CONTRIBUTION") == true)
        #expect(try told(.revealTooSlow(shoe: 4, milliseconds: 2_649)).first?.contains("took 2.6 seconds") == true)
    }

    @Test func aShoeLeftInPlay_isSaid_atOnce_andAtTheEnd() throws {
        let sentence =
            "Shuffle dbc1 is not verified yet, 287 of 312 cards seen: its proof is asked for when the shoe may be over."
        #expect(try told(.leftOpen(report)) == [sentence])
        let ends = [0, 1, 2].map { ShuffleNarrator.open($0)?.text }
        #expect(
            ends == [
                nil, "The last shuffle could not be verified: its shoe was not finished when you went.",
                "2 shuffles could not be verified: their shoes were not finished when you went.",
            ])
    }

    @Test func anAlarm_namesTheFirstWrongCard_andStaysOnTheScreen() throws {
        let text = ShuffleNarrator.alarm(report, .card(shoe: 3, place: 17, expected: 30, seen: 25))
        #expect(text.text == "SHOE dbc1 IS NOT HONEST: card 18 was KH, and has to be 5D.")
        for (columns, rows) in [(60, 18), (80, 24)] {
            var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
            scene.edit { view in
                view.say(Sentence(.alarm, text))
                view.client.shoes.failed = 1
                for number in 0..<100 { view.say(Sentence(.chat, "line \(number)")) }
            }
            let frame = scene.frame(columns, rows).text
            #expect(frame.contains("SHOE dbc1 IS NOT HONEST: card 18 was KH"), "\(frame)")
            #expect(frame.hasPrefix(" NOT HONEST · main") && frame.contains("line 99"))
        }
    }

    @Test func theHeader_saysWhatIsKnownOfTheShuffle() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        scene.edit {
            $0.client.shoes.verified = 2
            $0.client.shoes.unproven = 1
            $0.client.shoes.withoutPlayer = 1
            $0.client.shoes.standing = .notIncluded
        }
        #expect(
            scene.frame(140, 24).text.contains(
                "· 2 shoes verified (1 shuffled without you), 1 without proof, this shoe shuffled without you"))
        // In practice the player is the host.
        scene.edit { $0.client.hello = Hello(server: "bjclient/1.0", time: 0, idleSeconds: 60) }
        let text = scene.frame(140, 24).text
        #expect(text.contains("· 2 shoes verified, 1 without proof ") && !text.contains("without you"), "\(text)")
    }
}

import ClientCore
import Rules
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// A player's past and the commands of a table's owner, on the screen and in words.
struct PastTests {
    private let history = HandHistory(
        since: 0,
        rounds: [
            PastRound(
                table: "low-3", round: 12, time: 1_795_356_180_000,
                seats: [
                    .init(
                        seat: 2, bet: 50,
                        hands: [
                            .init(
                                cards: [Card("AS"), Card("KH")], total: .blackjack, bet: 50,
                                result: HandResult(outcome: .blackjack, net: 75))
                        ], insurance: .init(bet: 5, net: -5))
                ], dealer: [Card("TD"), nil], dealerTotal: .hard(10))
        ], isCut: true)

    @Test func hands_readAsPeopleTellThem() {
        #expect(
            told(.history(history)) == [
                "2026-11-22 14:03 UTC, low-3, round 12: +70",
                "  seat 2, bet 50: ace of spades, king of hearts, blackjack, +75; insurance −5",
                "  dealer: 10 of diamonds, a hidden card: 10",
                "There may be older ones, before 1970-01-01 00:00 UTC.",
            ])
        #expect(told(.history(HandHistory(since: 0)))[0].hasPrefix("You have played no hand since"))
    }

    @Test func aDoubledHand_saysSo_andTimesAreThoseOfTheDevice() {
        var (doubled, words) = (history, Wording(suits: .symbols))
        doubled.rounds[0].seats[0].bet = 25
        words.utcOffset = 3_600_000
        let lines = words.lines(of: doubled).map(\.text)
        #expect(lines[0].hasPrefix("2026-11-22 15:03, low-3") && lines[1].contains("A♠ K♥, blackjack, doubled, +75"), "\(lines)")
    }

    @Test func y_showsTheHands() throws {
        var scene = try Scene(cards: "2C")
        #expect(scene.press(.character("y")) == .perform(.history))
        #expect(scene.frame(80, 24).text.contains("Asking the server"))
        scene.update(.history(history))
        #expect(scene.frame(80, 24).text.contains("A♠ K♥, blackjack"))
        let refusal = Refusal(id: nil, type: "history", .init(.notFound, "This server keeps no history."))
        scene.update(.refused(refusal))
        #expect(scene.frame(80, 24).text.contains("This server keeps no history."))
        #expect(scene.press(.escape) == .show(.table))
    }

    @Test func anOwner_kicksAndLocks_onTheScreenAndInWords() throws {
        var scene = try Scene(cards: "2C")
        for (text, command) in [
            ("/kick J. R.", PlayerCommand.kick("J. R.")), ("/again J. R.", .again("J. R.")),
            ("/pass Open Sesame", .pass("Open Sesame")),
            ("/pass none", .pass(nil)),
        ] {
            _ = scene.press(.character("t"))
            for scalar in text.unicodeScalars { _ = scene.press(.character(scalar)) }
            #expect(scene.press(.enter) == .perform(command) && scene.view.draft == nil)
        }
        #expect(try PlayerCommand(line: "kick J. R.\r")?.message(in: ClientState()) == .kick(player: "J. R."))
        #expect(try PlayerCommand(line: "again J. R.\r")?.message(in: ClientState()) == .kick(player: "J. R.", minutes: 0))
        #expect(try PlayerCommand(line: "pass  Open Sesame ")?.message(in: ClientState()) == .pass("Open Sesame"))
        #expect(try PlayerCommand(line: "pass None\r")?.message(in: ClientState()) == .pass(nil))
        #expect(try PlayerCommand(line: "history")?.message(in: ClientState()) == .history)
        for line in ["kick", "kick  ", "pass", "pass  ", "pass " + String(repeating: "x", count: 65), "history 3"] {
            #expect(throws: PlayerCommand.Misunderstanding.self) { try PlayerCommand(line: line) }
        }
    }

    @Test func theStandings_areAPanelAndLines_withOnesOwnPlace() throws {
        var (standings, bot, ann) = (Standings(), Standing(name: "house-1", isBot: true), Standing(name: "ann", isBot: false))
        bot.add(rounds: 2, net: -10, biggestWin: 0)
        ann.add(rounds: 1, net: 15, biggestWin: 15)
        for result in [bot, ann] { standings.rank(result) }
        (standings.place, standings.own) = (1, ann)
        let lines = [
            "People this evening:", "  1. ann: 1 round, +15 chips, biggest win 15", "Bots:",
            "  1. Bot 1: 2 rounds, −10 chips", "You: place 1, 1 round, +15 chips, biggest win 15.",
        ]
        let wording = Wording(suits: .words)
        #expect(wording.lines(of: standings).map(\.text) == lines && wording.lines(of: Standings()).count == 1)
        var scene = try Scene(cards: "2C")
        for key in "/standings".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.press(.enter) == .perform(.standings))
        scene.update(.reply(nil, .standings(standings)))
        #expect(lines.allSatisfy(scene.frame(80, 24).text.contains))
    }

    /// A line that was sent too soon must not open the table to all.
    @Test func aPhraseThatIsMissing_isAskedFor_andOpensNoTable() throws {
        for text in ["/pass", "/pass  "] {
            var scene = try Scene(cards: "2C")
            for scalar in text.unicodeScalars { _ = scene.press(.character(scalar)) }
            let answer: SafeText = "Phrase missing, for example '/pass open sesame'; '/pass none' opens your table to all."
            #expect(scene.press(.enter) == .refuse(answer))
            for scalar in "\(text.hasSuffix(" ") ? "" : " ")none".unicodeScalars { _ = scene.press(.character(scalar)) }
            #expect(scene.frame(80, 24).text.contains("Enter open the table to all"))
        }
        let misunderstood = #expect(throws: PlayerCommand.Misunderstanding.self) { try PlayerCommand(line: "pass") }
        #expect(misunderstood?.text == "Phrase missing, for example 'pass open sesame'; 'pass none' opens your table to all.")
        let long = #expect(throws: PlayerCommand.Misunderstanding.self) {
            try PlayerCommand(line: "pass " + String(repeating: "x", count: 65), slash: "/")
        }
        #expect(long?.text.text.contains("at most 64 bytes") == true)
    }
}

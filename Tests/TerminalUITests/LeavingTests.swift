import ClientCore
import Rules
import TableModel
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// Ways from the table: what is asked, what the keys do, and what is said of the hands.
struct LeavingTests {
    private let cards = "9H 8S KD 7D 9C 5C 3S TH 4H QS"

    @Test(arguments: [(40, 12), (80, 24)])
    func theQuestion_namesTheKeysThatLeave_andNoOtherDoes(columns: Int, rows: Int) throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        try scene.bet(1, 10)
        #expect(scene.press(.character("q")) == .perform(.leave))
        let text = scene.frame(columns, rows).text
        #expect(text.contains(" q y Ctrl-C leave  any other key stay") && text.contains("Leave anyway?"), "\(text)")
        for key in [Key.character("q"), .character("y"), .control("c")] {
            #expect(KeyMap(scene.view).intent(for: key) == .perform(.leave))
        }
        for key in [Key.character("n"), .enter, .escape, .character(" ")] {
            #expect(KeyMap(scene.view).intent(for: key) == .show(.table))
        }
    }

    @Test(arguments: [(40, 12), (80, 24)])
    func theQuestion_leavesTheClockOnTheScreen(columns: Int, rows: Int) throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        try scene.bet(1, 10)
        let seconds = try #require(scene.view.secondsLeft)
        _ = scene.press(.character("q"))
        let text = scene.frame(columns, rows).text
        #expect(text.contains("Leave anyway?") && text.contains(" \(seconds) s"), "\(text)")
    }

    @Test(arguments: [(40, 12), (80, 24)])
    func aViewerOfATableThatCloses_readsTheReason(columns: Int, rows: Int) throws {
        var scene = try Scene(me: "zoe", chips: [1: 1000], cards: cards)
        try scene.bet(1, 10)
        try scene.step("close", .close(ClosingNotice(.table, reason: "cleaning")))
        let lines = scene.frame(columns, rows).text.split(separator: "\n")
        #expect(
            lines.contains { $0.contains(columns < 60 ? " Closes: cleaning" : "closes after the round: cleaning") }, "\(lines)")
    }

    @Test func panels_nameEveryKeyThatDoesNotLeaveThem() throws {
        var scene = try Scene(cards: "2C")
        _ = scene.press(.character("v"))
        #expect(scene.frame(80, 24).text.contains(" up down PgUp PgDn scroll  any other key back to the table"))
        for key in [Key.character(" "), .enter] { #expect(KeyMap(scene.view).intent(for: key) == .show(.table)) }
    }

    @Test func aBetThatIsOpen_isReturnedToAPlayerWhoLeaves() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C")
        #expect(Wording.leftBets(of: scene.view.client) == nil)
        try scene.bet(1, 25)
        #expect(Wording.leftBets(of: scene.view.client) == "Your bet of 25 is returned.")
        #expect(
            Wording.moving(to: .init(table: "low"), from: scene.view.client)
                == "You move to low when the round of your bet is over.")
        try scene.bet(2, 10)
        #expect(Wording.leftBets(of: scene.view.client) == nil, "the hand stands")
        #expect(Wording.moving(to: .init(table: "low"), from: scene.view.client) == "You move to low when your hand is over.")
    }

    @Test func theHandThatIsLeft_isSaid_alsoTheFirst() throws {
        var scene = try Scene(chips: [1: 1000], cards: "9H KD 7D 9C 5C")
        let words = Wording(suits: .words)
        #expect(words.leftHands(of: scene.view.client) == nil)
        try scene.bet(1, 10)
        #expect(scene.view.client.isInPlay)
        #expect(
            words.leftHands(of: scene.view.client)
                == "You left a hand in play, which stands: 9 of hearts, 7 of diamonds: 16, bet 10.")
        try scene.act(1, .stand)
        #expect(!scene.view.client.isInPlay && words.leftHands(of: scene.view.client) == nil)
    }

    @Test func backWithinTheHand_theSeatIsKept() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: cards)
        try scene.bet(1, 10)
        try scene.bet(2, 10)
        try scene.step("ann: leave", .leave(player: PlayerID(1)))
        #expect(scene.view.state.player?.presence == .leaving)
        let first = ClientEvent.table(TableChange(table: "main", revision: 9, old: nil, new: scene.snapshot))
        func isAnswered(_ scene: Scene) -> Bool {
            var scene = scene
            return scene.handle(.update(ClientUpdate(state: scene.view.state, event: first), shown: nil, news: []))
                .contains(.send(.sit(table: "main", seat: nil), nil))
        }
        #expect(isAnswered(scene))
        try scene.step("ann: sit", .sit(player: PlayerID(1), profile: PlayerProfile(name: "ann"), seat: nil, chips: 0))
        #expect(scene.view.state.player?.presence == .here && !isAnswered(scene))
    }

    @Test func theLastRound_isKept_forTheWordsOfATableThatCloses() throws {
        // 20 against 17, and a doubled 11 that becomes 21 against 18.
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C 6S TC 5S 8H KS")
        var tally = SessionTally()
        func take(_ step: (inout Scene) throws -> Void) rethrows {
            let old = scene.snapshot
            try step(&scene)
            tally.take(TableChange(table: "main", revision: 2, old: old, new: scene.snapshot), me: "ann")
        }
        try take { try $0.bet(1, 25) }
        try take { try $0.act(1, .stand) }
        #expect(tally.last == .init(table: "main", number: 1, net: 25))
        try take { try $0.wait() }
        try take { try $0.bet(1, 10) }
        try take { try $0.act(1, .double) }
        try take { try $0.wait() }
        #expect(tally.last == .init(table: "main", number: 2, net: 20), "\(scene.transcript)")
    }

    @Test func whereTheServerKeepsNoHistory_thatIsSaid() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS")
        #expect(scene.press(.character("y")) == .perform(.history))
        let refusal = Refusal(id: nil, type: "history", .init(.accountNeeded, "A guest has no history: log in with a secret."))
        scene.update(.refused(refusal))
        #expect(scene.frame(80, 24).text.contains("the server keeps no history of you"))
    }
}

/// The list of tables where it comes unasked.
struct UnaskedLobbyTests {
    @Test func news_isAboveAnOpenQuestion_andWraps() throws {
        var scene = try LobbyScene()
        scene.lobby.ask(for: .init(table: "private"), isWrong: false)
        scene.lobby.notice = "The host has sent you away: late. Your chips are kept."
        for (columns, rows) in [(40, 12), (80, 24)] {
            let lines = scene.frame(columns, rows).text.split(separator: "\n", omittingEmptySubsequences: false)
            let news = try #require(lines.firstIndex { $0.hasPrefix(" The host has sent you away: late.") })
            let prompt = try #require(lines.firstIndex { $0.hasPrefix(" Pass phrase of private:") })
            #expect(news < prompt && lines[news...prompt].joined().contains("chips are kept."), "\(lines)")
        }
    }
}

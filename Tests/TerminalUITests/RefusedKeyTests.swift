import ClientCore
import Rules
import TableEngine
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// Keys that have no effect say why and what is possible; lines with a slash are commands.
struct RefusedKeyTests {
    private let cards = "9H 8S KD 7D 10C 5C 3S 2C 4H"

    private func answer(_ scene: inout Scene, _ key: Unicode.Scalar) -> String? {
        guard case .refuse(let text)? = scene.press(.character(key)) else { return nil }
        return text.text
    }

    @Test func aKeyWithoutAnEffect_saysWhy_andWhatIsPossible() throws {
        var scene = try Scene(cards: cards)
        #expect(
            answer(&scene, "h")
                == "You can't hit right now. Possible: Enter bet 10, 0-9 amount, + - by 5, m max 500.")
        #expect(answer(&scene, "k") == "'k' does nothing here: ? shows the keys.")
        try scene.bet(1, 10)
        #expect(answer(&scene, "r") == "'r' does nothing here: ? shows the keys.")
        try scene.bet(2, 10)
        #expect(answer(&scene, "n") == "There is no question to answer. Possible: h hit, s stand, d double for 10.")
        #expect(answer(&scene, "5")?.hasPrefix("You can't bet right now. Possible: h hit") == true)
        #expect(scene.press(.character(" ")) == nil, "a space ends a motion")
        try scene.act(1, .stand)
        #expect(answer(&scene, "h") == "You can't hit right now.")
        #expect(scene.press(.enter) == .refuse("Nothing to confirm."))
        try scene.act(2, .stand)
        #expect(answer(&scene, "d") == "You can't double right now.")
        var watcher = try Scene(me: "zoe", cards: cards)
        #expect(answer(&watcher, "o") == "You can't sit out right now. Possible: s take a seat.")
        scene.edit { $0.state.silentSince = $0.now - 4000 }
        #expect(answer(&scene, "t") == "You can't talk right now. No answer: last heard 4 s ago.")
    }

    /// A command typed without a screen has the words of the client, not those of the protocol.
    @Test func aRefusalOfTheServer_namesTheWordsThatAreTyped() {
        let refusal = Refusal(
            type: "act", .rule, code: "not_allowed", message: "decline is not possible now; possible: hit, even money.",
            legal: [.hit, .stand, .evenMoney, .decline])
        #expect(LinkNarrator.refusal(refusal) == "You can't do that right now. Possible: hit, stand, even, no.")
    }

    /// The kick of a table's owner is not the host's.
    @Test func aKick_isSaidWithItsSender() throws {
        let client = try Scene(cards: cards).view.client
        for (owner, words) in [
            (nil, "The host sent bob away: late"), ("ann", "You sent bob away: late"),
            ("cid", "cid, the owner, sent bob away: late"),
        ] as [(String?, String)] {
            let notice = HostNotice(HostNotice.kicked, name: "bob", reason: "late", by: owner, time: 0)
            #expect(told(.notice(notice), from: client) == [words])
        }
        var lost = client
        lost.link = .lost(.dismissed)
        #expect(told(.link, from: client, to: lost).isEmpty)
    }

    @Test func aSecondStroke_behindADecision_needsNoAnswer() throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        try scene.bet(1, 10)
        guard case .perform(.act)? = scene.press(.character("h")) else {
            Issue.record("h hits")
            return
        }
        #expect(scene.press(.character("h")) == nil)
    }

    /// A line typed without `t` leaves one message, not one for each letter.
    @Test func answers_replaceEachOther() throws {
        var scene = try Scene(cards: cards)
        let count = scene.view.messages.count
        for key in "zxjk".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.view.messages.count == count + 1)
        #expect(scene.frame(120, 40).text.contains(" 'k' does nothing here:") && !scene.frame(120, 40).text.contains("'z'"))
        _ = scene.press(.character("+"))
        _ = scene.press(.character("x"))
        #expect(scene.view.messages.count == count + 2)
    }

    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func aSlash_opensTheChatLine_andItsCommandsAreExplained(columns: Int, rows: Int) throws {
        var scene = try Scene(cards: cards)
        #expect(scene.press(.character("/")) == .complete("/"))
        #expect(scene.view.draft == "/")
        for part in [" Say: /", "/bet N", "/status", "/mute NAME", "/help"] {
            #expect(scene.frame(columns, rows).text.contains(part), "\(part)\n\(scene.frame(columns, rows).text)")
        }
        #expect(!scene.frame(columns, rows).text.contains("/kick"), "the owner's words are for the owner")
        var owner = scene
        let own = TableSummary(name: "main", seats: 7, freeSeats: 5, players: [], watchers: 0, rules: HouseRules(), owner: "ann")
        owner.edit { $0.state.lobby = [own] }
        #expect(owner.frame(columns, rows).text.contains("/kick NAME"), "\(owner.frame(columns, rows).text)")
        for key in "kick".unicodeScalars { #expect(scene.press(.character(key)) == .edit(.character(key))) }
        if columns >= 80 {
            #expect(scene.frame(columns, rows).text.contains("/kick NAME send a player away"))
        }
        #expect(scene.press(.enter) == .refuse("Name missing, for example '/kick bob'.") && scene.view.draft == "/kick")
        for key in " b".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.frame(columns, rows).text.contains("Tab /kick bob") && scene.press(.tab) == .complete("/kick bob"))
        #expect(scene.frame(columns, rows).text.contains("Enter send bob away"))
        #expect(scene.press(.enter) == .perform(.kick("bob")) && scene.view.draft == nil)
    }

    @Test func aBotOfTheHouse_isSentAway_byTheNameThatIsShown() throws {
        var scene = try Scene(cards: cards)
        try scene.step(
            "sits", .sit(player: PlayerID(3), profile: PlayerProfile(name: "house main-1"), seat: 3, chips: 100))
        for key in "/kick bo".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.press(.tab) == .complete("/kick bob"))
        _ = scene.press(.backspace)
        for key in "t 1".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.press(.enter) == .perform(.kick("bot 1")))
        #expect(PlayerCommand.kick("bot 1").message(in: scene.view.state) == .kick(player: "house main-1"))
    }

    @Test func aMistypedCommand_isExplained_andNothingIsSent() throws {
        var scene = try Scene(cards: cards)
        for key in "/m".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.press(.tab) == .complete("/mute "))
        _ = scene.press(.escape)
        #expect(scene.view.draft == nil)
        for key in "/kik bob".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(
            scene.press(.enter)
                == .refuse("Unknown command '/kik'. Did you mean '/kick'? '/help' lists the commands."))
        #expect(scene.view.draft == "/", "the next word is not appended to it")
        for key in "/status".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.view.draft == "/status")
    }

    /// Letters of a command are no keys of the game, even while the server is silent.
    @Test func aSlash_worksWithoutAnAnswerOfTheServer() throws {
        var scene = try Scene(cards: cards)
        scene.edit { $0.state.silentSince = 0 }
        for key in "/quit".unicodeScalars { _ = scene.press(.character(key)) }
        #expect(scene.view.draft == "/quit")
    }

    // MARK: Lines of chat that were begun

    @Test func aLineThatWasBegun_endsWithItsTable() throws {
        var scene = try Scene(cards: cards)
        for key in "tnice".unicodeScalars { _ = scene.press(.character(key)) }
        scene.handle(.answered(.command(.say("late"), number: 0, nil), .failure(.local)))
        #expect(scene.view.draft == "nice" && scene.view.unsent == ["late"])
        scene.update(.leftTable) { ($0.position, $0.snapshot) = (nil, nil) }
        #expect(scene.view.draft == nil && scene.view.unsent.isEmpty)
    }

    @Test func aLineThatWasBegun_staysOnTheScreen_whileTheConnectionIsLost() throws {
        var scene = try Scene(cards: cards)
        for key in "tnice".unicodeScalars { _ = scene.press(.character(key)) }
        for link in [ClientState.Link.lost(.silence), .connecting(attempt: 1), .connected, .loggedIn] {
            scene.update(.link) { $0.link = link }
            #expect(scene.view.draft == "nice" && scene.frame(80, 24).text.contains(" Say: nice"))
        }
        scene.update(.table(TableChange(table: "main", revision: 9, old: scene.snapshot, new: TableSnapshot())))
        #expect(scene.view.draft == "nice")
        scene.update(.table(TableChange(table: "high", revision: 1, old: nil, new: TableSnapshot()))) {
            $0.position?.table = "high"
        }
        #expect(scene.view.draft == nil)
    }
}

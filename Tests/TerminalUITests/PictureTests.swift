import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// The rules of the pictures, at the sizes of the issue.
struct PictureTests {
    private static let cards = "9H 8S KD 7D 10C 5C 3S 2C"

    // MARK: Help

    private func help(_ scene: Scene, _ columns: Int = 80, _ rows: Int = 24) -> Frame {
        var scene = scene
        scene.edit { $0.screen.panel = .help }
        return scene.frame(columns, rows)
    }

    @Test func theHelp_namesEachKeyThatASessionAccepts() throws {
        var scenes = [try Scene(cards: Self.cards), try Scene(me: "zoe", cards: Self.cards), try Scene.playing()]
        var insured = try Scene(chips: [1: 1000], cards: "8S AD 9H 8C")
        try insured.bet(1, 10)
        scenes.append(insured)
        var away = try Scene(cards: Self.cards)
        try away.step("out", .sitOut(player: PlayerID(1)))
        scenes.append(away)
        let keys = help(scenes[0]).lines.dropFirst().flatMap(\.spans).filter { $0.style == [.bold, .inverse] }.map(\.text.text)
        // The key of plus without shift.
        let named = Set(keys + "0123456789+-=".map(String.init))
        for scene in scenes {
            for scalar in (33..<127).compactMap(Unicode.Scalar.init) where !scene.refuses(.character(scalar)) {
                guard KeyMap(scene.view).intent(for: .character(scalar)) != nil else { continue }
                #expect(named.contains(String(scalar)) || scalar == "?", "\(scalar)")
            }
        }
        #expect(keys.contains("0-9 + -") && keys.contains("PgUp") && keys.contains("Ctrl-L"))
        #expect(keys.prefix(3) == ["h", "t", "s"], "two columns: \(keys)")
    }

    @Test func theHelp_isWhole_at80Times24_andHasPages_at40Times12() throws {
        var scene = try Scene(cards: Self.cards)
        try expectGolden(help(scene).text + help(scene, 120, 40).text, "help.txt")
        #expect(!help(scene).text.contains("/kick"))
        scene.edit { $0.state.lobby = [.of("ann"), .of(nil, "low")] }
        let text = help(scene).text
        for word in ["h  hit", "t     chat", "quit", "/kick NAME", "list of tables", "★ owner"] {
            #expect(text.contains(word), "\(word)\n\(text)")
        }
        scene.edit { $0.screen.panel = .help }
        #expect(scene.frame(40, 12).text.contains("h  hit"))
        for _ in 0..<5 { #expect(scene.press(.pageDown) == .scroll(10)) }
        #expect(scene.frame(40, 12).text.contains("★ owner"), "\(scene.frame(40, 12).text)")
    }

    @Test func theFooter_showsWhatThereIsRoomFor() throws {
        let scene = try Scene.playing()
        for (columns, count) in [(80, 3), (120, 4), (200, 4)] {
            let footer = scene.frame(columns, 40).text.split(separator: "\n").last ?? ""
            let shown = ["a coach", "v rules", "y history", "o sit out"].count { footer.contains($0) }
            #expect(shown >= count && footer.contains("q quit  t talk  ? help"), "\(footer)")
        }
    }

    // MARK: Without colours

    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func withoutColours_theTurn_ownSeat_andEdges_areDrawn(columns: Int, rows: Int) throws {
        var scene = try Scene(cards: Self.cards)
        for seat in [1, 2] { try scene.bet(seat, 25) }
        func drawn(_ hasColors: Bool) -> String {
            var terminal = TerminalScreen(ScreenSize(columns: columns, rows: rows))
            terminal.take(scene.frame(columns, rows).drawing(over: nil, for: .init(hasColors: hasColors)))
            return terminal.trimmedText
        }
        #expect(drawn(false).contains(/▶ You +(9♥ 7♦ +)?16/) && !drawn(false).contains(/▶ bob/), "\(drawn(false))")
        if columns >= 80 {
            #expect(drawn(false).contains("┌───────────┐") && drawn(false).contains("\n│"))
            #expect(drawn(false).split(separator: "\n")[1].hasPrefix("┌────"), "the upper edge of the table")
            #expect(!drawn(true).contains("┌───────────┐") && !drawn(true).contains("\n│"))
        }
        try scene.stand(1)
        #expect(drawn(false).contains(/▶ bob/) && !drawn(false).contains(/▶ You/), "\(drawn(false))")
    }

    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func botsOwnersAndThoseAway_haveAMarkEach(columns: Int, rows: Int) throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000, 3: 1000, 4: 1000], cards: "9H 8S KD 7D 10C 5C 3S 2C 4H 4S")
        scene.edit { $0.state.lobby = [.of("bob")] }
        try scene.step("bot", .sit(player: PlayerID(9), profile: PlayerProfile(name: "robot", isBot: true), seat: 6, chips: 500))
        try scene.step("out", .sitOut(player: PlayerID(3)))
        let text = scene.frame(columns, rows).text
        for name in ["bob ★", "cid ◌", "robot ¤"] { #expect(text.contains(name), "\(name)\n\(text)") }
        #expect(text.contains("sits out") && !text.contains("cid ¤"))
        let marks = [Player.Presence.here, .sittingOut, .away, .leaving].map { presence in
            TableCell(.player(1, Player(name: "dee", chips: 5, presence: presence)), me: "").mark.text
        }
        #expect(marks == ["", "◌", "☾", "»"])
    }

    // MARK: Hands and log

    @Test(arguments: [(40, 12), (80, 24), (200, 60)])
    func ownBet_isANumber_duringTheHand(columns: Int, rows: Int) throws {
        let text = try Scene.playing().frame(columns, rows).text
        #expect(text.contains(/▶ You +(8♠ 10♣ +)?18 +bet 25/), "\(text)")
    }

    @Test func theLog_saysInAFewColumns_whatTheTableDoesNotShow() throws {
        var scene = try Scene(cards: Self.cards)
        for seat in [1, 2] { try scene.bet(seat, 25) }
        try scene.stand(1, 2)
        let log = scene.view.messages.map(\.text.text)
        let isOfOthers = log.contains { $0.contains("bob stands") || $0.contains("The dealer") }
        #expect(log.suffix(2) == ["Dealer K, 5, 3: 18. Nobody wins.", "Round 1: lost 25, 975 chips."] && !isOfOthers, "\(log)")
        for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
            let lines = scene.frame(columns, rows).text.split(separator: "\n")
            #expect(lines.contains { $0.contains("Round 1: lost 25, 975 chips.") }, "\(columns)")
        }
    }

    /// A line broken in two would be run without its end.
    @Test func theLineForFriends_isInOnePiece_untilOneOfThemIsHere() throws {
        let words = "Friends paste: bjclient 192.168.100.100:2121 --table friends --pass bado-ligu"
        var options = TableSession.Options(host: "", port: 0, name: .given("ann"))
        options.invitation = String(words.dropFirst("Friends paste: ".count))
        var scene = try Scene(chips: [1: 1000], cards: Self.cards)
        let state = scene.view.state
        scene.edit {
            $0 = PlayerSession(options, .keys)
            $0.state = state
            $0.state.lobby = [.of("ann")]
        }
        for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
            #expect(scene.frame(columns, rows).text.split(separator: "\n").contains { $0 == words }, "\(columns)")
        }
        // Copied from a narrow screen, it lacks nothing but a line end.
        #expect(scene.frame(40, 12).text.replacing("\n", with: "").contains(words))
        let bob = PlayerProfile(name: "bob")
        try scene.step("sit", .sit(player: PlayerID(2), profile: bob, seat: 2, chips: 500))
        #expect(!scene.frame(80, 24).text.contains(words))
        // Asked for, it is there until the next key, and the log has no copy that is broken in two.
        for key in "/status".unicodeScalars { _ = scene.press(.character(key)) }
        _ = scene.press(.enter)
        #expect(scene.frame(80, 24).text.contains(words) && !scene.view.messages.contains { $0.text.text.contains("Friends") })
        _ = scene.press(.character("v"))
        #expect(!scene.frame(80, 24).text.contains(words))
        // Another owner may have changed the phrase.
        scene.edit { $0.state.lobby[0].owner = "bob" }
        #expect(scene.view.invitationLine == nil)
    }

    @Test func theTable_isCentred_andItsGapsAreFew_onALargeScreen() throws {
        let scene = try Scene.playing()
        let rows = scene.frame(200, 60).lines.map { line in String(line.text.dropFirst(33).prefix(134)) }
        let isBlank = rows.map { row in row.allSatisfy { $0 == " " || $0 == "│" } }
        var (longest, current) = (0, 0)
        for blank in isBlank {
            current = blank ? current + 1 : 0
            longest = max(longest, current)
        }
        #expect(longest <= 10, "\(scene.frame(200, 60).text)")
    }
}

import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The list of tables: keys in, frames and destinations out.
struct LobbyTests {
    @Test(arguments: [(40, 12), (60, 18), (80, 24), (120, 40), (200, 60)])
    func theList_isDrawn_atEverySize(columns: Int, rows: Int) throws {
        try expectGolden(try LobbyScene().frame(columns, rows).text, "lobby-\(columns)x\(rows).txt")
    }

    @Test func aKey_choosesATable_toSitAtOrToWatch() throws {
        var scene = try LobbyScene()
        #expect(scene.press(.enter) == .go(.init(table: "main")) && scene.press(.character("s")) == .go(.init(table: "main")))
        #expect(scene.press(.down) == nil)
        #expect(scene.press(.character("w")) == .go(.init(table: "european", watches: true)))
        scene.press(.end)
        #expect(scene.press(.enter) == nil, "a closing table takes nobody")
        #expect(scene.frame(80, 24).text.contains("low closes: it takes no more players."))
        #expect(scene.frame(80, 40).text.contains("low: closes after its round, and takes no more players."))
        scene.press(.up)
        scene.press(.up)
        #expect(scene.press(.enter) == nil && scene.frame(80, 24).text.contains("high has no free seat: w watches it."))
        #expect(scene.press(.character("w")) == .go(.init(table: "high", watches: true)))
    }

    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func thePlayerWhoCameToWatch_watchesWithEnter_andSitsWithAKeyOfItsOwn(columns: Int, rows: Int) throws {
        var scene = try LobbyScene()
        #expect(scene.frame(columns, rows).text.contains(" Enter s sit  w watch  up down choose"))
        scene.lobby = LobbyView(prefersWatching: true)
        #expect(
            scene.frame(columns, rows).text.contains(" Enter w watch  s sit  up down choose"),
            "\(scene.frame(columns, rows).text)")
        #expect(scene.press(.enter) == .go(.init(table: "main", watches: true)))
        #expect(scene.press(.character("s")) == .go(.init(table: "main")))
    }

    @Test(arguments: [(40, 12), (80, 24)])
    func theQuestionMark_explainsTheKeysOfTheList(columns: Int, rows: Int) throws {
        var scene = try LobbyScene()
        #expect(scene.frame(columns, rows).text.contains("?"))
        #expect(scene.press(.character("?")) == nil)
        let text = scene.frame(columns, rows).text
        #expect(text.contains("s sits down, w watches") && text.contains("▶ main"), "\(text)")
        #expect(columns < 80 || text.contains("? shows its keys."), "\(text)")
        #expect(scene.press(.character("q")) == .quit)
    }

    @Test func theNewsOfAStop_endsWithIt() throws {
        var scene = try LobbyScene()
        scene.view.lobby = LobbyView(notice: "The server stops, and low is closed: update.")
        scene.logIn()
        #expect(scene.view.lobby?.notice != nil, "a player who was sent away logs in again at once")
        scene.update(.goodbye(code: "shutting_down", message: "The server stops."))
        scene.logIn()
        #expect(scene.view.lobby?.notice == nil)
    }

    @Test(arguments: [(40, 12), (80, 24)])
    func theTableWhosePhraseIsAsked_isTheOneShown(columns: Int, rows: Int) throws {
        var scene = try LobbyScene()
        scene.press(.down)
        scene.lobby.ask(for: .init(table: "private"), isWrong: false)
        let text = scene.frame(columns, rows).text
        #expect(text.contains("▶ private") && text.contains("Pass phrase of private:"), "\(text)")
        if rows >= 24 { #expect(text.contains("It has a pass phrase.") && !text.contains("main: 5 of 7")) }
    }

    @Test(arguments: [
        (-4059, "the house has an edge of 0.4059 % of the minimum bet.", "house edge 0.4059 %"),
        (1_440, "you have an edge of 0.1440 % of the minimum bet.", "house edge −0.1440 %"),
        (0, "neither you nor the house has an edge.", "house edge 0.0000 %"),
    ])
    func theEdge_isAmongTheDetails_inWords_andBesideTheRules(_ edge: Int, _ sentence: String, _ words: String) throws {
        var tables = try LobbyScene.tables()
        tables[0].edge = edge
        #expect(try LobbyScene(tables).frame(100, 36).text.contains("With basic strategy, \(sentence)"))
        #expect(Wording(suits: .symbols).summary(tables[0]).text.contains(words))
        let table = try Scene(chips: [1: 1000], cards: "2C")
        #expect(!table.view.client.ruleSentences.contains { $0.contains("edge") })
        let scene = try LobbyScene(tables, at: table)
        #expect(scene.view.client.ruleSentences.first == "With basic strategy, \(sentence)")
    }

    @Test func letters_areKeysInTheList() throws {
        var scene = try LobbyScene()
        #expect(scene.press(.character("q")) == .quit)
        scene.type("eur")
        #expect(scene.frame(80, 24).text.contains("'r' does nothing here: ? shows the keys."))
        scene.lobby.notice = "The host has sent you away."
        #expect(scene.frame(40, 12).text.contains("'r' does nothing") && scene.frame(40, 12).text.contains("sent you away."))
        scene.press(.down)
        #expect(!scene.frame(80, 24).text.contains("no key") && scene.frame(80, 24).text.contains("sent you away."))
    }

    /// Each one answers: with a step back, or with words.
    @Test func escape_goesOneLevelBack_andNeverLeavesTheProgram() throws {
        var scene = try LobbyScene()
        #expect(scene.press(.escape) == nil)
        #expect(scene.frame(80, 24).text.contains("You are at no table yet: q leaves the program."))
        scene = try LobbyScene(at: try Scene(cards: "2C"))
        for key in [Key.escape, .character("l")] {
            scene.lobby = LobbyView()
            #expect(scene.press(key) == .back && scene.view.lobby == nil)
        }
        scene.lobby = LobbyView()
        #expect(scene.frame(80, 24).text.contains("Esc back to the table"))
    }

    /// A list that comes by itself: the keys of the table sit at no other one.
    @Test func keysThatWereMeantForTheTable_chooseNothing_untilARowIsChosen() throws {
        var scene = try LobbyScene()
        scene.lobby.isChosen = false
        scene.lobby.notice = "The table low is closed."
        for key in [Key.enter, .character("s"), .character("w")] { #expect(scene.press(key) == nil) }
        let text = scene.frame(80, 24).text
        #expect(text.contains("The table low is closed.") && text.contains("Choose a table first: up and down."))
        #expect(!text.contains("▶") && !text.contains("sit"), "nothing is offered that does not work")
        var arrow = scene
        #expect(arrow.press(.down) == nil && arrow.press(.character("s")) == .go(.init(table: "main")))
        #expect(scene.press(.down) == nil && scene.press(.down) == nil)
        #expect(scene.press(.character("w")) == .go(.init(table: "european", watches: true)))
    }

    /// A list without a connection is out of date: it offers nothing, and says why.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func aServerThatHasStopped_isSaid_andNoRowLooksOpen(columns: Int, rows: Int) throws {
        var scene = try LobbyScene()
        scene.update(.goodbye(code: "shutting_down", message: "The server stops."))
        scene.view.state.link = .lost(.connection("closed"))
        var text = scene.frame(columns, rows).text
        #expect(text.contains("The server has stopped: ") && !text.contains("Enter") && !text.contains(" open"), "\(text)")
        #expect(text.contains("offline") && !text.contains("Playing:"), "\(text)")
        #expect(scene.press(.character("s")) == nil)
        scene.view.state.link = .loggedIn
        scene.logIn()
        text = scene.frame(columns, rows).text
        #expect(!text.contains("stopped") && text.contains("open"), "\(text)")
        scene.view.state.link = .lost(.silence)
        #expect(scene.frame(columns, rows).text.contains("reconnecting"))
    }

    @Test func theSelection_staysWithItsTable_whileTheListChanges() throws {
        var scene = try LobbyScene()
        scene.press(.down)
        scene.press(.down)
        var tables = try LobbyScene.tables()
        tables.insert(TableSummary(name: "new", seats: 7, freeSeats: 7, players: [], watchers: 0, rules: HouseRules()), at: 0)
        scene.list(tables)
        #expect(scene.press(.character("w")) == .go(.init(table: "high", watches: true)))
        tables.removeAll { $0.name == "high" }
        scene.list(tables)
        #expect(scene.press(.character("w")) == .go(.init(table: "european", watches: true)), "the table in the same row")
        scene.list([])
        #expect(scene.press(.character("w")) == nil && scene.frame(80, 24).text.contains("There are no tables at the moment."))
    }

    @Test func atATable_enterAndEscapeGoBack_andAQuestionIsSaid() throws {
        var table = try Scene(me: "ann", cards: "9H 8S KD 7D 10C 5C 3S 2C")
        var scene = try LobbyScene(at: table)
        #expect(scene.press(.enter) == .back)
        scene.lobby = LobbyView()
        #expect(scene.frame(80, 24).text.contains("seated"))
        try table.bet(1, 10)
        try table.bet(2, 25)
        scene = try LobbyScene(at: table)
        try expectGolden(scene.frame(80, 24).text, "lobby-turn.txt")
        try table.act(1, .stand)
        scene = try LobbyScene(at: table)
        // Ann's seat, then european.
        scene.press(.down)
        scene.press(.enter)
        scene.lobby = LobbyView()
        #expect(scene.frame(80, 24).text.contains("You move to european when your hand is over."))
    }

    @Test func aPassPhrase_isTypedAsDots_andGoesWithTheRequest() throws {
        var scene = try LobbyScene()
        scene.lobby.ask(for: .init(table: "private"), isWrong: false)
        #expect(scene.press(.enter) == nil, "an empty phrase is none")
        scene.type("öpen sésame?")
        scene.press(.backspace)
        let text = scene.frame(80, 24).text
        #expect(text.contains(" Pass phrase of private: •••••••••••") && !text.contains("sésame"))
        try expectGolden(text, "lobby-phrase.txt")
        #expect(scene.press(.enter) == .go(.init(table: "private", pass: "öpen sésame")))
        #expect(scene.lobby.prompt == nil)
        scene.lobby.ask(for: .init(table: "private", watches: true), isWrong: true)
        #expect(scene.frame(80, 12).text.contains("Wrong phrase. Pass phrase of private:"))
        #expect(scene.press(.escape) == nil && scene.lobby.prompt == nil)
        scene.lobby.ask(for: .init(table: "private"), isWrong: false)
        scene.type(String(repeating: "é", count: 40))
        guard case .perform(.go(let destination)) = scene.press(.enter) else {
            Issue.record("the phrase is sent")
            return
        }
        #expect(destination.pass?.utf8.count == WireLimits.passBytes)
    }

    @Test func aPaste_isText_andNeverAKey() throws {
        var scene = try LobbyScene()
        #expect(scene.press(.paste("sss")) == nil && scene.frame(80, 24).text.contains("A paste is text, not keys"))
        scene.lobby.ask(for: .init(table: "private"), isWrong: false)
        #expect(scene.press(.paste("open sesame\n")) == nil && scene.lobby.prompt?.draft.text == "open sesame")
    }

    @Test func withoutAConnection_noTableCanBeChosen() throws {
        var scene = try LobbyScene()
        scene.view.state.link = .lost(.silence)
        #expect(scene.press(.enter) == nil && scene.press(.character("w")) == nil)
        #expect(!scene.frame(80, 24).text.contains("Enter"))
        #expect(scene.frame(80, 24).text.contains("There is no connection: tables can be chosen when the server answers again."))
        scene.view.state.link = .loggedIn
        scene.logIn()
        #expect(scene.view.lobby?.answer == nil, "the connection is back")
    }

    /// Every key that is offered has an effect, and no hostile name moves the cursor.
    @Test func theList_fitsAnyTerminal_whateverTheServerSends() throws {
        var tables = try (0..<500).map { index in
            TableSummary(
                name: "t\u{1B}[2J\u{202E}王\(index)", seats: 7, freeSeats: index % 8,
                players: Array(repeating: "x\u{7}\u{1B}]0;y", count: 40), watchers: 1 << 53,
                rules: try HouseRules().with([("maximumBet", .integer(1_000_000_000))]))
        }
        tables.append(tables[0])
        var scene = try LobbyScene(tables)
        scene.lobby.notice = SafeText(String(repeating: "long ", count: 100))
        for keys in [[], [Key.end], [.pageDown, .right], [.character("/"), .character("王")]] {
            for key in keys { scene.press(key) }
            for columns in [1, 2, 10, 27, 40, 59, 60, 80, 99, 100, 133, 200] {
                for rows in [1, 2, 5, 6, 7, 9, 12, 18, 24, 60] {
                    let frame = scene.frame(columns, rows)
                    #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns })
                    #expect(frame.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" || $0 == "\n" })
                }
            }
        }
        #expect(scene.frame(40, 12).text.contains("▶ t"))
    }

    @Test func theKeyToTheList_isOffered_whereThereIsAChoice() throws {
        var scene = try Scene(cards: "2C")
        #expect(scene.press(.character("l")) == .refuse("There is no other table."))
        scene.edit {
            let tables = (try? LobbyScene.tables()) ?? []
            $0.state.lobby = tables
        }
        #expect(scene.frame(80, 24).text.contains("l tables"))
        #expect(scene.press(.character("l")) == .perform(.tables) && scene.view.lobby != nil)
    }

    @Test func aTableThatCloses_isSaidAtTheTable_andInTheHeader() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.step("closes", .close(ClosingNotice(.table, reason: "cleaning")))
        #expect(scene.told.contains(Sentence(.closing, "This table closes after the round: cleaning")))
        var frame = scene.frame(80, 24).text
        #expect(frame.contains(" main · round 1 · closing") && frame.contains("This table closes after the"))
        try scene.stand(1, 2)
        frame = scene.frame(80, 24).text
        #expect(frame.contains("This was the last round here.") && !frame.contains("next round"))
    }

    @Test func anotherTable_hasBetsOfItsOwn() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        try scene.bet(1, 25)
        #expect(scene.view.lastBet == 25)
        let change = TableChange(table: "high", revision: 1, old: nil, new: TableSnapshot())
        scene.update(.table(change)) { $0.position?.table = "high" }
        #expect(scene.view.lastBet == nil)
    }

    @Test func theEndOfATable_saysWhy_andThatChipsAreKept() {
        let words = Wording(suits: .symbols)
        #expect(words.closed("low", nil, keepsChips: false) == "The table low is closed.")
        #expect(
            words.closed("low", ClosingNotice(.table, reason: "cleaning"), keepsChips: true)
                == "The table low is closed: cleaning. Your chips are kept.")
        #expect(
            words.closed("low", ClosingNotice(.server, reason: "\u{1B}c"), keepsChips: true)
                == "The server stops, and low is closed: ?c.")
    }
}

import ClientCore
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// The player's chips across restarts of the server and visits.
struct ChipMemoryTests {
    private let cards = "9H 8S KD 7D 9C 5C"

    private func update(_ scene: Scene, _ event: ClientEvent, house: String = "one") -> ClientUpdate {
        var state = scene.view.client
        state.hello = Hello(server: "test", house: house, time: 0, idleSeconds: 60)
        return ClientUpdate(state: state, event: event)
    }

    private func login(_ chips: Int) -> ClientEvent { .reply(nil, .login(LoginReply(name: "ann", chips: chips))) }

    private func table(_ scene: Scene) throws -> ClientEvent { .table(try #require(scene.change)) }

    /// Ann at a table of the house `one`.
    private func seated(_ scene: Scene) throws -> ChipMemory {
        var memory = ChipMemory()
        #expect(memory.take(update(scene, login(1000))) == nil)
        #expect(memory.take(update(scene, try table(scene))) == nil)
        return memory
    }

    @Test func aServerThatStartsAgain_isSaid_withTheChipsAndTheBetThatAreLost() throws {
        var scene = try Scene(chips: [1: 1010, 2: 1000], cards: cards)
        try scene.bet(1, 10)
        var memory = try seated(scene)
        #expect(memory.settled == 1010)
        let back = try Scene(cards: cards)
        #expect(
            memory.take(update(back, login(1000), house: "two"))
                == "The server started again, and the round is gone with your bet of 10: you have 1000 chips again, and had 1010."
        )
        #expect(memory.take(update(back, try table(back), house: "two")) == nil, "once")
    }

    /// Its messages about seat and shoe follow at once.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func theNews_staysOnTheScreen_untilAKeyIsPressed_orARoundBegins(columns: Int, rows: Int) throws {
        var scene = try Scene(cards: cards)
        scene.edit { $0.announce(Sentence(.closing, "The server started again.")) }
        for number in 1...40 { scene.edit { $0.say(Sentence(.table, "Round \(number).")) } }
        #expect(scene.frame(columns, rows).text.contains(" The server started again."))
        _ = scene.press(.character("+"))
        #expect(!scene.frame(columns, rows).text.contains("started again"))
        scene.edit { $0.announce(Sentence(.closing, "The server started again.")) }
        for seat in [1, 2] { try scene.bet(seat, 10) }
        #expect(scene.view.news == nil)
    }

    @Test func aHandInPlay_isLostWithTheServer() throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        try scene.bet(1, 10)
        var memory = try seated(scene)
        #expect(memory.settled == nil, "the hand decides")
        let back = try Scene(cards: cards)
        #expect(
            memory.take(update(back, login(1000), house: "two"))
                == "The server started again, and the round is gone with your bet of 10: you have 1000 chips, as before.")
    }

    /// Those of the account are none: they lie at the table.
    @Test func aSeatThatWasKept_saysNothingOfChips() throws {
        let scene = try Scene(cards: cards)
        var memory = try seated(scene)
        let login = ClientEvent.reply(nil, .login(LoginReply(name: "ann", chips: 0, table: "main")))
        #expect(memory.take(update(scene, login, house: "two")) == nil)
        #expect(memory.take(update(scene, try table(scene), house: "two")) == nil && memory.settled == 1000)
    }

    @Test func theSameHouse_hasLostNothing() throws {
        let scene = try Scene(cards: cards)
        var memory = try seated(scene)
        #expect(memory.take(update(scene, login(1000))) == nil)
        #expect(memory.take(update(scene, try table(scene))) == nil)
    }

    @Test func aBetThatIsOpen_isReturnedToAPlayerWhoLeaves() throws {
        var scene = try Scene(cards: cards)
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

    @Test func theJoinForm_saysWhichNameIsThePlayersOwn() {
        for (chips, words) in [(940, "yours: 940 chips when you left"), (nil, "yours: you were here before")]
            as [(Int?, String)]
        {
            var view = JoinView(server: "test", name: "ann", isSuggestion: true)
            view.found(.own(chips: chips))
            let text = JoinScreen(view, size: ScreenSize(columns: 40, rows: 12)).frame.text
            #expect(text.contains(words) && !text.contains("free") && text.contains("Enter join"), "\(text)")
        }
    }
}

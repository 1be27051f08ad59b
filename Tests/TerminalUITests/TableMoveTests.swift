import ClientCore
import TableModel
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// From one table to another: never out of a hand.
struct TableMoveTests {
    private let high = TableMove.Destination(table: "high")
    private let sitHigh = PlayerSession.Effect.send(.sit(table: "high", seat: nil), .move)

    private func playing() throws -> Scene { try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C", controls: .lines) }

    private func requests(_ effects: [PlayerSession.Effect]) -> [PlayerSession.Effect] {
        effects.filter { if case .send(_, .move?) = $0 { true } else { false } }
    }

    @Test func aPlayerAtNoTable_asksAtOnce() {
        var scene = PlayerScene(controls: .lines) { $0.wish = .nothing }
        scene.logIn()
        scene.handle(.line("sit high"))
        #expect(scene.effects == [sitHigh])
        scene.handle(.line("sit low"))
        #expect(scene.effects.isEmpty, "one move at a time")
        scene.handle(.answered(.move, .success(.done("sit"))))
        #expect(scene.player.move == .granted(high))
        scene.handle(.line("watch low sesame"))
        #expect(scene.effects == [.send(.watch(table: "low", pass: "sesame"), .move)])
        let full = Refusal(id: nil, type: "sit", .init(.tableFull, "Every seat is taken."))
        scene.handle(.answered(.move, .failure(full)))
        #expect(scene.player.move == .none && scene.effects.last == .send(.lobby(follow: nil), nil), "the list has others")
    }

    @Test func aSeatedPlayer_leavesFirst() throws {
        var scene = try playing()
        #expect(scene.handle(.line("sit main")) == [.print("You are at main already.")])
        #expect(scene.handle(.line("sit high")) == [.send(.leave, .move)])
        #expect(scene.handle(.answered(.move, .success(.done("leave")))) == [.forgetTable, sitHigh])
    }

    @Test func aBetAndAHand_arePlayedFirst() throws {
        var scene = try playing()
        try scene.bet(1, 10)
        #expect(scene.handle(.line("sit high")) == [.print("You move to high when the round of your bet is over.")])
        try scene.bet(2, 10)
        try scene.act(1, .stand)
        #expect(scene.view.move == .waiting(high))
        scene.update(.link) { $0.link = .lost(.silence) }
        try scene.act(2, .stand)
        #expect(scene.view.move == .waiting(high))
        #expect(requests(scene.update(.link) { $0.link = .loggedIn }) == [.send(.leave, .move)])
        #expect(requests(scene.update(.silence)).isEmpty, "once")
    }

    @Test func aMoveThatWaits_isReplacedOrCancelled() throws {
        var scene = try playing()
        try scene.bet(1, 10)
        for (line, move) in [("high", .waiting(high)), ("low", .waiting(.init(table: "low"))), ("main", .none)]
            as [(String, TableMove)]
        {
            scene.handle(.line("sit \(line)"))
            #expect(scene.view.move == move, "to stay is no move")
        }
    }

    @Test func aSeatThatIsGivenUp_isWaitedFor() throws {
        var scene = try playing()
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.step("ann leaves", .leave(player: PlayerID(1)))
        scene.handle(.line("sit high"))
        try scene.act(2, .stand)
        while scene.view.state.seat != nil {
            #expect(scene.view.move == .waiting(high))
            try scene.wait()
        }
        #expect(scene.view.move == .arriving(high))
    }

    @Test(arguments: [
        ("sit low-3", TableMove.Destination(table: "low-3")), ("WATCH  low-3\r", .init(table: "low-3", watches: true)),
        ("sit private  open sesame \r", .init(table: "private", pass: "open sesame")),
    ])
    func words_nameTables(line: String, destination: TableMove.Destination) throws {
        #expect(try PlayerCommand(line: line) == .go(destination))
    }

    @Test func wordsThatNameNoTable_areExplained() throws {
        #expect(try PlayerCommand(line: "sit 4") == .sit(seat: 4) && PlayerCommand(line: "sit") == .sit(seat: nil))
        #expect(try PlayerCommand(line: "lobby") == .tables)
        for line in ["watch", "sit " + String(repeating: "x", count: 300), "sit a " + String(repeating: "x", count: 65)] {
            #expect(throws: PlayerCommand.Misunderstanding.self) { try PlayerCommand(line: line) }
        }
    }

    /// A script's commands wait for the end of a move, and at no table they are answered at once.
    @Test func aScript_waitsForItsTable() throws {
        let commands = [PlayerCommand.bet(10), .go(high), .leave, .tables]
        var playing = try Scene(cards: "2C", controls: .pipe)
        #expect(playing.view.legality(of: .go(high)) == .legal)
        #expect(playing.handle(.line("sit high")) == [.send(.leave, .move)])
        #expect(commands.allSatisfy { playing.view.legality(of: $0) == .later })
        var nowhere = PlayerSession(.init(host: "", port: 0, name: .given("ann")), .pipe)
        var state = ClientState()
        state.link = .loggedIn
        let login = ClientUpdate(state: state, event: .reply(nil, .login(LoginReply(name: "ann", chips: 0))))
        #expect(nowhere.handle(.update(login, shown: nil, news: []), at: 0).last == .send(.lobby(follow: nil), .choice))
        _ = nowhere.handle(.answered(.choice, .success(.lobby(revision: 1, total: 0, []))), at: 0)
        #expect(commands.allSatisfy { nowhere.legality(of: $0) == .legal })
        #expect(nowhere.handle(.inputEnded(.end), at: 0) == [.send(.logout, .logout)])
    }
}

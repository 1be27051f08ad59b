import ClientCore
import TableModel
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// From one table to another: never out of a hand.
struct TableMoveTests {
    private let high = TableMove.Destination(table: "high")
    private let refusal = Refusal(id: nil, type: "sit", .init(.tableFull, "Every seat is taken."))

    private func ok(_ message: ClientMessage) -> Result<Reply, Refusal> { .success(.done(message.type)) }

    @Test func aPlayerAtNoTable_asksAtOnce() {
        var (move, client) = (TableMove(), ClientState())
        client.link = .loggedIn
        #expect(move.begin(high, from: client) == .sit(table: "high", seat: nil))
        #expect(move.isUnderway && move.begin(.init(table: "low"), from: client) == nil, "one move at a time")
        #expect(move.answered(ok(.leave)) == .arrived(high) && !move.isUnderway)
        let watched = TableMove.Destination(table: "low", watches: true, pass: "sesame")
        #expect(move.begin(watched, from: client) == .watch(table: "low", pass: "sesame"))
        #expect(move.answered(.failure(refusal)) == .refused(watched, refusal) && !move.isUnderway)
        #expect(move.answered(ok(.leave)) == nil)
    }

    @Test func aSeatedPlayer_leavesFirst() throws {
        let client = try Scene(cards: "2C").view.client
        var move = TableMove()
        #expect(move.begin(.init(table: "main"), from: client) == nil && !move.isUnderway, "that is where they are")
        #expect(move.begin(high, from: client) == .leave)
        #expect(move.answered(ok(.leave)) == .send(.sit(table: "high", seat: nil)))
        #expect(move.answered(ok(.leave)) == .arrived(high))
    }

    @Test func aBetAndAHand_arePlayedFirst() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        var move = TableMove()
        try scene.bet(1, 10)
        #expect(move.begin(high, from: scene.view.client) == nil && move.awaited == high)
        try scene.bet(2, 10)
        #expect(move.proceed(from: scene.view.client) == nil)
        try scene.act(1, .stand)
        #expect(move.proceed(from: scene.view.client) == nil)
        var offline = scene.view.client
        try scene.act(2, .stand)
        offline.link = .lost(.silence)
        #expect(move.proceed(from: offline) == nil && move.awaited == high)
        #expect(move.proceed(from: scene.view.client) == .leave)
        #expect(move.proceed(from: scene.view.client) == nil, "once")
    }

    @Test func aMoveThatWaits_isReplacedOrCancelled() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        try scene.bet(1, 10)
        var move = TableMove()
        _ = move.begin(high, from: scene.view.client)
        _ = move.begin(.init(table: "low"), from: scene.view.client)
        #expect(move.awaited == .init(table: "low"))
        _ = move.begin(.init(table: "main"), from: scene.view.client)
        #expect(move.awaited == nil, "to stay is no move")
        _ = move.begin(high, from: scene.view.client)
        move.end()
        #expect(move.awaited == nil)
    }

    @Test func aSeatThatIsGivenUp_isWaitedFor() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 10C 5C 3S 2C")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.step("ann leaves", .leave(player: PlayerID(1)))
        var move = TableMove()
        #expect(move.begin(high, from: scene.view.client) == nil && move.awaited == high)
        try scene.act(2, .stand)
        while scene.view.client.seat != nil { try scene.wait() }
        #expect(move.proceed(from: scene.view.client) == .sit(table: "high", seat: nil))
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

import Rules
import TableModel
import Testing

@testable import TableEngine

/// A bet or decision that names what it is about, and is refused once the table has moved on.
struct GuardTests {
    private func act(
        _ game: inout Game, _ player: UInt32, _ action: Action, turn: Int?
    ) throws(Rejection) {
        try game.perform(.act(player: PlayerID(player), action: action, seat: nil, hand: nil, amount: nil, turn: turn))
    }

    private func bet(_ game: inout Game, _ player: UInt32, round: Int?) throws(Rejection) {
        try game.perform(.bet(player: PlayerID(player), seat: nil, amount: 10, round: round))
    }

    @Test func aLateHit_doesNotTakeTheNextCard() throws {
        var game = try Game(cards: "2S 9H 3S 8H 2H 4H 9C")
        try bet(&game, 1, round: 0)
        try act(&game, 1, .hit, turn: 1)
        #expect(throws: Rejection.staleTurn(1)) { try act(&game, 1, .hit, turn: 1) }
        try act(&game, 1, .hit, turn: 2)
        // A caller that cannot be late, such as a simulation, names none.
        try act(&game, 1, .stand, turn: nil)
    }

    @Test func aNeighboursAction_doesNotBreakTheGuard() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "2S 9H 5D 3S 8H 9S 4H 9C TC")
        try bet(&game, 1, round: nil)
        try bet(&game, 2, round: 0)
        #expect(throws: Rejection.notYourTurn(acting: HandID(seat: 1, hand: 0))) { try act(&game, 2, .stand, turn: 1) }
        #expect(throws: Rejection.staleTurn(2)) { try act(&game, 2, .stand, turn: 2) }
        try game.perform(.sitOut(player: PlayerID(2)))
        try act(&game, 1, .stand, turn: 1)
        try act(&game, 2, .stand, turn: 2)
    }

    /// One number for all who are asked at once: an answer of one leaves that of the others as it was.
    @Test func whatAllAreAskedAtOnce_hasOneNumber() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TS TH AS 9S 8H 5S")
        try bet(&game, 1, round: 0)
        try bet(&game, 2, round: 0)
        try act(&game, 2, .decline, turn: 1)
        #expect(throws: Rejection.alreadyAnswered(seat: 2)) { try act(&game, 2, .decline, turn: 1) }
        try act(&game, 1, .insurance, turn: 1)
        #expect(throws: Rejection.staleTurn(1)) { try act(&game, 1, .decline, turn: 1) }
    }

    @Test func whatIsOver_isStale_alsoForACommandWithoutANumber() throws {
        var game = try Game(cards: "TS 9H 9S 8H")
        try bet(&game, 1, round: 0)
        try act(&game, 1, .stand, turn: 1)
        #expect(throws: Rejection.staleTurn(1)) { try act(&game, 1, .stand, turn: 1) }
        #expect(throws: Rejection.staleTurn(1)) { try act(&game, 1, .stand, turn: nil) }
    }

    @Test func aBetForAnotherRound_isStale_whateverThePhase() throws {
        var game = try Game(cards: "TS 9H 9S 8H")
        #expect(throws: Rejection.staleRound(1, current: 0)) { try bet(&game, 1, round: 1) }
        try bet(&game, 1, round: 0)
        #expect(throws: Rejection.staleRound(0, current: 1)) { try bet(&game, 1, round: 0) }
        #expect(throws: Rejection.self) { try bet(&game, 1, round: 1) }
        try act(&game, 1, .stand, turn: 1)
        #expect(throws: Rejection.staleRound(0, current: 1)) { try bet(&game, 1, round: 0) }
        game.stack("TS 9H 9S 8H")
        try bet(&game, 1, round: 1)
    }
}

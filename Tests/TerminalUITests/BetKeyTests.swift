import ClientCore
import Rules
import TableEngine
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// Bets by keys, and the bet that is made again.
struct BetKeyTests {
    private let cards = "TS TD 7H 9C 9S TC 8D 8C 5D 5C TH 6D 6C 9D"

    @Test func anAmountThatIsRefused_isNotContinued() throws {
        var scene = try Scene(cards: cards)
        #expect(scene.press(.character("7")) == .amount(7, isWhole: false))
        #expect(scene.press(.enter) == .refuse("The minimum bet is 10."))
        for digit in "25" { _ = scene.press(.character(digit.unicodeScalars.first ?? "0")) }
        #expect(scene.view.betAmount == 25)
    }

    @Test func theFirstBet_isTheLeast_andM_isTheMost() throws {
        var scene = try Scene(chips: [1: 237], cards: cards)
        #expect(scene.view.betAmount == 10)
        #expect(scene.press(.character("m")) == .amount(235) && scene.view.betAmount == 235)
        #expect(!KeyMap(scene.view).hints.contains { $0.key == "m" }, "it is the most already")
        for digit in "50" { _ = scene.press(.character(digit.unicodeScalars.first ?? "0")) }
        #expect(scene.view.betAmount == 50, "a digit begins another amount")
        for key in [Key.character("+"), .character("-"), .up, .down] {
            _ = scene.press(key)
            _ = scene.press(.character("7"))
            #expect(scene.view.betAmount == 7, "as behind \(key)")
            _ = scene.press(.character("0"))
            #expect(scene.view.betAmount == 70, "and the next one goes on")
        }
        _ = scene.press(.character("m"))
        #expect(Scene.bet(of: scene.view, .enter) == 235)
    }

    /// A second stroke of Enter neither raises nor lowers a bet, whatever chips are left.
    @Test func enter_onABetThatIsPlaced_doesNothing_andAChangeIsTyped() throws {
        var scene = try Scene(chips: [1: 25, 2: 1000], cards: cards)
        try scene.bet(1, 20)
        for key in [Key.enter, .character("b")] { #expect(scene.press(key) == nil) }
        #expect(!KeyMap(scene.view).hints.contains { $0.key == "Enter" })
        #expect(scene.press(.character("+")) == .amount(25) && Scene.bet(of: scene.view, .enter) == 25)
        for digit in "20" { _ = scene.press(.character(digit.unicodeScalars.first ?? "0")) }
        #expect(scene.press(.enter) == nil, "it is the bet already")
        _ = scene.press(.character("0"))
        _ = scene.press(.backspace)
    }

    @Test func outOfChips_aNewStakeIsOffered_alsoBehindTheRound_andWhileSittingOut() throws {
        var scene = try Scene(chips: [1: 20, 2: 1000], cards: "9H TS KD 7D 9C TC")
        try scene.bet(1, 20)
        try scene.bet(2, 10)
        while let seat = scene.snapshot.activeHand?.seat { try scene.act(seat, .stand) }
        for _ in 1...2 {
            #expect(scene.press(.character("s")) == .perform(.sit()), "\(scene.transcript)")
            try scene.step("ann: out", .sitOut(player: PlayerID(1)))
        }
        try scene.wait()
        #expect(scene.frame(80, 24).text.contains("You are out of chips."))
        try scene.step("ann: sit", .sit(player: PlayerID(1), profile: PlayerProfile(name: "ann"), seat: nil, chips: 100))
        #expect(scene.press(.character("s")) != .perform(.sit()) && scene.press(.character("o")) == .perform(.sitIn))
    }

    @Test func theLastBet_isMadeAgain_onceInEachRound() throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        var auto = AutoBet(isOn: true)
        #expect(auto.announcement(at: "main").text.contains("your next bet is repeated"))
        #expect(auto.next(in: scene.view.client, timedOut: false) == nil, "there is no bet to repeat")
        let old = scene.snapshot
        try scene.bet(1, 25)
        auto.take(TableChange(table: "main", revision: 2, old: old, new: scene.snapshot), me: "ann")
        #expect(auto.next(in: scene.view.client, timedOut: false) == nil, "it is on the table")
        #expect(auto.announcement(at: "main").text.contains("your last bet is repeated"))
        #expect(auto.announcement(at: "low").text.contains("your next bet is repeated"), "a bet belongs to its table")
        while scene.snapshot.choice(1) != nil { try scene.act(1, .stand) }
        try scene.wait()
        #expect(scene.snapshot.round?.phase.takesBets == true)
        #expect(
            auto.next(in: scene.view.client, timedOut: false)
                == .send(.bet(amount: 25, seat: 1, round: scene.snapshot.round?.number ?? 0)))
        #expect(auto.next(in: scene.view.client, timedOut: false) == nil, "a bet that is taken back is not made again")
        auto.turn(false)
        #expect(!auto.isOn && auto.announcement(at: "main") == "Auto-bet is off.")
    }

    @Test func itStops_whenTheTimeRunsOut_andWhenTheChipsDo() throws {
        var scene = try Scene(chips: [1: 40], cards: cards)
        var auto = AutoBet(isOn: true)
        let old = scene.snapshot
        try scene.bet(1, 25)
        auto.take(TableChange(table: "main", revision: 2, old: old, new: scene.snapshot), me: "ann")
        var late = auto
        guard case .stop(let reason)? = late.next(in: scene.view.client, timedOut: true) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.text.contains("your time ran out") && !late.isOn)
        while scene.snapshot.choice(1) != nil { try scene.act(1, .stand) }
        // 17 against 19: 15 chips are left.
        #expect(scene.view.player?.chips == 15, "\(scene.transcript)")
        try scene.wait()
        guard case .stop(let poor)? = auto.next(in: scene.view.client, timedOut: false) else {
            Issue.record("it goes on")
            return
        }
        #expect(poor.text.contains("enough chips") && !auto.isOn)
    }

    @Test func theKey_andTheWord_turnItOnAndOff() throws {
        var scene = try Scene(chips: [1: 1000], cards: cards)
        #expect(!KeyMap(scene.view).hints.contains { $0.key == "R" }, "there is no bet to repeat")
        try scene.bet(1, 25)
        while scene.snapshot.choice(1) != nil { try scene.act(1, .stand) }
        try scene.wait()
        #expect(try PlayerCommand(line: "rebet") == .rebet)
        #expect(KeyMap(scene.view).hints.contains { $0.key == "R" && $0.meaning == "repeat always" })
        #expect(scene.press(.character("R")) == .perform(.rebet))
        #expect(KeyMap(scene.view).hints.contains { $0.key == "R" && $0.meaning == "stop repeating" })
    }

    @Test func theBell_ringsWhenTheTurnBegins_notForItsNextCard() throws {
        var scene = try Scene(chips: [1: 1000], cards: "2S TD 3H 9C 4S 5S TC 8D")
        func change(_ step: (inout Scene) throws -> Void) throws -> TableChange {
            let old = scene.snapshot
            try step(&scene)
            return TableChange(table: "main", revision: 2, old: old, new: scene.snapshot)
        }
        #expect(try change { try $0.bet(1, 10) }.beginsTurn(of: "ann"))
        #expect(try !change { try $0.act(1, .hit) }.beginsTurn(of: "ann"))
        #expect(
            TableChange(table: "main", revision: 1, old: nil, new: scene.snapshot).beginsTurn(of: "ann"),
            "shown for the first time")
        #expect(!TableChange(table: "main", revision: 1, old: nil, new: scene.snapshot).beginsTurn(of: "bob"))
        #expect(try !change { try $0.act(1, .stand) }.beginsTurn(of: "ann"))
    }

    @Test func aBlackjackInTheDiffOfItsBet_isABetToRepeat() throws {
        var scene = try Scene(chips: [1: 1000], cards: "AS TD KH 7C")
        try scene.bet(1, 20)
        #expect(scene.snapshot.result(HandIdentifier(seat: 1, number: 1)) != nil && scene.change?.openBet(of: "ann") == 20)
        #expect(scene.view.lastBet == 20)
    }
}

extension Scene {
    /// The amount of the bet that a key makes.
    fileprivate static func bet(of view: PlayerSession, _ key: Key) -> Int? {
        guard case .perform(.bet(let amount))? = KeyMap(view).intent(for: key) else { return nil }
        return amount
    }
}

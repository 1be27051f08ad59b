import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// Whole rounds at a real table, told from before-and-after alone and compared with transcripts in `Golden`.
struct NarratorTests {
    @Test func aRound_isToldCardByCard() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        try scene.bet(2, 20)
        try scene.bet(1, 10)
        try scene.act(1, .hit)
        try scene.stand(1, 2)
        try scene.wait()
        try expectGolden(scene.transcript, "round.txt")
    }

    @Test func splitsAndDoubles_areToldHandByHand() throws {
        var scene = try Scene(cards: "8H TS 6D 8S 9C TC 3S 7D KS 5H 9D")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.act(1, .split)
        try scene.act(1, .double)
        #expect(scene.told.contains { $0.text.text.contains("on hand 2") }, "\(scene.told)")
        try scene.stand(1, 2)
        try expectGolden(scene.transcript, "split-and-double.txt")
    }

    @Test func insurance_isAskedAnsweredAndPaid() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000, 3: 1000], cards: "9H AS 5S AD 9C KC 5C QD")
        for seat in 1...3 { try scene.bet(seat, 10) }
        try scene.act(1, .insurance)
        try scene.act(2, .evenMoney)
        try scene.act(3, .decline)
        try expectGolden(scene.transcript, "insurance-paid.txt")
    }

    @Test func insurance_isLostWhenThereIsNoBlackjack() throws {
        var scene = try Scene(cards: "9H AS AD 9C KC 5C 2D 9D KH")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.act(1, .insurance)
        try scene.act(2, .decline)
        try scene.act(1, .stand)
        try expectGolden(scene.transcript, "insurance-lost.txt")
    }

    @Test func surrender_andBust_areToldWhenTheyHappen() throws {
        var scene = try Scene([("surrender", .text("late"))], me: "bob", cards: "9H TS TD 7C 6C 9C KH")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.act(1, .surrender)
        try scene.act(2, .hit)
        try expectGolden(scene.transcript, "surrender-and-bust.txt")
    }

    @Test func comingAndGoing_isTold() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C")
        let bob = PlayerID(2)
        try scene.step("cid sits", .sit(player: PlayerID(3), profile: PlayerProfile(name: "cid"), seat: 5, chips: 500))
        try scene.step("bob is cut off", .disconnected(player: bob))
        try scene.wait(2000)
        try scene.step("bob is back", .reconnected(player: bob))
        try scene.step("bob sits out", .sitOut(player: bob))
        try scene.step("bob sits in", .sitOut(player: bob, isOut: false))
        try scene.bet(2, 50)
        try scene.bet(2, 25)
        try scene.bet(2, 0)
        try scene.step("bob leaves", .leave(player: bob))
        try scene.step("ann sits out", .sitOut(player: PlayerID(1)))
        try scene.step("the house closes", .close())
        try expectGolden(scene.transcript, "coming-and-going.txt")
    }

    @Test func severalThingsInOneChange_areAllTold() throws {
        var scene = try Scene(me: "cid", cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        let (ann, bob) = (PlayerID(1), PlayerID(2))
        func act(_ player: PlayerID, _ action: Action) -> Command {
            .act(player: player, action: action, seat: nil, hand: nil, amount: nil)
        }
        try scene.step(
            "both bet, ann hits", .bet(player: bob, seat: nil, amount: 20), .bet(player: ann, seat: nil, amount: 10),
            act(ann, .hit))
        try scene.step("ann and bob stand", act(ann, .stand), act(bob, .stand))
        try expectGolden(scene.transcript, "several-at-once.txt")
    }

    @Test func everyCardAndEveryResult_isToldOnce_overManyRounds() throws {
        var generator = SeededGenerator()
        for _ in 0..<30 { try playRandomly(&generator) }
    }

    /// A few rounds of random decisions. Each card that comes to lie on the table is named in a sentence of that step, and each hand's
    /// result is told once.
    private func playRandomly(_ generator: inout SeededGenerator) throws {
        var scene = try Scene([("surrender", .text("late"))], chips: [1: 1000, 2: 1000, 3: 1000], cards: "2C")
        for _ in 0..<4 {
            var results = 0
            for seat in 1...3 {
                try step(&scene) { try $0.bet(seat, 10) }
                results += scene.told.filter { $0.kind == .result && !$0.text.text.contains(" this round") }.count
            }
            while let (seat, action) = scene.randomDecision(&generator) {
                try step(&scene) { try $0.act(seat, action) }
                results += scene.told.filter { $0.kind == .result && !$0.text.text.contains(" this round") }.count
            }
            let insured = scene.snapshot.seats.filter { scene.snapshot.insurance($0) != nil }.count
            #expect(results == scene.snapshot.hands.count + insured, "BJ_SEED=\(Seed.value)\n\(scene.transcript)")
            try step(&scene) { try $0.wait() }
        }
    }

    private func step(_ scene: inout Scene, _ body: (inout Scene) throws -> Void) throws {
        let before = scene.snapshot
        try body(&scene)
        let words = scene.told.filter { $0.kind != .prompt }.map(\.text.text).joined(separator: " ")
        for entry in scene.snapshot.entries {
            guard case .card(_, _, let card?) = entry, before[entry.item] != entry else { continue }
            let name = Wording(suits: .words).card(card).text
            #expect(words.contains(" \(name)"), "\(name) is not told, BJ_SEED=\(Seed.value)\n\(scene.transcript)")
        }
    }
}

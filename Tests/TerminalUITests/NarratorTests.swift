import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// Whole rounds at a real table, told from before-and-after alone and compared with transcripts in `Golden`.
struct NarratorTests {

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
                results += scene.told.count(where: isResult)
            }
            while let (seat, action) = scene.randomDecision(&generator) {
                try step(&scene) { try $0.act(seat, action) }
                results += scene.told.count(where: isResult)
            }
            let insured = scene.snapshot.seats.filter { scene.snapshot.insurance($0) != nil }.count
            #expect(results == scene.snapshot.hands.count + insured, "BJ_SEED=\(Seed.value)\n\(scene.transcript)")
            try step(&scene) { try $0.wait() }
        }
    }

    private func isResult(_ sentence: Sentence) -> Bool {
        sentence.kind == .result || sentence.kind == .sum && sentence.text.text.contains(" insurance")
    }

    private func step(_ scene: inout Scene, _ body: (inout Scene) throws -> Void) throws {
        let before = scene.snapshot
        try body(&scene)
        let words = scene.told.filter { $0.kind != .prompt }.map(\.text.text).joined(separator: " ")
        for entry in scene.snapshot.entries {
            guard case .card(_, _, let card?) = entry, before[entry.item] != entry else { continue }
            let name = Wording(hasKeys: false).card(card).text
            #expect(words.contains(" \(name)"), "\(name) is not told, BJ_SEED=\(Seed.value)\n\(scene.transcript)")
        }
    }
}

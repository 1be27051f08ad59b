import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

struct CheckTests {
    @Test func theCheckValue_isThatOfOtherLibraries() {
        // Known values: the standard's own check, and texts as other implementations give them.
        let known: [(String, UInt32)] = [
            ("", 0), ("a", 0xE8B7_BE43), ("abc", 0x3524_41C2), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ]
        for (text, value) in known {
            #expect(Array(text.utf8).withUnsafeBufferPointer(CRC32.value) == value, "\(text)")
        }
    }

    @Test func theFastWay_givesWhatTheDefinitionGives() {
        var generator = SeededGenerator()
        for length in 0..<70 {
            let bytes = (0..<length).map { _ in UInt8(generator.below(256)) }
            var crc = ~UInt32(0)
            for byte in bytes {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
            }
            #expect(bytes.withUnsafeBufferPointer(CRC32.value) == ~crc, "seed \(Seed.value)")
        }
    }

    /// Beside the check of a snapshot: rows in any fill, and other rules in between, so that no text is kept for too long.
    @Test func theCheckOfRows_isThatOfTheirSnapshot() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 3)
        var check = TableCheck()
        var rows = TableRows(seats: 7)
        var change = RowChange()
        #expect(check.value(of: rows, rules: 0) == rows.snapshot.check)
        for _ in 0..<100 {
            if case .rules(let rules) = RandomTable.entry(.rules, &generator) {
                rows.rules = generator.below(5) == 0 ? nil : rules
            }
            let hands = Array(RowSet.hands).reduce(into: RowSet()) { if generator.below(3) > 0 { $0.insert($1) } }
            _ = change.begin(rows, hands: hands, status: RoundStatus(number: 0, phase: .playing))
            for row in RowSet.everything {
                guard !RowSet.hands.contains(row) || hands.contains(row) else {
                    change.remove(row, from: &rows)
                    continue
                }
                change.describe(row, in: &rows) { change in
                    for item in Self.items(of: TableRows.section(row)) where generator.below(3) > 0 {
                        change.show(RandomTable.entry(item, in: TableRows.section(row), &generator))
                    }
                }
            }
            let rules = check.value(of: rows.rules.map { [.rules($0)] } ?? [])
            #expect(check.value(of: rows, rules: rules) == rows.snapshot.check, "seed \(Seed.value)")
        }
    }

    /// What may be in a section, in order.
    private static func items(of section: TableSection) -> [TableItem] {
        switch section {
        case .table: [.round, .phase, .clock, .shoe, .cardsLeft, .seen, .closing, .pause, .match]
        case .dealer: [.dealerTotal, .card(1), .card(3)]
        case .seat(let seat): [.player(seat), .choice(seat), .insurance(seat), .insuranceResult(seat)]
        case .hand(let hand):
            [.bet(hand), .total(hand)] + (0..<3).map { .card(100 * hand.seat + 10 * hand.number + $0) } + [.result(hand)]
        }
    }
}

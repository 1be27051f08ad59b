import CommandLineKit
import Fairness
import Foundation
import Rules
import TableModel
import Wire

/// Rounds of `bjserver history --json` as a recording: dealt again, at a pace that the file does not have. Nor has it bankrolls: 0 stands for each.
public struct DealtRounds {
    private struct Round: Decodable {
        struct Seat: Decodable {
            var seat, bet: Int
            var name: String
            var insurance: Insurance?
            var hands: [Hand]

            /// The first two cards: of split hands the first ones.
            var pair: [String] {
                hands.count > 1 ? hands.prefix(2).flatMap { $0.cards.prefix(1) } : hands.flatMap { $0.cards.prefix(2) }
            }

            func total(_ cards: [String], of hand: HandIdentifier, mayBeBlackjack: Bool = false) -> TableEntry {
                .total(hand, Total(HandValue(cards.compactMap { Card($0) }), mayBeBlackjack: mayBeBlackjack))
            }
        }
        struct Insurance: Decodable {
            var stake: Int
            var paid: Int?
        }
        struct Hand: Decodable {
            var cards: [String]
            var moves: [Move]
            var stake: Int
            var outcome: String?
            var net: Int?
        }
        struct Move: Decodable { var action: String }
        var table: String
        var round, shoe: Int
        var started: Int64
        var ended: Int64?
        var voided: Bool?
        var dealer: [String]
        var seats: [Seat]

        var isBounded: Bool {
            let amounts = seats.flatMap { seat in
                [seat.bet, seat.insurance?.stake ?? 0, seat.insurance?.paid ?? 0]
                    + seat.hands.flatMap { [$0.stake, $0.net ?? 0] }
            }
            let cards = seats.flatMap(\.hands).map(\.cards) + [dealer.filter { $0 != "??" }]
            return Set(seats.map(\.seat)).count == seats.count
                && amounts.allSatisfy { $0.magnitude <= 8 * UInt(WireLimits.chips) }
                && cards.allSatisfy { $0.count <= 22 && $0.allSatisfy { Card($0) != nil } }
                && seats.allSatisfy { (1...7).contains($0.seat) && (1...TableRows.handsPerSeat).contains($0.hands.count) }
                && seats.flatMap(\.hands).allSatisfy { $0.moves.count <= 64 }
        }
    }

    private var text = RecordedLine.header + "\n"
    private var (line, revision, card, time) = (0, 0, 0, 0 as Int64)
    private var table: String?
    private var shown = TableSnapshot()
    /// Of the next change.
    private var (entries, facts) = ([TableEntry](), [PublicFact]())
    private var verdicts: [String: ShoeVerdict?] = [:]
    private let proofs: ProofFolder

    /// - Parameter folder: of the file: proofs may lie beside it.
    private init(folder: String) { proofs = ProofFolder(path: folder) }

    /// Whether a file has such rounds, or is meant to have them.
    public static func isHistory(_ bytes: [UInt8]) -> Bool { bytes.first == UInt8(ascii: "{") }

    /// - Parameter folder: of the file, where proofs of its shoes may lie.
    public static func recording(of bytes: [UInt8], in folder: String) throws(Recording.Unreadable) -> Recording {
        var dealt = DealtRounds(folder: folder)
        for line in bytes.split(separator: 0x0A, maxSplits: 1 << 18, omittingEmptySubsequences: false) {
            dealt.line += 1
            guard line.endIndex < bytes.endIndex else {
                guard line.isEmpty else { throw dealt.unreadable("cut: the line has no end") }
                return try Recording(Array(dealt.text.utf8))
            }
            guard line.count <= WireLimits.eventBytes, let round = try? JSONDecoder().decode(Round.self, from: Data(line)) else {
                break
            }
            try dealt.deal(round)
            guard dealt.text.utf8.count <= Recording.byteLimit else {
                throw dealt.unreadable("too long: choose fewer rounds with 'bjserver history --last'")
            }
        }
        throw dealt.unreadable("not a round of 'bjserver history --json'")
    }

    private func unreadable(_ reason: String) -> Recording.Unreadable { .init(line: line, reason: reason) }

    // MARK: Lines

    private mutating func add(_ message: ServerMessage, after pause: Int64) throws(Recording.Unreadable) {
        let bytes = Array(message.encoded().dropLast())
        do throws(ProtocolError) {
            // A message that no server sends comes from a round that was never played.
            _ = try bytes.withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
        } catch { throw unreadable(error.message) }
        time += pause
        text += RecordedLine.text(bytes, at: time)
    }

    private mutating func change(
        clears: Bool = false, without gone: [TableItem] = [], after pause: Int64 = 800
    ) throws(Recording.Unreadable) {
        guard clears || !entries.isEmpty || !facts.isEmpty else { return }
        let difference = TableDifference(clears: clears, entries: entries, removals: gone)
        guard let next = try? shown.applying(difference) else { throw unreadable("its parts contradict each other") }
        let news = TableNews.facts(facts)
        try add(.diff(from: revision, to: revision + 1, check: next.check, difference, news: news), after: pause)
        (shown, revision, entries, facts) = (next, revision + 1, [], [])
    }

    private mutating func lay(_ text: String, _ section: TableSection) {
        card += 1
        entries.append(.card(card, section, Card(text)))
        facts.append(.card(card, Card(text) == nil ? .dealtFaceDown : .dealt))
    }

    // MARK: A round

    /// The verdict on a shoe whose proof is here, and on the cards of a round; nil without a proof.
    private mutating func verdict(on round: Round) -> String? {
        let key = "\(round.shoe) \(round.table)"
        var verdict = verdicts[key] ?? proofs.verdict(on: round.table, shoe: round.shoe)
        let cards = round.seats.flatMap(\.hands).flatMap(\.cards) + round.dealer
        defer { verdicts[key] = .some(verdict) }
        return verdict?.words(on: cards.map { Card($0)?.code })
    }

    private mutating func deal(_ round: Round) throws(Recording.Unreadable) {
        guard round.isBounded else { throw unreadable("a seat, a hand, a card or an amount is out of bounds") }
        let end = round.ended == nil ? ", in play" : round.voided == true ? ", voided" : ""
        let title = "Round \(round.round) at \(round.table), \(UniversalTime.minutes(round.started)) UTC\(end)"
        text += RecordedLine.comment([title, verdict(on: round)].compactMap(\.self).joined(separator: "; "))
        if table != round.table {
            (table, shown) = (round.table, TableSnapshot([.round(0), .phase(.waiting)]))
            try add(.snapshot(table: round.table, epoch: "history", revision: revision, shown), after: 0)
        }
        entries = [.round(round.round), .phase(.playing)]
        facts = [.table(.round)]
        card = 0
        var seconds: [Int: Int] = [:]
        for seat in round.seats {
            entries += [.player(seat.seat, Player(name: seat.name, chips: 0)), .bet(.init(seat: seat.seat, number: 1), seat.bet)]
        }
        for place in 0..<2 {
            for seat in round.seats where seat.pair.count > place {
                lay(seat.pair[place], .hand(.init(seat: seat.seat, number: 1)))
                seconds[seat.seat] = card
            }
            if place == 0, let upCard = round.dealer.first { lay(upCard, .dealer) }
        }
        for seat in round.seats {
            entries.append(seat.total(seat.pair, of: .init(seat: seat.seat, number: 1), mayBeBlackjack: true))
        }
        let gone = shown.seats.filter { number in shown.player(number) != nil && !round.seats.contains { $0.seat == number } }
        try change(clears: true, without: gone.map(TableItem.player), after: 3000)
        for seat in round.seats { try play(seat, second: seconds[seat.seat] ?? 0) }
        try settle(round)
    }

    /// The moves of a seat. Hands of a split begin together, with the cards that they had at last.
    private mutating func play(_ seat: Round.Seat, second: Int) throws(Recording.Unreadable) {
        let ids = seat.hands.indices.map { HandIdentifier(seat: seat.seat, number: $0 + 1) }
        let isSplit = ids.count > 1
        if let insurance = seat.insurance {
            entries.append(.insurance(seat.seat, insurance.stake))
            facts.append(.hand(ids[0], .insured))
        }
        var laid = isSplit ? seat.hands.map { Array($0.cards.prefix(1)) } : [seat.pair]
        for index in ids.indices.dropFirst() {
            facts.append(.hand(ids[0], .split))
            if index == 1 {
                entries.append(.card(second, .hand(ids[1]), Card(seat.pair.last ?? "")))
            } else if let first = laid[index].first {
                lay(first, .hand(ids[index]))
            }
            entries += [.bet(ids[index], seat.bet)] + [0, index].map { seat.total(laid[$0], of: ids[$0]) }
            try change()
        }
        try change()
        for (index, hand) in seat.hands.enumerated() {
            let moves = hand.moves.map(\.action).filter { $0 != "split" }
            let draws = moves.count { $0 == "hit" || $0 == "double" }
            // Cards of no move come first: the second one of a split hand, and those of before the journal.
            let others = max(0, hand.cards.count - laid[index].count - draws)
            for move in Array(repeating: "", count: others) + moves {
                if let word = Self.words[move] { facts.append(.hand(ids[index], word)) }
                if move == "double" { entries.append(.bet(ids[index], hand.stake)) }
                if ["", "hit", "double"].contains(move), laid[index].count < hand.cards.count {
                    lay(hand.cards[laid[index].count], .hand(ids[index]))
                    laid[index] = Array(hand.cards.prefix(laid[index].count + 1))
                    entries.append(seat.total(laid[index], of: ids[index], mayBeBlackjack: !isSplit))
                }
                try change()
            }
        }
    }

    private static let words: [String: PublicFact.OfHand] = [
        "hit": .hit, "double": .doubled, "stand": .stood, "surrender": .surrendered,
    ]

    private mutating func settle(_ round: Round) throws(Recording.Unreadable) {
        guard round.ended != nil else { return }
        for text in round.dealer.dropFirst() { lay(text, .dealer) }
        entries += [.phase(.settled), .dealerTotal(Total(HandValue(round.dealer.compactMap { Card($0) }), mayBeBlackjack: true))]
        for seat in round.seats {
            if let insurance = seat.insurance, let paid = insurance.paid {
                entries.append(.insuranceResult(seat.seat, paid - insurance.stake))
                facts.append(.hand(.init(seat: seat.seat, number: 1), paid > insurance.stake ? .insuranceWon : .insuranceLost))
            }
            for (index, hand) in seat.hands.enumerated() where round.voided != true {
                guard let net = hand.net, let outcome = Outcome.allCases.first(where: { $0.name == hand.outcome }) else {
                    continue
                }
                let id = HandIdentifier(seat: seat.seat, number: index + 1)
                entries.append(.result(id, HandResult(outcome: outcome, net: net)))
                facts.append(.hand(id, .settled))
            }
        }
        facts.append(.table(.ended))
        try change()
    }
}

import Fairness
import Rules
import TableModel

/// The places of cards: none is skipped, and none comes twice.
extension ShoeWatch {
    mutating func takeRound(_ step: Step, isRestart: Bool) {
        guard let known = shoe, let round = step.new.round?.number, round != known.round else { return }
        if !isRestart, isShuffleDue(known) { accuseShoe(.shuffledLate) }
        guard var shoe else { return }
        let isNext = round == shoe.round + 1
        if shoe.round >= 0 { shoe.roundStart = isNext && (step.isSingle || shoe.isRoundOver) ? shoe.drawn : nil }
        (shoe.round, shoe.isRoundOver) = (round, false)
        self.shoe = shoe
    }

    /// Whether the next round of a shoe cannot begin without a shuffle: the table showed the order that comes, and nothing waits for it.
    private func isShuffleDue(_ shoe: ShoeInPlay) -> Bool {
        guard let next = ceremony?.next, next.shoe > shoe.number, case .mixed = next.stage, shoe.round >= 0, !shoe.isProved else {
            return false
        }
        return !shoe.rules.continuousShuffle && shoe.drawn >= shoe.rules.cardsBeforeCut
    }

    /// Notes where the round began, from a whole view of it: its cards lie behind one another.
    mutating func takeStart(_ step: Step) {
        guard !step.isSingle, shoe?.roundStart == nil, let first = step.new.firstPlace else { return }
        switch step.new.phase {
        case .surrender, .insurance, .playing, .settled: shoe?.roundStart = first
        case .waiting, .betting, .closed, nil: break
        }
    }

    /// Notes each face at its place, and that no place was skipped. After a shuffle each card on the table is noted: the difference
    /// omits a card with the place and the face of the one that it replaces.
    mutating func takeCards(_ step: Step, all: Bool) {
        // Nothing is noted of a shoe that has failed: its memory is bounded, whatever the server shows.
        guard let shoe, shoe.fault == nil else { return }
        let number = shoe.number
        let cards = step.cards(all: all)
        var fresh: [Int] = []
        for (place, face) in cards {
            guard (0..<min(shoe.size, WatchedShoe.mostCards)).contains(place) else {
                return accuseShoe(.gap(shoe: number, place: shoe.drawn, seen: place))
            }
            if self.shoe?.dealt.insert(place).inserted == true { fresh.append(place) }
            if let face, let before = self.shoe?.watched.note(face.code, at: place, ofShoe: number) {
                accuseShoe(.face(shoe: number, place: place, before: before, seen: face.code))
            }
        }
        guard let left = step.new.cardsLeft else { return }
        let drawn = shoe.size - left
        self.shoe?.drawn = drawn
        self.shoe?.isRoundOver = step.new.isRoundOver
        if let proof = shoe.proof, !cards.isEmpty { check(proof) }
        guard step.isSingle else { return checkWhole(cards.map(\.place).sorted(), before: shoe, drawn: drawn, step.new) }
        if shoe.isProved, !fresh.isEmpty { return accuseShoe(.dealtAfterReveal) }
        fresh.sort()
        for (index, place) in fresh.enumerated() where place != shoe.drawn + index {
            return accuseShoe(.gap(shoe: number, place: shoe.drawn + index, seen: place))
        }
        if drawn != shoe.drawn + fresh.count {
            accuseShoe(.gap(shoe: number, place: shoe.drawn + fresh.count, seen: nil))
        }
    }

    /// Checks the places of a whole view: a round takes the cards of its shoe one after the other, up to the last one drawn.
    /// - Parameters:
    ///   - places: ascending.
    ///   - before: the shoe in play before this view, with the round of this view.
    private mutating func checkWhole(_ places: [Int], before: ShoeInPlay, drawn: Int, _ table: TableSnapshot) {
        let number = before.number
        func skipped(from place: Int, to seen: Int?) -> ShoeFault { .gap(shoe: number, place: place, seen: seen) }
        // A slow viewer gets the proof before the end of its round.
        let isLate = before.provedInRound == before.round && table.isRoundOver
        if before.isProved, drawn > before.drawn, !isLate { return accuseShoe(.dealtAfterReveal) }
        if drawn < before.drawn { return accuseShoe(skipped(from: before.drawn, to: drawn)) }
        if before.isRoundOver, drawn > before.drawn { return accuseShoe(skipped(from: before.drawn, to: nil)) }
        guard let first = places.first, let last = places.last else { return }
        guard last < drawn else { return accuseShoe(skipped(from: drawn, to: last)) }
        if let start = before.roundStart, first < start { return accuseShoe(skipped(from: start, to: first)) }
        // A bet for the next round takes the place of a hand.
        if table.hasBetsWithoutCards { return }
        if let start = before.roundStart, first > start { return accuseShoe(skipped(from: start, to: first)) }
        for (index, place) in places.enumerated() where place != first + index {
            return accuseShoe(skipped(from: first + index, to: place))
        }
        guard last == drawn - 1 else { return accuseShoe(skipped(from: last + 1, to: nil)) }
        shoe?.roundStart = first
    }
}

extension TableSnapshot {
    /// Whether no card is dealt before the next round starts.
    fileprivate var isRoundOver: Bool {
        switch phase {
        case .waiting, .betting, .settled, .closed: true
        default: false
        }
    }

    fileprivate var hasBetsWithoutCards: Bool {
        guard phase == .waiting || phase == .betting else { return false }
        return structure.sectionIdentifiers.contains { section in
            guard case .hand = section else { return false }
            return !entries(in: section).contains { if case .card = $0 { true } else { false } }
        }
    }
}

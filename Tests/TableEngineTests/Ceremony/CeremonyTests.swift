import Fairness
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// The course of a ceremony, step by step.
final class CeremonyTests {
    private var game = CeremonyGame()

    @Test func theServersCommitment_isShown_asSoonAsThereIsATable_andIsThatOfTheSecret() throws {
        guard case .ceremonyOpened(1, let secret)? = game.facts.last else { return #expect(Bool(false)) }
        let rules = game.table.rules.digest
        let next = try #require(game.table.nextShoe)
        #expect(next == NextShoe(shoe: 1, commitment: secret.serverCommitment(table: "main", shoe: 1, rules: rules)))
        #expect(game.table.fairShoe == nil && !game.table.needsSecret && !game.table.needsShoeSource)
    }

    @Test func withoutContributors_theFirstSitMakesTheShoe_andABetIsDealtAtOnce() throws {
        try game.sit(1, contributes: false)
        guard case .mixed(_, let mixed, let order) = game.next else { return #expect(Bool(false)) }
        #expect(mixed.flags.isEmpty && game.table.deadline == nil)
        try game.bet(1)
        #expect(game.table.round == 1 && game.table.fairShoe?.order == order && game.table.fairShoe?.shoe == 1)
        #expect(game.table.nextShoe?.shoe == 2 && game.next == .open)
    }

    @Test func contributions_makeTheKey_andBettingWaitsForThemWithADeadline() throws {
        for number in 1...2 { try game.sit(number) }
        #expect(game.table.nextShoe?.until == 1000)
        try game.bet(1)
        try game.bet(2)
        #expect(game.table.round == 0 && game.table.deadline == Timestamp(milliseconds: 20_000))
        try game.commit(2)
        try game.commit(1)
        guard case .revealing(let list) = game.next else { return #expect(Bool(false)) }
        #expect(list.map(\.name) == ["p1", "p2"], "in the order of seats")
        try game.reveal(2)
        try game.reveal(1)
        #expect(game.table.round == 1, "everybody has bet and the key is there")
        #expect(game.table.fairShoe?.mixed.text == "11")
    }

    @Test func theProof_isThere_onceTheShoeIsOver_andGivesItsOrder() throws {
        try game.sit(1)
        try game.contribute(1)
        try game.bet(1)
        try game.finishRound()
        let fair = try #require(game.table.fairShoe)
        try game.playToTheCut([1])
        #expect(game.table.proven(shoe: 1)?.proof == nil && game.table.proven(shoe: nil)?.proof == nil, "no key yet")
        try game.contribute(1)
        let order = game.table.state.core.shoe.order
        try game.bet(1)
        let proof = try #require(game.table.proven(shoe: 1)?.proof)
        #expect(game.table.fairShoe?.shoe == 2 && proof == game.table.proven(shoe: nil)?.proof)
        #expect(proof.list == fair.list && proof.commitment == fair.commitment)
        #expect(proof.secret.serverCommitment(table: "main", shoe: 1, rules: game.table.rules.digest) == proof.commitment)
        var cards = (0..<6).flatMap { _ in Card.deck }
        var stream = ShoeStream(proof.key)
        stream.shuffle(&cards)
        #expect(cards == order)
        #expect(proof.key.orderDigest(segment: 0, first: 0, codes: cards.map(\.code)) == fair.order)
    }

    /// A round can take more than the discards: the second segment of it has none.
    @Test func aShoeThatRunsOutTwiceInARound_isProved() throws {
        let rules = try HouseRules([("decks", .integer(1))])
        guard case .ceremonyOpened(_, let secret)? = game.facts.last else { return #expect(Bool(false)) }
        let server = secret.serverCommitment(table: "main", shoe: 1, rules: rules.digest)
        var proof = ShoeProof(table: "main", shoe: 1, commitment: server, secret: secret, contributions: [])
        let form = ShoeRules(decks: 1, digest: rules.digest)
        var seen = WatchedShoe(table: "main", shoe: 1, rules: form, commitment: server)
        var shoe = Shoe(rules)
        shoe.shuffle(.keyed(proof.key), number: 1)
        for draws in [7, 0, 9] {
            for _ in 0..<draws { shoe.draw() }
            if draws > 0 { shoe.startRound() }
            while !shoe.isExhausted { shoe.draw() }
            let discards = shoe.reshuffleDiscards
            proof.segments.append(.init(number: shoe.segment + 1, first: shoe.order.count, discards: discards))
            shoe.reshuffle()
        }
        for (place, card) in shoe.order.enumerated() { seen.note(card.code, at: place, ofShoe: 1) }
        #expect(shoe.order.count == 52 + 7 + 52 + 61 && proof.segments.map(\.discards.isEmpty) == [false, true, false])
        #expect(throws: Never.self) { try proof.check(against: seen, form) }
    }

    @Test func theSecret_isRevealedAtTheSettlement_whenTheNextKeyIsThere() throws {
        var isRevealed = false
        // By some seeds the key comes within the round.
        for seed in UInt64(1)...20 where !isRevealed {
            game = CeremonyGame(seed: seed)
            try game.sit(1, contributes: false)
            try game.playToTheCut([1])
            if case .secretRevealed(1)? = game.facts.last(where: { $0.isOfCeremony }) { isRevealed = true }
        }
        try #require(isRevealed)
        #expect(game.table.proven(shoe: 1)?.proof != nil && game.table.fairShoe?.shoe == 1)
        try game.bet(1)
        #expect(game.table.fairShoe?.shoe == 2)
    }

    @Test func whoWithholds_delaysNoRound_isNamed_andOnNoLaterListForTheShoe() throws {
        var game = CeremonyGame(pace: Pace(settledMilliseconds: 0, bankMilliseconds: 0))
        for number in 1...2 { try game.sit(number) }
        try game.contribute(1, 2)
        try game.playToTheCut([1, 2])
        let commitment = try #require(game.table.nextShoe?.commitment)
        for number in 1...2 { try game.commit(number) }
        try game.reveal(1)
        let round = game.table.round
        for number in 1...2 { try game.bet(number) }
        #expect(game.table.round == round + 1 && game.table.fairShoe?.shoe == 1, "the old shoe plays on")
        try game.finishRound()
        try game.wait(1999)
        #expect(game.table.nextShoe?.commitment == commitment)
        try game.wait(1)
        #expect(game.table.nextShoe?.withheld == ["p2"] && game.table.nextShoe?.commitment != commitment)
        #expect(throws: Rejection.hasWithheld) { try game.commit(2) }
        #expect(try Table(game.table.saved) == game.table)
        try game.commit(1)
        guard case .revealing(let list) = game.next else { return #expect(Bool(false), "the withholder is not waited for") }
        #expect(list.map(\.name) == ["p1"])
        try game.reveal(1)
        for number in 1...2 { try game.bet(number) }
        #expect(game.table.fairShoe?.shoe == 2 && game.table.fairShoe?.mixed.text == "1")
        #expect(game.table.nextShoe?.withheld == [] && game.table.nextShoe?.attempt == 1)
        try game.commit(2)
    }

    @Test func anAttemptThatNobodyIsWaitedFor_isShown_withWhoWithheld_beforeItsShoeIsDealt() throws {
        var game = CeremonyGame(pace: Pace(settledMilliseconds: 0, bankMilliseconds: 0))
        try game.sit(1)
        try game.commit(1)
        try game.bet(1)
        try game.wait(1000)
        let next = try #require(game.table.nextShoe)
        #expect(next.attempt == 2 && next.withheld == ["p1"] && next.stage == .open && game.table.fairShoe == nil)
        try game.wait(1)
        #expect(game.table.fairShoe?.commitment == next.commitment && game.table.fairShoe?.mixed.text == "")
    }

    @Test func whoGetsUpBeforeTheReveal_makesTheAttemptVoid_withoutBlame() throws {
        for number in 1...2 { try game.sit(number) }
        for number in 1...2 { try game.commit(number) }
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.table.nextShoe?.attempt == 2 && game.table.nextShoe?.withheld == [])
        try game.contribute(2)
        guard case .mixed = game.next else { return #expect(Bool(false)) }
    }

    @Test func aLeaveThatIsTakenBack_endsThePartInThisShoe() throws {
        var game = CeremonyGame(try HouseRules([("decks", .integer(1)), ("penetration", .number(0.3))]))
        for number in 1...2 { try game.sit(number) }
        try game.contribute(1, 2)
        while true {
            for number in 1...2 { try game.bet(number) }
            if game.table.state.core.shoe.cutReached, !game.table.legalActions(seat: 1).isEmpty { break }
            try game.finishRound()
            if case .open = game.next, game.table.nextShoe?.until != nil { try game.contribute(1, 2) }
        }
        for number in 1...2 { try game.commit(number) }
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.table.nextShoe?.attempt == 2 && game.table.nextShoe?.withheld == [])
        try game.perform(.sit(player: PlayerID(1), profile: PlayerProfile(name: "p1", contributes: true), seat: nil, chips: 0))
        #expect(throws: Rejection.self) { try game.commit(1) }
        try game.contribute(2)
        guard case .mixed = game.next else { return #expect(Bool(false)) }
    }

    @Test func whoDoesNotCommitInTime_isNotOnTheList_andNobodyWaitsLonger() throws {
        for number in 1...2 { try game.sit(number) }
        try game.commit(1)
        try game.wait(999)
        #expect(game.next == .open)
        try game.wait(1)
        guard case .revealing(let list) = game.next else { return #expect(Bool(false)) }
        #expect(list.map(\.name) == ["p1"])
        #expect(throws: Rejection.noCeremony) { try game.commit(2) }
        try game.reveal(1)
        guard case .mixed = game.next else { return #expect(Bool(false)) }
    }

    @Test func aList_isNotDueAnyLonger_whenEverybodyHasGotUp() throws {
        try game.sit(1)
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.next == .open && game.table.nextShoe?.until == nil && game.table.nextEvent == nil)
    }

    @Test func aNewcomer_whoMustWaitForTheShuffle_getsItWithinTheCeremonysTime() throws {
        var game = CeremonyGame(try HouseRules([("midShoeEntry", .flag(false))]))
        try game.sit(1)
        try game.contribute(1)
        try game.bet(1)
        try game.finishRound()
        try game.perform(.leave(player: PlayerID(1)))
        try game.sit(2)
        #expect(game.next == .open && game.table.nextShoe?.until == nil, "no bet: no shuffle is due")
        try game.bet(2)
        #expect(game.table.round == 1 && game.table.deadline != nil)
        try game.contribute(2)
        #expect(game.table.round == 2 && game.table.fairShoe?.shoe == 2)
    }

    @Test func withContinuousShuffling_aCeremonyMakes32Shoes_eachWithItsOwnKey() throws {
        var game = CeremonyGame(try HouseRules([("continuousShuffle", .flag(true))]))
        try game.sit(1)
        try game.contribute(1)
        var orders: Set<Digest> = []
        for round in 1...33 {
            if round == 33 {
                #expect(game.table.nextShoe?.until != nil, "the list is due in the 32nd round")
                try game.contribute(1)
            }
            try game.bet(1)
            let fair = try #require(game.table.fairShoe)
            #expect(fair.shoe == (round <= 32 ? 1 : 33) && game.table.state.core.shoe.number == round)
            orders.insert(fair.order)
            try game.finishRound()
            if round < 32 { #expect(game.table.nextShoe?.until == nil && game.table.proven(shoe: 1)?.proof == nil) }
        }
        #expect(orders.count == 33)
        let proof = try #require(game.table.proven(shoe: 1)?.proof)
        let sources = game.facts.compactMap { if case .shuffled(_, let source) = $0 { source } else { nil } }
        #expect(sources.prefix(32).enumerated().allSatisfy { $0.element == .keyed(proof.key.round($0.offset)) })
    }

    @Test func aClosingTable_revealsTheSecret_whenItsLastRoundIsSettled() throws {
        // Until a hand is asked: a blackjack settles the round at once.
        for seed in 0..<UInt64(100) where game.table.legalActions(seat: 1).isEmpty {
            game = CeremonyGame(pace: Pace(settledMilliseconds: 1000), seed: Seed.value &+ seed)
            try game.sit(1, contributes: false)
            try game.bet(1)
        }
        try game.perform(.close())
        try game.finishRound()
        #expect(game.table.phase != .closed && game.table.proven(shoe: nil)?.proof.shoe == 1)
        try game.wait(1000)
        #expect(game.table.phase == .closed && game.table.proven(shoe: nil)?.proof.shoe == 1)
    }

    @Test func aMidRoundReshuffle_isShown_withItsOwnDigest_andIsInTheProof() throws {
        var game = CeremonyGame(try HouseRules([("decks", .integer(1)), ("penetration", .number(0.95))]))
        for number in 1...7 { try game.sit(number, contributes: false) }
        var segment: FairShoe.Segment?
        for _ in 0..<40 where segment == nil {
            for number in 1...7 { try game.bet(number) }
            for _ in 0..<300 where segment == nil {
                guard let seat = (1...7).first(where: { !game.table.legalActions(seat: $0).isEmpty }),
                    let player = game.table.player(seat: seat)
                else { break }
                let action: Action = game.table.decision == nil ? .decline : .hit
                try game.perform(.act(player: player, action: action, seat: seat, hand: nil, amount: nil))
                segment = game.table.fairShoe?.segment
            }
            if segment == nil { try game.finishRound() }
        }
        let shown = try #require(segment)
        let shoe = game.table.state.core.shoe
        guard case .keyed(let key)? = shoe.source else { return #expect(Bool(false)) }
        let codes = shoe.order[shown.first...].map(\.code)
        #expect(shown.number == 1 && shown.count == codes.count)
        #expect(
            game.table.fairShoe?.order == key.segment(1).orderDigest(segment: 1, first: shown.first, codes: codes))
        let number = try #require(game.table.fairShoe?.shoe)
        try game.finishRound()
        for number in 1...7 { try game.bet(number) }
        let proof = try #require(game.table.proven(shoe: number)?.proof)
        #expect(proof.segments.first?.number == 1 && proof.segments.first?.first == shown.first)
    }
}

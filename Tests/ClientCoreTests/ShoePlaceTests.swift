import ClientCore
import Fairness
import Testing

/// Places of cards in whole views: within a round none can be skipped, whatever was missed before it.
struct ShoePlaceTests {
    /// One round of three cards, from place 1 on: the next card is at place 4.
    private func played() throws -> ShoeHouse {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        return house
    }

    @Test(arguments: [
        ([0, 1, 4], 5, ShoeFault.gap(shoe: 1, place: 6, seen: 8)), ([0, 1, 2], 5, .gap(shoe: 1, place: 7, seen: nil)),
        ([1, 2, 3], 4, .gap(shoe: 1, place: 4, seen: 5)), ([0, 1, 3], 3, .gap(shoe: 1, place: 7, seen: 7)),
    ])
    func aPlaceSkippedInAWholeView_isCaught(places: [Int], drawn: Int, fault: ShoeFault) throws {
        var house = try played()
        house.showRound(at: places, drawn: drawn)
        #expect(house.failures == [fault])
    }

    @Test func aRoundAfterMissedOnes_beginsAnywhere_butSkipsNothing() throws {
        for (places, isHonest) in [([7, 8, 9], true), ([7, 9], false)] {
            var house = try played()
            house.showRound(at: places, drawn: 10, missesRounds: true)
            #expect(house.failures.isEmpty == isHonest)
        }
    }

    @Test func theFirstRoundOfAShoe_beginsBehindTheBurnedCards_alsoUnseen() throws {
        for isHonest in [true, false] {
            var house = try ShoeHouse()
            house.ceremony()
            house.isShown = false
            house.shuffle()
            if !isHonest { house.cards.removeFirst() }
            house.isShown = true
            #expect(house.failures == (isHonest ? [] : [.gap(shoe: 1, place: 1, seen: 2)]))
        }
    }

    /// Found by `bjbots simulate-system` (world 31000025).
    @Test func theNextRoundAfterALongAbsence_isNotTheFirstOfItsShoe() throws {
        var house = try played()
        house.stayAwayUntilTheProofIsGivenUp()
        house.showRound(at: [0, 1, 2], drawn: 3)
        #expect(house.failures == [])
    }

    @Test func cardsThatComeBackIntoTheShoe_orAreTakenAfterTheRound_areCaught() throws {
        var house = try played()
        house.drawn -= 1
        house.publish(every: false)
        #expect(house.failures == [.gap(shoe: 1, place: 4, seen: 3)])
        house = try played()
        house.drawn += 1
        house.publish(every: false)
        #expect(house.failures == [.gap(shoe: 1, place: 4, seen: nil)])
    }

    @Test func aBetForTheNextRound_takesThePlaceOfAHand() throws {
        for hasNewBet in [true, false] {
            var house = try played()
            house.hasNewBet = hasNewBet
            house.showRound(at: [0, 2], drawn: 3, phase: .betting)
            #expect(house.failures.isEmpty == hasNewBet)
        }
    }
}

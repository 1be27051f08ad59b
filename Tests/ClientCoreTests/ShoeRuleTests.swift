import ClientCore
import Fairness
import Rules
import TableModel
import Testing

/// The instants at which the rules have a shoe shuffled, and the cards that come back.
struct ShoeRuleTests {
    // MARK: Late

    @Test(arguments: [true, false])
    func aRoundAfterTheCutCard_thoughTheNextOrderIsMade_isCaught(isSeen: Bool) throws {
        for isMade in [true, false] {
            var house = try ShoeHouse()
            house.ceremony()
            house.shuffle()
            house.settle()
            house.play(until: 27)
            if isMade { house.ceremony() }
            house.isShown = isSeen
            house.deal()
            house.isShown = true
            // A key that is made in the same revision as the round comes too late for it.
            if !isMade { house.ceremony() }
            #expect(house.failures == (isMade ? [.shuffledLate] : []))
        }
    }

    // MARK: Early

    /// Without entry in mid-shoe a shuffle before the cut card is for a newcomer.
    @Test(arguments: [true, false])
    func aShuffleForANewcomer_isExpected_andOneForNobodyIsCaught(isOfNewcomer: Bool) throws {
        var house = try ShoeHouse(rules: [("midShoeEntry", .flag(false))])
        house.ceremony()
        house.shuffle()
        house.settle()
        if isOfNewcomer {
            house.bob = "cid"
            house.publish()
        }
        house.bob = "bob"
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == (isOfNewcomer ? [] : [.shuffledEarly]))
    }

    @Test func aShuffleAfterMissedChanges_mayBeForANewcomer() throws {
        var house = try ShoeHouse(rules: [("midShoeEntry", .flag(false))])
        house.ceremony()
        house.shuffle()
        house.settle()
        house.publish(every: false)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [])
    }

    // MARK: Discards

    /// - Parameter first: whether the round was shown before its reshuffle.
    @Test(arguments: [true, false])
    func discardsThatAreChosen_areCaught_alsoInWholeViews(first: Bool) throws {
        for trick in [nil, ShoeHouse.Trick.wrongSegment] {
            var house = try ShoeHouse(trick)
            house.ceremony()
            house.isShown = false
            house.shuffle()
            house.settle()
            house.play(until: 46)
            house.deal(6)
            if first { house.isShown = true }
            house.isShown = false
            house.reshuffle()
            house.hit()
            house.isShown = true
            #expect(house.failures == (trick == nil ? [] : [.segment(shoe: 1, number: 1)]))
        }
    }

    @Test func theRoundAfterAReshuffle_saysNothingOfItsDiscards() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.isShown = false
        house.shuffle()
        house.settle()
        house.play(until: 46)
        house.deal(6)
        house.reshuffle()
        house.hit()
        house.settle()
        house.deal()
        house.isShown = true
        #expect(house.failures == [])
    }

    // MARK: Counted

    @Test(arguments: [true, false])
    func theOwnNameBehindAConfirmedReveal_isNoCause(isConfirmed: Bool) throws {
        var house = try ShoeHouse()
        if !isConfirmed { house.unanswered = ["reveal"] }
        house.close()
        house.loseConnection()
        house.void(withheld: [])
        house.void(withheld: ["ann"])
        house.isShown = true
        #expect(house.failures == [] && house.watch.rejectedOrders == (isConfirmed ? 1 : 0))
    }

    /// Milliseconds away, betting seconds, and the milliseconds of a shoe that was watched before.
    @Test(arguments: [(4_000, 2, nil, 0), (3_999, 2, nil, 1), (5_000, 20, 5_000, 0), (5_000, 20, nil, 1)])
    func aShortAbsence_hidesAShoe_whereShoesAreShort(away: Int64, betting: Int, watched: Int64?, count: Int) throws {
        var house = try ShoeHouse(rules: [("bettingSeconds", .integer(betting))])
        house.ceremony()
        if let watched {
            house.shuffle()
            house.settle()
            house.play(until: 27)
            house.now += watched
            house.ceremony()
            house.reveal()
            house.shuffle()
            house.settle()
            house.play(until: 27)
            house.ceremony()
            house.reveal()
        }
        house.loseConnection()
        house.now += away
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.commits["ann"] = nil
        house.ceremony()
        house.reveal()
        house.shuffle()
        house.isShown = true
        #expect(house.failures == [] && house.watch.rejectedOrders == count)
    }
}

import ClientCore
import Fairness
import Rules
import Testing
import Wire

/// Attempts of a server to choose among several shoes.
struct ShoeRegrindTests {
    @Test(arguments: [true, false])
    func aNumberThatIsNotTheNext_isCaught(isSeen: Bool) throws {
        var house = try ShoeHouse()
        house.close()
        if !isSeen { house.loseConnection() }
        house.open(2, attempt: 1)
        if !isSeen { house.isShown = true }
        #expect(house.failures == [.commitmentChanged])
    }

    // MARK: Changes that were missed

    @Test(arguments: [true, false])
    func ordersThatAreNeverPlayed_areSaid_andCounted(isCut: Bool) throws {
        var house = try ShoeHouse()
        for times in 1...3 {
            house.close()
            house.skip(shoes: 2, rounds: 2, isCut: isCut)
            #expect(house.watch.tally.unproven == times)
            #expect(house.findings.contains(.rejectedOften(times: 3)) == (times == 3))
        }
        #expect(house.failures == [])
    }

    /// Behind a connection that lasted, or was lost for too short a time, the server alone can have hidden a shoe.
    @Test(arguments: [(true, 20_000, 0), (true, 19_999, 1), (false, 20_000, 1)])
    func aShoeThatWasPlayedUnseen_isVerified_andCountedAsTheCaseMayBe(isCut: Bool, away: Int64, count: Int) throws {
        var house = try ShoeHouse()
        house.ceremony()
        if isCut { house.loseConnection() }
        house.isShown = false
        house.now += away
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.commits["ann"] = nil
        house.ceremony()
        house.reveal()
        house.shuffle()
        house.isShown = true
        let report = try #require(house.verified.first)
        #expect(house.failures == [] && report.isIncluded && report.seen == 0 && report.total == 52 && report.gaps == 1)
        #expect(house.watch.rejectedOrders == count)
    }

    @Test func aShoeThatWasMadeOfAnotherAttempt_isCounted() throws {
        var house = try ShoeHouse()
        house.close()
        var other = house
        other.skip(shoes: 1, rounds: 1)
        house.proofs[1] = other.proofs[1]
        house.skip(shoes: 2, rounds: 2, isCut: true)
        #expect(house.findings.contains(.voided(.unseen, shoe: 1)) && house.watch.rejectedOrders == 1)
    }

    @Test(arguments: [(2, 1, ShoeFault.shoesWithoutRounds), (-1, 0, .wentBack), (0, -1, .wentBack)])
    func countersThatNoTableHas_areCaught(shoes: Int, rounds: Int, fault: ShoeFault) throws {
        var house = try ShoeHouse()
        house.skip(shoes: 2, rounds: 4)
        house.close()
        house.revision += 8
        house.skip(shoes: shoes, rounds: rounds)
        #expect(house.failures.first == fault)
    }

    @Test func moreRoundsThanRevisions_orAnEarlierRevision_areCaught() throws {
        for (revisions, fault) in [(1, ShoeFault?.none), (0, .shoesWithoutRounds), (-4, .wentBack)] {
            var house = try ShoeHouse()
            house.skip(shoes: 1, rounds: 1)
            house.revision += 20
            house.publish(every: false)
            house.revision += revisions - 4
            house.skip(shoes: 2, rounds: 4)
            #expect(house.failures == [fault].compactMap(\.self))
        }
    }

    @Test func aShoeInPlayWithoutItsOrder_isCaught_ifItsCeremonyWasShown() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.isShown = false
        house.shuffle()
        house.fair = nil
        house.isShown = true
        #expect(house.failures.first == .unannounced)
    }

    @Test func anOrderThatWasMade_isNotGivenUp_alsoUnseen() throws {
        for isPlayed in [true, false] {
            var house = try ShoeHouse()
            house.ceremony()
            house.isShown = false
            if isPlayed { house.skip(shoes: 1, rounds: 1) } else { house.void(withheld: ["bob"]) }
            house.isShown = true
            #expect(house.failures == [.voidedWithoutCause])
        }
    }

    @Test func aNameThatIsOnNoList_isCaught_orCounted() throws {
        for voids in 1...2 {
            var house = try ShoeHouse()
            house.close()
            house.isShown = false
            for number in 1...voids { house.void(withheld: ["ghost\(number)"]) }
            house.isShown = true
            #expect(house.failures == (voids == 1 ? [.voidedWithoutCause] : []))
            #expect(house.watch.rejectedOrders == voids - 1)
        }
    }

    @Test func anEmptyListAfterAConfirmedCommitment_isCaught() throws {
        for isSeen in [true, false] {
            var house = try ShoeHouse()
            house.isShown = isSeen
            house.mixAlone()
            house.isShown = true
            #expect(house.failures == [.leftOut])
        }
    }

    // MARK: Other tables

    @Test func anotherTableBetween_leavesTheCeremonyAsItWas() throws {
        var house = try ShoeHouse()
        house.close()
        house.visitAnotherTable()
        #expect(house.failures == [])
        house.open(1, attempt: 1, publishes: false)
        house.visitAnotherTable()
        #expect(house.failures == [.commitmentChanged])
        house = try ShoeHouse()
        house.close()
        house.open(1, attempt: 2, publishes: false)
        house.visitAnotherTable()
        #expect(house.failures == [] && house.watch.rejectedOrders == 1)
    }

    @Test func aRevealThatIsLeftOutOfAnEarlyAttempt_isCaught_alsoWithoutItsStage() throws {
        var house = try ShoeHouse()
        house.isShown = false
        house.ceremony()
        house.shuffle()
        house.isShown = true
        #expect(house.failures == [.mixed])
    }

    @Test func aListThatWasClosedWhileChangesWereMissed_isSaid() throws {
        var house = try ShoeHouse()
        house.loseConnection()
        house.mixUnlisted()
        house.isShown = true
        #expect(house.failures == [] && house.findings == [.notIncluded(.missed, shoe: 1)])
    }

    @Test func anEarlierShoeOfTheSameNumber_isNoReveal() throws {
        var house = try ShoeHouse()
        house.close()
        house.loseEverything()
        house.answers = false
        house.close()
        house.void(withheld: ["ann"])
        #expect(house.failures == [])
    }

    /// Found by `bjbots simulate-system` (world 31000373).
    @Test(arguments: [true, false]) func theEndOfARound_mayBeShownAfterTheProof_butNoRoundAfterIt(isEnd: Bool) throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.deal()
        let proof = try #require(house.proof)
        let request = ClientMessage.proof(table: "main", shoe: proof.shoe)
        house.perform(house.watch.take(.success(.proof(proof)), to: request, at: house.now))
        house.isShown = false
        if isEnd {
            house.cards.append((house.drawn, Card(code: house.codes[house.drawn])))
            house.drawn += 1
        } else {
            house.deal()
        }
        house.settle()
        house.isShown = true
        #expect(house.failures == (isEnd ? [] : [.dealtAfterReveal]) && house.verified.count == 1)
    }

    @Test func aCardShownAfterTheProof_isComparedWithIt_alsoWhereChangesWereMissed() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.play(until: 27)
        house.reveal()
        house.ceremony()
        #expect(house.failures == [] && house.verified.count == 1)
        house.isShown = false
        house.dealOthers()
        house.isShown = true
        guard case .card(shoe: 1, _, _, _)? = house.failures.first else {
            Issue.record("found \(house.failures)")
            return
        }
    }
}

import ClientCore
import Fairness
import Testing

/// Doubts about a shoe are said, and are no alarm: another device of the same player, changes that were missed.
struct ShoeDoubtTests {
    @Test(arguments: [true, false])
    func anotherDeviceThatSatDownAgain_isNoFault_andSaid(commits: Bool) throws {
        var house = try ShoeHouse()
        house.useAnotherDevice(commits: commits)
        house.mix()
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [] && house.findings.first == .notIncluded(.missed, shoe: 1))
        #expect(house.verified.map(\.isIncluded) == [false])
    }

    @Test func anotherDeviceThatWithheld_isNoFault() throws {
        var house = try ShoeHouse()
        house.close()
        house.loseConnection()
        house.void(withheld: ["bob"])
        house.useAnotherDevice(commits: true)
        house.void(withheld: ["ann"])
        #expect(house.failures == [] && house.findings.last == .voided(.named(["ann"]), shoe: 1))
    }

    @Test func aCommitmentOfAnotherDevice_isSaid() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.refusesCommits = true
        house.shuffle()
        #expect(house.findings == [.notIncluded(.committedElsewhere, shoe: 2)])
        house.close()
        house.mix()
        #expect(house.failures == [])
    }

    /// Another device can have committed or got up: no change shows the former.
    @Test func afterALostConnection_aCommitmentIsSentAgain() throws {
        for missesChanges in [true, false] {
            var house = try ShoeHouse()
            house.reconnect(missesChanges: missesChanges)
            #expect(house.requests.count { $0.type == "commit" } == 2)
            house.playAShoe()
            #expect(house.failures == [] && house.verified.first?.isIncluded == true)
            house = try ShoeHouse(.omittedContributor)
            house.reconnect(missesChanges: missesChanges)
            house.close()
            #expect(house.failures == [.leftOut])
        }
    }

    /// The other device replaces the commitment: nothing that the table shows changes with it, so no change was missed either.
    @Test func anotherDeviceThatReplacedTheCommitment_isNoFault_alsoWithoutAChange() throws {
        var house = try ShoeHouse()
        house.watch.connectionLost()
        house.commits["ann"] = SHA256.hash([7])
        house.close()
        #expect(house.failures == [] && house.findings == [.notIncluded(.missed, shoe: 1)])
    }

    /// The server refuses a commitment to this shoe from then on.
    @Test func aNamedWithholder_commitsToNoFurtherAttemptForTheShoe() throws {
        var house = try ShoeHouse()
        (house.tellsSent, house.unanswered) = (true, ["reveal", "ping"])
        house.close()
        house.loseConnection()
        house.void(withheld: ["ann"])
        house.isShown = true
        #expect(house.requests.count { $0.type == "commit" } == 1)
        house.close()
        house.mix()
        house.shuffle()
        #expect(house.failures == [] && house.requests.count { $0.type == "commit" } == 2, "to the shoe after it")
    }

    @Test func aPlayerWhoWatchedAnotherTable_commitsAgain() throws {
        var house = try ShoeHouse()
        house.visitAnotherTable(sitsDown: true)
        #expect(house.requests.count { $0.type == "commit" } == 2)
        house.playAShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
    }

    // MARK: Changes that were missed

    @Test func attemptsGivenUpUnseen_areSaid_andNoFault() throws {
        var house = try ShoeHouse()
        house.isShown = false
        house.close()
        house.void(withheld: [])
        house.isShown = true
        #expect(house.findings == [.voided(.unseen, shoe: 1)])
        house.isShown = false
        house.close()
        house.void(withheld: [])
        house.ceremony()
        house.shuffle()
        house.isShown = true
        #expect(house.findings == [.voided(.unseen, shoe: 1), .voided(.unseen, shoe: 1)])
    }

    @Test func getUpBeforeTheReveal_isACause_andSaidWithTheNameAndTheCount() throws {
        var house = try ShoeHouse()
        for times in 1...2 {
            house.close()
            house.annSits = false
            house.void(withheld: [])
            #expect(house.failures == [])
            #expect(house.findings.last == .voided(.gotUp([.init(name: "ann", times: times)]), shoe: 1))
            house.sitAgain()
        }
    }

    @Test func aListClosedAndGivenUpInOneChange_isNoFault_ifSomebodyGotUpInIt() throws {
        var house = try ShoeHouse()
        house.annSits = false
        house.void(withheld: [])
        #expect(house.findings == [.voided(.gotUp([.init(name: "ann", times: 1)]), shoe: 1)])
    }

    @Test func missedChanges_areNoFault_andUnseenCardsAreCounted() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.isShown = false
        house.play(until: 13)
        house.isShown = true
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [] && house.verified.first?.seen == 21 && house.verified.first?.isIncluded == true)
        #expect(house.verified.first?.gaps == 1)
    }
}

import ClientCore
import Fairness
import TableModel
import Testing

/// The end of a shoe that no next one shows: a closed table, a player who leaves; and orders that are given up again and again.
struct ShoeEndTests {
    private func played(_ trick: ShoeHouse.Trick? = nil) throws -> ShoeHouse {
        var house = try ShoeHouse(trick)
        house.ceremony()
        house.shuffle()
        house.settle()
        return house
    }

    private func unproven(_ house: ShoeHouse) -> [UnprovenReason] {
        house.findings.compactMap { if case .unproven(_, let reason) = $0 { reason } else { nil } }
    }

    // MARK: Closed tables

    @Test func aTableThatClosesWithoutAProof_isSaidOnce() throws {
        var house = try played(.neverReveals)
        house.closeTable()
        house.publish(every: false)
        house.visitAnotherTable()
        #expect(unproven(house) == [.refused] && house.findings.count == 1)
        house = try played()
        house.unanswered = ["proof"]
        house.closeTable()
        for _ in 0..<5 { house.wait(10_000) }
        #expect(unproven(house) == [.unanswered])
    }

    @Test func aClosedTablesProof_isTakenOnce_alsoFromTheSettlementBefore() throws {
        var house = try played()
        house.reveal()
        house.closeTable()
        house.publish(every: false)
        house.visitAnotherTable()
        #expect(house.verified.count == 1 && house.findings.count == 1)
        house = try played()
        house.deal()
        house.closing = ClosingNotice(.table, reason: "")
        house.reveal()
        house.settle()
        #expect(house.verified.count == 1)
        house.closeTable()
        #expect(house.findings.count == 1)
    }

    /// The server of each restart has a new table of the name, and the proofs of the former one.
    @Test(arguments: [true, false]) func aServerThatIsStoppedInOrder_isNotSaidToLoseItsTable(proves: Bool) throws {
        var house = try played(proves ? nil : .neverReveals)
        for times in 1...4 {
            house.ceremony()
            house.unanswered = ["proof"]
            house.closeTable()
            house.stopInOrder()
            house.unanswered = []
            // The new table's first ceremony is under way when the answers come.
            house.close()
            house.wait(10_000)
            house.mix()
            house.shuffle()
            house.settle()
            #expect(house.verified.count == (proves ? 2 * times : 0))
            #expect(unproven(house) == (proves ? [] : Array(repeating: .refused, count: 2 * times)))
            #expect(house.findings.contains(.rejectedOften(times: times)) == (!proves && times >= 3))
        }
        #expect(house.failures == [] && house.watch.tally.standing == .included)
        #expect(house.findings.count == (proves ? 8 : 10))
    }

    // MARK: Leaving

    @Test func aShoeThatIsLeft_isVerifiedLater_orSaid() throws {
        var house = try played()
        house.leave()
        guard case .leftOpen(let report)? = house.findings.first, report.seen == 3, house.watch.tally.open == 1 else {
            Issue.record("found \(house.findings)")
            return
        }
        house.wait(10_000)
        house.reveal()
        house.wait(20_000)
        #expect(house.verified.count == 1 && house.watch.tally.open == 0)
        house = try played(.neverReveals)
        house.leave()
        for _ in 0..<12 { house.wait(1_300_000) }
        #expect(unproven(house) == [.left] && house.findings.count == 2)
        #expect(house.requests.count { $0.type == "proof" } == 8)
    }

    @Test func aPlayerWhoComesBack_verifiesTheWholeShoe() throws {
        var house = try played()
        house.visitAnotherTable()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [] && house.verified.map(\.seen) == [27] && house.verified.first?.gaps == 1)
    }

    @Test(arguments: [ShoeHouse.Trick.neverReveals, nil])
    func aShoeThatEndsWhileThePlayerIsAway_isJudgedOnTheReturn(trick: ShoeHouse.Trick?) throws {
        var house = try played(trick)
        house.isShown = false
        house.play(until: 27)
        house.honestCeremony(withholdersAllowed: true)
        house.reveal()
        house.shuffle()
        house.visitAnotherTable()
        house.isShown = true
        #expect(house.failures == [] && house.verified.count == (trick == nil ? 1 : 0))
        #expect(unproven(house) == (trick == nil ? [] : [.refused]))
    }

    // MARK: Again and again

    @Test func shoesLostAgainAndAgain_areSaidLoudly() throws {
        var house = try ShoeHouse()
        for times in 1...4 {
            house.close()
            house.loseEverything()
            #expect(house.watch.tally.unproven == times)
            #expect(house.findings.contains(.rejectedOften(times: times)) == (times >= 3))
        }
        #expect(house.failures == [])
    }

    @Test func attemptsGivenUpUnseen_areSaidLoudlyToo_ifThePlayerHadRevealed() throws {
        for reveals in [true, false] {
            var house = try ShoeHouse()
            for number in 1...3 {
                if reveals { house.close() }
                house.isShown = false
                if !reveals { house.close() }
                house.void(withheld: [])
                house.isShown = true
                #expect(house.findings.count { $0 == .voided(.unseen, shoe: 1) } == number)
            }
            #expect(house.findings.contains(.rejectedOften(times: 3)) == reveals && house.failures == [])
        }
    }

    // MARK: Contradictions

    @Test func theSameRevision_cannotDiffer() throws {
        var house = try ShoeHouse()
        house.repeatRevision()
        #expect(house.findings == [])
        house.commits["ann"] = nil
        house.next?.stage = .revealing([Contributor(name: "bob", commitment: SHA256.hash([]))])
        house.repeatRevision()
        #expect(house.failures == [.contradiction])
        for trick in 0..<4 {
            house = try played()
            house.repeatRevision()
            #expect(house.failures == [])
            switch trick {
            case 0: house.fair?.order = SHA256.hash([])
            case 1: house.drawn += 1
            case 2: house.fair = nil
            default: house.shoe += 1
            }
            house.repeatRevision()
            #expect(house.failures == [.contradiction])
        }
    }

    @Test func aShoeWhoseAnnouncementDisappears_isAFault_andOneThatNeverHadOneIsSaid() throws {
        for isMissed in [false, true] {
            var house = try played()
            house.fair = nil
            house.isShown = !isMissed
            house.hit()
            house.isShown = true
            #expect(house.failures == [.contradiction])
        }
        var house = try ShoeHouse()
        house.ceremony()
        house.isShown = false
        house.shuffle()
        (house.fair, house.isShown) = (nil, true)
        house.hit()
        #expect(house.findings.contains { if case .noCeremonies = $0 { true } else { false } })
    }
}

import ClientCore
import Fairness
import Testing
import Wire

/// A contribution that does not count: said with its cause, and a fault where it follows that the server had it.
struct ShoeExclusionTests {
    // MARK: The seat

    @Test func aSeatThatTheServerDoesNotKnow_isSaid_andMakesNoCommitmentVoid() throws {
        var house = try ShoeHouse()
        house.loseSeatOnReconnect(forgets: true)
        #expect(house.findings == [.seatLost(table: "main")])
        house.close()
        #expect(house.findings == [.seatLost(table: "main"), .notIncluded(.seatLost, shoe: 1)])
        // An honest server takes the commitment again.
        house = try ShoeHouse()
        house.loseSeatOnReconnect(forgets: true)
        house.publish()
        house.playAShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
        house = try ShoeHouse(.omittedContributor)
        house.loseSeatOnReconnect(forgets: false)
        house.publish()
        house.close()
        #expect(house.failures == [.leftOut])
    }

    @Test func aLoginThatKeepsTheSeat_orFollowsAnOwnLeave_saysNothing() throws {
        var house = try ShoeHouse()
        house.perform(house.watch.loggedIn(LoginReply(name: "ann", chips: 1, table: "main", seats: [1]), isMoving: false, at: 0))
        house.leave()
        house.perform(house.watch.loggedIn(LoginReply(name: "ann", chips: 1), isMoving: false, at: 0))
        house.commits["ann"] = nil
        house.close()
        #expect(house.findings == [])
    }

    @Test func aLeaveWhoseAnswerWasLost_isNoLostSeat() throws {
        var house = try ShoeHouse()
        house.loseSeatOnReconnect(forgets: true, isMoving: true)
        #expect(house.findings == [])
    }

    @Test func aSeatTakenWhileTheListCloses_isSaid() throws {
        var house = try ShoeHouse()
        house.takeSeatWhileClosing()
        #expect(house.findings == [.notIncluded(.seatLost, shoe: 1)])
    }

    // MARK: The commitment

    @Test func aCommitmentRefusedWithoutReason_isSaid_andCounted() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.commitCode = "odd"
        house.shuffle()
        #expect(house.findings == [.notIncluded(.refused(code: "odd"), shoe: 2)])
        house.settle()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.watch.tally.verified == 2 && house.watch.tally.withoutPlayer == 1 && house.failures == [])
    }

    @Test func aCommitmentThatCameTooLate_isSaidOnceTheListIsClosed() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.commitCode = "no_ceremony"
        house.shuffle()
        #expect(house.findings == [])
        house.close()
        house.publish()
        #expect(house.findings == [.notIncluded(.tooLate, shoe: 2)])
    }

    @Test func anUnansweredCommitment_isSaid_onceItsTimeIsOver() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.unanswered = ["commit"]
        house.shuffle()
        house.wait(9_999)
        #expect(house.findings == [])
        house.wait(1)
        house.wait(20_000)
        #expect(house.findings == [.notIncluded(.unanswered, shoe: 2)])
        house = try ShoeHouse()
        house.ceremony()
        house.unanswered = ["commit"]
        house.shuffle()
        house.ceremony()
        // The answer may be on its way.
        #expect(house.findings == [])
        house.wait(10_000)
        #expect(house.findings == [.notIncluded(.unanswered, shoe: 2)])
        // Without a connection nobody answers.
        house = try ShoeHouse()
        house.ceremony()
        house.unanswered = ["commit"]
        house.shuffle()
        house.loseConnection()
        house.wait(20_000)
        house.isShown = true
        house.wait(9_999)
        #expect(house.findings == [])
    }

    // MARK: The reveal

    /// A list is closed, and the reveal on its way is unanswered.
    private func revealed(unanswered: Set<String>) throws -> ShoeHouse {
        var house = try ShoeHouse()
        (house.tellsSent, house.unanswered) = (true, unanswered)
        house.close()
        house.reveals["ann"] = nil
        return house
    }

    @Test func aWithholderByNameWhoseRevealWasHandled_isAFault() throws {
        var house = try revealed(unanswered: ["reveal"])
        house.void(withheld: ["ann"])
        #expect(house.failures == [.namedAsWithholder])
    }

    @Test(arguments: ["ping", "reveal"])
    func anAnswerAfterTheName_showsThatTheRevealHadCome(type: String) throws {
        var house = try revealed(unanswered: ["reveal", "ping"])
        house.void(withheld: ["ann"])
        #expect(house.findings == [.voided(.named(["ann"]), shoe: 1)])
        let request = try #require(house.requests.last { $0.type == type })
        let reply = type == "ping" ? Reply.ping(time: 0) : .done("reveal")
        house.perform(house.watch.take(.success(reply), to: request, at: 0))
        #expect(house.failures == [.namedAsWithholder])
    }

    @Test func aRevealThatCameTooLate_orOnALostConnection_isNoFault() throws {
        var house = try revealed(unanswered: ["reveal", "ping"])
        house.void(withheld: ["ann"])
        let reveal = try #require(house.requests.last { $0.type == "reveal" })
        let late = Refusal(id: nil, type: "reveal", .stale, message: "Another list.")
        house.perform(house.watch.take(.failure(late), to: reveal, at: 0))
        house.perform(house.watch.take(.success(.ping(time: 0)), to: .ping, at: 0))
        #expect(house.failures == [])
        house = try revealed(unanswered: ["reveal", "ping"])
        house.loseConnection()
        house.void(withheld: ["ann"])
        house.isShown = true
        #expect(house.findings == [.voided(.named(["ann"]), shoe: 1)])
    }

    /// The server waits for a second before the first shoe.
    @Test func aNameForARevealOfASlowConnection_isNoRejection() throws {
        for (milliseconds, isSlow) in [(1_001, true), (1_000, false)] as [(Int64, Bool)] {
            var house = try revealed(unanswered: ["reveal", "ping"])
            house.void(withheld: ["ann"])
            let reveal = try #require(house.requests.last { $0.type == "reveal" })
            let late = Refusal(id: nil, type: "reveal", .stale, message: "Another list.")
            house.perform(house.watch.take(.failure(late), to: reveal, at: milliseconds))
            let finding = isSlow ? ShoeFinding.revealTooSlow(shoe: 1, milliseconds: milliseconds) : .namedUnanswered(shoe: 1)
            #expect(house.findings == [.voided(.named(["ann"]), shoe: 1), finding])
            #expect(house.watch.rejectedOrders == (isSlow ? 0 : 1))
        }
    }

    @Test func aNameForARevealThatIsNeverAnswered_isSaid_andCounted() throws {
        for isCut in [true, false] {
            var house = try revealed(unanswered: ["reveal", "ping"])
            house.void(withheld: ["ann"])
            if isCut {
                house.loseConnection()
                house.isShown = true
            } else {
                house.wait(9_999)
                #expect(house.findings == [.voided(.named(["ann"]), shoe: 1)])
                house.wait(1)
            }
            house.wait(10_000)
            #expect(house.findings == [.voided(.named(["ann"]), shoe: 1), .namedUnanswered(shoe: 1)])
            #expect(house.watch.rejectedOrders == 1)
        }
    }

    @Test func aNameAfterARevealWasRefused_isSaidLoudly_andCounted() throws {
        var house = try revealed(unanswered: ["reveal", "ping"])
        house.watch.postponed(try #require(house.requests.last { $0.type == "reveal" }))
        house.void(withheld: ["ann"])
        #expect(house.findings == [.namedAfterRefusal(shoe: 1), .voided(.named(["ann"]), shoe: 1)])
        house = try revealed(unanswered: ["reveal", "ping"])
        let odd = Refusal(type: "reveal", code: "odd", message: "No.")
        house.perform(house.watch.take(.failure(odd), to: try #require(house.requests.last { $0.type == "reveal" }), at: 0))
        house.void(withheld: ["ann"])
        #expect(house.findings == [.namedAfterRefusal(shoe: 1), .voided(.named(["ann"]), shoe: 1)])
    }

    @Test func anHonestClientNamedInAWholeView_isCaught_ifTheConnectionLasted() throws {
        for isCut in [false, true] {
            var house = try ShoeHouse()
            house.close()
            if isCut { house.loseConnection() }
            house.isShown = false
            house.void(withheld: [])
            house.void(withheld: ["ann"])
            house.isShown = true
            #expect(house.failures == (isCut ? [] : [.namedAsWithholder]))
        }
    }

    @Test func theLastMixWithoutTheReveal_isAFaultWhereTheServerHadIt_andSaidOtherwise() throws {
        for isConfirmed in [true, false] {
            var house = try ShoeHouse(.revealDropped)
            for _ in 1..<4 {
                house.close()
                house.void(withheld: house.next?.withheld == [] ? ["bob"] : [])
            }
            if !isConfirmed { house.unanswered = ["reveal"] }
            house.ceremony()
            #expect(house.failures == (isConfirmed ? [.namedAsWithholder] : []))
            #expect(house.findings.contains(.notIncluded(.revealUnconfirmed, shoe: 1)) == !isConfirmed)
        }
    }
}

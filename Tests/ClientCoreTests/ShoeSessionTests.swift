import ClientCore
import Fairness
import Rules
import TableModel
import TestKit
import Testing
import Wire

/// Honest servers, lost connections, other devices, other tables: what is verified, what is said, and that nobody is accused.
struct ShoeSessionTests {
    @Test func anHonestShoe_isVerified_withEveryCardSeen() throws {
        var house = try ShoeHouse()
        house.playAShoe()
        let report = try #require(house.verified.first)
        #expect(house.findings == [.verified(report)])
        #expect(report.shoe == 1 && report.isIncluded && report.watched.seen == 27 && report.watched.total == 52)
        #expect(house.session.tally.verified == 1 && house.session.tally.total == 2)
        // The first is refused: the secret is revealed later.
        let types = house.requests.map(\.type)
        #expect(types == ["commit", "reveal", "commit", "reveal", "proof", "commit", "proof"])
    }

    /// Lost answers, missed changes, restarts, getting up, other tables, other devices, seats that are gone, in any order: 500 shoes.
    @Test(arguments: 0..<125)
    func anHonestServer_isNeverAccused(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var house = try ShoeHouse()
        for _ in 0..<4 {
            func mishap() {
                switch random.below(15) {
                case 0: house.isShown = false
                case 1: house.answers = false
                case 2: house.recover()
                case 3: house.annSits.toggle()
                case 4: house.now += 20_000
                case 5: house.visitAnotherTable()
                case 6: house.loseSeatOnReconnect(forgets: true)
                case 7: house.wait(10_000)
                case 8: house.loseConnection()
                case 9: house.replaceCommitment()
                case 10: house.sitAgain()
                default:
                    if !house.isShown { house.isShown = true }
                    house.answers = true
                    house.resume()
                }
            }
            mishap()
            house.honestCeremony()
            mishap()
            house.shuffle()
            for _ in 0..<8 {
                house.settle()
                mishap()
                house.deal()
                mishap()
            }
            house.settle()
            house.reveal()
        }
        #expect(house.failures == [], "seed \(seed)")
    }

    // MARK: Commitments

    /// The server got the commitment and its answer was lost; another device replaced it.
    @Test(arguments: [true, false]) func aCommitmentWithoutAnAnswer_isCommittedOnceMore_orNotMissed(isOpen: Bool) throws {
        var house = try ShoeHouse(publishes: false)
        house.unanswered = ["commit"]
        house.publish()
        house.session.connectionLost()
        house.commit(SHA256.hash([7]))
        house.unanswered = []
        if isOpen { house.publish() } else { house.close() }
        #expect(house.requests.count == (isOpen ? 2 : 1) && Set(house.requests.map(\.type)) == ["commit"])
        guard isOpen else { return #expect(house.findings == []) }
        house.playAShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
    }

    @Test func aLostAnswer_isAskedForAgain_withTheSameContribution() throws {
        var house = try ShoeHouse()
        house.answers = false
        house.open(2)
        house.answers = true
        house.resume()
        let commits = house.requests.suffix(2)
        #expect(commits.first == commits.last && commits.last?.type == "commit")
    }

    @Test func aPlayerWhoSitsDownAgain_commitsAgainToTheSame_andIsNotLeftOut() throws {
        for visits in [true, false] {
            var house = try ShoeHouse()
            if visits {
                house.visitAnotherTable(sitsDown: true)
            } else {
                house.commit(nil)
                house.annSits = false
                house.publish()
                house.session.satDown()
                house.annSits = true
                house.publish()
            }
            house.playAShoe()
            #expect(house.failures == [] && house.verified.first?.isIncluded == true)
            let commits = house.requests.prefix { $0.type == "commit" }
            #expect(commits.count == 2 && commits[0] == commits[1])
        }
    }

    /// Another device can have committed or got up: no change shows the former.
    @Test(arguments: [true, false])
    func afterALostConnection_aCommitmentIsSentAgain(missesChanges: Bool) throws {
        var house = try ShoeHouse()
        house.reconnect(missesChanges: missesChanges)
        #expect(house.requests.count { $0.type == "commit" } == 2)
        house.playAShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
    }

    @Test(arguments: [true, false])
    func anotherDeviceThatSatDownAgain_isNoFault(commits: Bool) throws {
        var house = try ShoeHouse()
        house.useAnotherDevice(commits: commits)
        house.mix()
        house.shuffle()
        house.playOn()
        #expect(house.failures == [] && house.verified.map(\.isIncluded) == [false])
        #expect(house.session.tally.withoutPlayer == 1)
    }

    @Test(arguments: ["odd", "no_ceremony", "wrong_contribution"])
    func aCommitmentThatIsRefused_isCountedWithTheShoe(code: String) throws {
        var house = try ShoeHouse(at: .mixed)
        house.commitCode = code
        house.shuffle()
        house.playOn()
        #expect(house.findings.count == 1 && house.session.tally.withoutPlayer == 0)
        house.playOn()
        #expect(house.session.tally.verified == 2 && house.session.tally.withoutPlayer == 1 && house.failures == [])
    }

    @Test func aSeatThatTheServerDoesNotKnow_makesNoCommitmentVoid() throws {
        var house = try ShoeHouse()
        // Her seat is taken, and given back after the list is closed without her.
        house.commit(nil)
        house.annSits = false
        house.close()
        house.annSits = true
        house.publish()
        #expect(house.findings == [])
    }

    @Test func anOkAtASeatThatWasTakenAgain_countsAgain() throws {
        var house = try ShoeHouse()
        house.sitAgain()
        house.publish()
        house.commit(nil)
        house.close()
        #expect(house.failures == [.leftOut])
    }

    @Test func aLeave_makesTheCommitmentVoid() throws {
        var house = try ShoeHouse()
        house.leave()
        house.commit(nil)
        house.close()
        #expect(house.findings == [])
    }

    @Test func whoDoesNotContribute_asksForProofsOnly() throws {
        var house = try ShoeHouse(contributes: false)
        house.playAShoe()
        #expect(house.requests.allSatisfy { $0.type == "proof" } && house.verified.count == 1)
    }

    // MARK: Withholders

    @Test func aWithholder_isSaid_andNoFault() throws {
        var house = try ShoeHouse()
        for _ in 0..<2 {
            house.close()
            house.void(withheld: house.next?.withheld == [] ? ["bob"] : [])
        }
        #expect(house.findings == (1...2).map { .givenUp(.withheld(["bob"]), shoe: 1, times: $0) })
        house.playAShoe()
        #expect(house.failures == [] && house.verified.map(\.shoe) == [1])
        #expect(house.requests.filter { $0.type == "commit" }.count == 5)
    }

    @Test func getUpBeforeTheReveal_isACause_andSaid() throws {
        var house = try ShoeHouse(at: .closed)
        house.lies = [{ $0.players[2]?.name = "cid" }]
        house.void(withheld: [])
        #expect(house.findings == [.givenUp(.gotUp(["bob"]), shoe: 1, times: 1)])
        // The player's own doing is no news. On a connection that lasts she leaves in no other way.
        for leaves in [true, false] {
            house = try ShoeHouse(at: .closed)
            if leaves { house.leave() }
            house.lies = [{ $0.players[1]?.presence = .leaving }]
            house.void(withheld: [])
            #expect(house.findings == (leaves ? [] : [.givenUp(.gotUp(["ann"]), shoe: 1, times: 1)]))
        }
        // A list that is closed and given up in one change had no order.
        house = try ShoeHouse()
        house.annSits = false
        house.void(withheld: [])
        #expect(house.findings == [])
        // With a hand in play the player is shown as leaving before.
        house = try ShoeHouse()
        house.lies = [{ $0.players[1]?.presence = .leaving }]
        house.publish()
        house.void(withheld: [])
        #expect(house.failures == [])
    }

    @Test func anotherDeviceThatWithheld_isNoFault() throws {
        var house = try ShoeHouse(at: .closed)
        house.loseConnection()
        house.void(withheld: ["bob"])
        house.useAnotherDevice(commits: true)
        house.void(withheld: ["ann"])
        #expect(house.failures == [])
    }

    /// The server refuses a commitment to this shoe from then on.
    @Test func aNamedWithholder_commitsToNoFurtherAttemptForTheShoe() throws {
        var house = try ShoeHouse()
        house.revealUnanswered()
        house.loseConnection()
        house.void(withheld: ["ann"])
        house.isShown = true
        #expect(house.findings == [.givenUp(.named, shoe: 1, times: 1)])
        #expect(house.requests.count { $0.type == "commit" } == 1)
        house.close()
        house.mix()
        house.shuffle()
        #expect(house.failures == [] && house.requests.count { $0.type == "commit" } == 2, "to the shoe after it")
    }

    /// The reveal may have come too late, or the server ignores it: nobody can tell.
    @Test(arguments: [nil, "ok", "stale", "odd", "rate_limited"])
    func aNameForARevealWithoutAnAnswerInTime_isSaid_andCounted(code: String?) throws {
        var house = try ShoeHouse()
        house.revealUnanswered()
        if code == "odd" { house.answer("reveal", .failure(Refusal(type: "reveal", .rule, code: "odd", message: "No."))) }
        house.void(withheld: ["ann"])
        switch code {
        case "ok": house.answer("reveal", .success(.done("reveal")))
        case "stale": house.answer("reveal", .failure(Refusal(id: nil, type: "reveal", .init(.stale, "Another list."))))
        case "rate_limited":
            house.answer("reveal", .failure(Refusal(type: "reveal", .again, code: "rate_limited", message: "Later.")))
        default: house.wait(10_000)
        }
        #expect(house.findings == [.givenUp(.named, shoe: 1, times: 1)])
    }

    @Test(arguments: [true, false]) func theLastMixWithoutAnUnansweredReveal_isSaid(isSeen: Bool) throws {
        var house = try ShoeHouse()
        house.reachTheLastAttempt()
        house.unanswered = ["reveal"]
        house.close()
        house.isShown = isSeen
        house.mix()
        if !isSeen { house.shuffle() }
        house.isShown = true
        #expect(house.failures == [] && house.findings.last == .givenUp(.named, shoe: 1, times: 4))
    }

    /// Another device can have withheld in the second attempt.
    @Test(arguments: [true, false]) func aNameInAWholeView_isNoFaultBehindALostConnection(isConfirmed: Bool) throws {
        var house = try ShoeHouse()
        if !isConfirmed { house.unanswered = ["reveal"] }
        house.close()
        house.loseConnection()
        house.void(withheld: [])
        house.void(withheld: ["ann"])
        house.isShown = true
        #expect(house.findings == [.givenUp(.named, shoe: 1, times: 1)])
    }

    // MARK: Orders given up unseen

    @Test(arguments: [true, false])
    func attemptsGivenUpUnseen_areSaid_ifThePlayerHadRevealed(reveals: Bool) throws {
        var house = try ShoeHouse()
        for number in 1...3 {
            if reveals { house.close() }
            house.isShown = false
            if !reveals { house.close() }
            house.void(withheld: [])
            house.isShown = true
            #expect(house.findings == (reveals ? (1...number).map { .givenUp(.unseen, shoe: 1, times: $0) } : []))
        }
    }

    /// The shoe in play is another one, or of another attempt.
    @Test(arguments: [1, 2], [true, false])
    func ordersThatAreNeverPlayed_areSaid_andCounted(shoes: Int, isCut: Bool) throws {
        var house = try ShoeHouse()
        for times in 1...3 {
            house.close()
            house.skip(shoes: shoes, rounds: 2, isCut: isCut)
            #expect(house.findings.contains(.givenUp(.unseen, shoe: (times - 1) * shoes + 1, times: times)))
        }
        #expect(house.failures == [] && house.session.tally.givenUp == 3)
    }

    /// Milliseconds away: behind a connection that lasted, or was lost for too short a time, the server alone can have hidden a shoe.
    @Test(arguments: [(true, 20_000, 0), (true, 19_999, 1), (false, 20_000, 1)] as [(Bool, Int64, Int)])
    func aShoeThatWasPlayedUnseen_isCountedAsTheCaseMayBe(isCut: Bool, away: Int64, count: Int) throws {
        var house = try ShoeHouse(at: .mixed)
        if isCut { house.loseConnection() }
        house.isShown = false
        house.now += away
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.commit(nil)
        house.replaceShoe()
        house.isShown = true
        #expect(house.failures == [] && house.session.tally.givenUp == count)
    }

    /// The largest number of the wire is no trap.
    @Test func aShoeFarAway_isCountedAndContradicted() throws {
        var house = try ShoeHouse(at: .closed)
        house.skip(shoes: 1 << 53 - 2, rounds: 2)
        #expect(house.failures == [.shoesWithoutRounds] && house.session.tally.givenUp == 1)
    }

    // MARK: Changes that were missed

    @Test func missedChanges_areNoFault_andUnseenCardsAreCounted() throws {
        var house = try ShoeHouse(at: .started)
        house.unseen { $0.play(until: 13) }
        house.finishShoe()
        #expect(house.failures == [] && house.verified.first?.watched.seen == 21 && house.verified.first?.isIncluded == true)
    }

    @Test func aLateJoiner_isNotIncluded_butVerifies() throws {
        var house = try ShoeHouse()
        house.loseConnection()
        house.mixUnlisted()
        house.shuffle()
        house.play(until: 10)
        house.isShown = true
        house.finishShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == false)
    }

    @Test func countersThatAreJustPossible_areNoFault() throws {
        var house = try ShoeHouse()
        house.jump(revisions: 1)
        #expect(house.failures == [])
    }

    @Test func anEarlierShoeOfTheSameNumber_isNoReveal() throws {
        var house = try ShoeHouse(at: .closed)
        house.loseEverything()
        house.answers = false
        house.close()
        house.void(withheld: ["ann"])
        #expect(house.failures == [])
    }

    /// Found by `bjverify simulate-system` (world 31000373).
    @Test func theEndOfARound_mayBeShownAfterTheProof() throws {
        var house = try ShoeHouse()
        house.proveInMidRound()
        house.hit()
        house.settle()
        house.isShown = true
        #expect(house.failures == [] && house.verified.count == 1)
    }

    @Test func theSameProofTwice_isNoFault() throws {
        var house = try ShoeHouse(at: .playedOut)
        house.close()
        house.reveal()
        house.mix()
        #expect(house.verified.count == 1)
        house.visitAnotherTable()
        house.shuffle()
        #expect(house.failures == [])
    }

    // MARK: Places and rules

    @Test func wholeViewsOfHonestRounds_areNoFault() throws {
        // A bet for the next round takes the place of a hand.
        var house = try ShoeHouse(at: .started)
        house.lies = [{ $0.show(.bet(HandIdentifier(seat: 1, number: 1), 10)) }]
        house.showRound(at: [0, 2], drawn: 3, phase: .betting)
        #expect(house.failures == [])
        // Found by `bjverify simulate-system` (world 31000025).
        house = try ShoeHouse(at: .started)
        // Until the proof of the shoe left in play is not asked for again.
        house.watchAnotherTable()
        for attempt in 0..<10 { house.wait(10_000 << attempt) }
        house.showRound(at: [0, 1, 2], drawn: 3)
        #expect(house.failures == [])
    }

    /// An order that is made in the same revision as the round comes too late for it.
    @Test(arguments: [true, false])
    func aRoundAfterTheCutCard_isPlayed_whileTheNextOrderIsNotMade(isSeen: Bool) throws {
        var house = try ShoeHouse(at: .playedOut)
        house.isShown = isSeen
        house.deal()
        house.isShown = true
        house.ceremony()
        #expect(house.failures == [])
    }

    /// Without entry in mid-shoe a shuffle before the cut card is for a newcomer.
    @Test(arguments: [true, false])
    func aShuffleForANewcomer_isExpected(isSeen: Bool) throws {
        var house = try ShoeHouse(at: .started, rules: [("midShoeEntry", .flag(false))])
        if isSeen {
            house.lie { $0.players[2]?.name = "cid" }
            house.lies = []
        } else {
            house.publish(every: false)
        }
        house.replaceShoe()
        #expect(house.failures == [])
    }

    @Test func reshuffledDiscards_areVerified_alsoInWholeViews() throws {
        var house = try ShoeHouse()
        house.playReshuffled()
        #expect(house.failures == [] && house.verified.first?.watched.total == 98)
        for first in [true, false] {
            house = try ShoeHouse()
            house.reshuffleUnseen(first: first)
            #expect(house.failures == [])
        }
        house = try ShoeHouse(at: .mixed)
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
}

/// The end of a shoe: restarts, closed tables, players who leave.
struct ShoeEndTests {
    @Test func aSecretThatIsNeverRevealed_isNotVerified() throws {
        var house = try ShoeHouse(proves: false)
        house.playAShoe()
        #expect(house.unverified == [.refused] && house.session.tally.notVerified == 1)
    }

    @Test func aRestartWithAJournal_isNoFault_andWithoutOneTheShoeIsNotVerified() throws {
        var house = try ShoeHouse(at: .started)
        house.recover()
        house.finishShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
        house.settle()
        house.loseEverything()
        #expect(house.unverified == [.restarted] && house.failures == [])
    }

    /// A restart is in plain sight: an honest host who has no journal gets no alarm, however often the server is killed.
    @Test func shoesLostByRestarts_areNotVerified_andNoOrderCountsAsGivenUp() throws {
        var house = try ShoeHouse()
        for times in 1...4 {
            house.close()
            house.loseEverything()
            let isSilent = house.findings.allSatisfy { if case .givenUp = $0 { false } else { true } }
            #expect(house.session.tally.notVerified == times && isSilent)
        }
        #expect(house.failures == [] && house.session.tally.givenUp == 0)
        house.close()
        house.loseEverything(isCut: false)
        #expect(house.findings.last == .givenUp(.unseen, shoe: 1, times: 1))
    }

    @Test func aTableThatClosesWithoutAProof_isSaidOnce() throws {
        var house = try ShoeHouse(at: .started, proves: false)
        house.closeTable()
        house.publish(every: false)
        house.visitAnotherTable()
        #expect(house.unverified == [.refused] && house.findings.count == 1)
        house = try ShoeHouse(at: .started)
        house.unanswered = ["proof"]
        house.closeTable()
        for _ in 0..<5 { house.wait(10_000) }
        #expect(house.unverified == [.unanswered])
    }

    @Test func aClosedTablesProof_isTakenOnce_alsoFromTheSettlementBefore() throws {
        var house = try ShoeHouse(at: .started)
        house.reveal()
        house.closeTable()
        house.publish(every: false)
        house.visitAnotherTable()
        #expect(house.verified.count == 1 && house.findings.count == 1)
        house = try ShoeHouse(at: .started)
        house.deal()
        house.lies = [{ $0.show(.closing(ClosingNotice(.table, reason: ""))) }]
        house.reveal()
        house.settle()
        #expect(house.verified.count == 1)
        house.closeTable()
        #expect(house.findings.count == 1)
    }

    /// The server of each restart has a new table of the name, and the proofs of the former one.
    @Test(arguments: [true, false]) func aServerThatIsStoppedInOrder_isNotSaidToLoseItsTable(proves: Bool) throws {
        var house = try ShoeHouse(at: .started, proves: proves)
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
            #expect(house.verified.count == (proves ? times : 0))
            #expect(house.unverified == (proves ? [] : Array(repeating: .refused, count: times)))
        }
        #expect(house.failures == [] && house.session.tally.givenUp == 0)
    }

    @Test func aShoeThatIsLeft_isVerifiedLater_orSaid() throws {
        var house = try ShoeHouse(at: .started)
        house.leave()
        #expect(house.findings == [] && house.session.tally.open == 1)
        house.wait(10_000)
        house.reveal()
        house.wait(20_000)
        #expect(house.verified.count == 1 && house.session.tally.open == 0)
        house = try ShoeHouse(at: .started, proves: false)
        house.leave()
        for _ in 0..<12 { house.wait(1_300_000) }
        #expect(house.unverified == [.left] && house.findings.count == 1)
        #expect(house.requests.count { $0.type == "proof" } == 8)
    }

    @Test func aPlayerWhoComesBack_verifiesTheWholeShoe() throws {
        var house = try ShoeHouse(at: .started)
        house.visitAnotherTable()
        house.finishShoe()
        #expect(house.failures == [] && house.verified.map(\.watched.seen) == [27])
    }

    @Test(arguments: [true, false]) func aShoeThatEndsWhileThePlayerIsAway_isJudgedOnTheReturn(proves: Bool) throws {
        var house = try ShoeHouse(at: .started, proves: proves)
        house.isShown = false
        house.play(until: 27)
        house.honestCeremony()
        house.reveal()
        house.shuffle()
        house.visitAnotherTable()
        house.isShown = true
        #expect(house.failures == [] && house.verified.count == (proves ? 1 : 0))
        #expect(house.unverified == (proves ? [] : [.refused]))
    }

    @Test func aTableWithoutCeremonies_isSaidOnce() throws {
        var house = try ShoeHouse(publishes: false)
        house.endCeremonies()
        house.deal()
        house.deal()
        #expect(house.findings == [.noCeremonies(table: "main")])
        house = try ShoeHouse(at: .mixed)
        house.isShown = false
        house.shuffle()
        house.lies = [{ $0.fair = nil }]
        house.isShown = true
        house.hit()
        #expect(house.findings.contains(.noCeremonies(table: "main")))
    }

    @Test func aProofFile_isReadBack_andJudgedAlike() throws {
        var house = try ShoeHouse()
        house.playAShoe()
        let report = try #require(house.verified.first)
        let file = ProofFile(report, nil)
        let again = try ProofFile(text: file.text)
        #expect(again == file)
        #expect(ProofVerdict(again).fault == nil && ProofVerdict(again).lines.contains("27 of 52 cards seen, each in its place"))
        #expect(throws: ProofFile.Unreadable.self) { try ProofFile(text: "{}") }
        #expect(throws: ProofFile.Unreadable.self) { try ProofFile(text: "[1") }
    }
}

import ClientCore
import Fairness
import TestKit
import Testing
import Wire

extension ShoeHouse {
    var failures: [ShoeFault] {
        findings.compactMap { if case .failed(_, let fault) = $0 { fault } else { nil } }
    }

    var verified: [ShoeReport] {
        findings.compactMap { if case .verified(let report) = $0 { report } else { nil } }
    }

    /// One ceremony, then a shoe played to its end, then the next one's first round.
    mutating func playAShoe() {
        ceremony()
        shuffle()
        settle()
        play(until: 27)
        ceremony()
        reveal()
        shuffle()
        settle()
    }
}

struct ShoeWatchTests {
    private func played(_ trick: ShoeHouse.Trick? = nil) throws -> ShoeHouse {
        var house = try ShoeHouse(trick)
        house.playAShoe()
        return house
    }

    @Test func anHonestShoe_isVerified_withEveryCardSeen() throws {
        let house = try played()
        let report = try #require(house.verified.first)
        #expect(house.findings == [.verified(report)])
        #expect(report.shoe == 1 && report.isIncluded && report.seen == 27 && report.total == 52 && report.tag.count == 4)
        #expect(house.watch.tally.verified == 1 && house.watch.tally.standing == .included)
        // The first is refused: the secret is revealed later.
        let types = house.requests.map(\.type)
        #expect(types == ["commit", "reveal", "commit", "reveal", "proof", "proof", "commit"])
    }

    @Test func aPlayerWhoSitsDownAgain_commitsAgainToTheSame_andIsNotLeftOut() throws {
        var house = try ShoeHouse()
        house.sitAgain()
        house.playAShoe()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
        let commits = house.requests.prefix { $0.type == "commit" }
        #expect(commits.count == 2 && commits[0] == commits[1])
    }

    @Test(arguments: [
        (ShoeHouse.Trick.contributionChanged, ShoeFault.ownContribution), (.lateCommitment, .commitmentChanged),
        (.otherDigest, .order(shoe: 1, segment: 0)), (.otherListAfterReveal, .listChanged), (.otherListInPlay, .listChanged),
        (.omittedContributor, .leftOut), (.skippedCard, .gap(shoe: 1, place: 7, seen: 8)),
        (.cardsOutOfOrder, .gap(shoe: 1, place: 9, seen: 10)), (.revealDropped, .mixed),
        (.cutCardMoved, .cutCard(expected: 26, seen: 30)), (.otherRules, .rules), (.otherContributor, .contribution("bob")),
    ])
    func aDishonestServer_isCaught(trick: ShoeHouse.Trick, fault: ShoeFault) throws {
        let house = try played(trick)
        #expect(house.failures.first == fault)
        #expect(house.verified.allSatisfy { $0.shoe != 1 })
    }

    @Test func aSwappedCard_isNamed() throws {
        let house = try played(.cardSwapped)
        let codes = try #require(house.watch.tally.failed == 1 ? house.findings.first : nil)
        guard case .failed(let report, .card(1, 4, let expected?, let seen)) = codes else {
            Issue.record("\(house.findings)")
            return
        }
        #expect(report.proof?.key.order(decks: 1)[4] == expected && seen != expected)
        #expect(ShoeFault.card(shoe: 1, place: 4, expected: 0, seen: 25).description == "card 5 was KH, and has to be AS")
    }

    @Test func cardsOfAnotherOrder_areCaught() throws {
        let house = try played(.orderOfCardsChanged)
        guard case .card(1, _, _, _) = try #require(house.failures.first) else {
            Issue.record("\(house.failures)")
            return
        }
    }

    @Test func aSecretUsedTwice_isCaught() throws {
        var house = try played(.secretReused)
        #expect(house.failures == [])
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [.secretReused])
    }

    @Test func aCommitmentUsedTwice_isCaught_andNotCommittedTo() throws {
        let house = try played(.repeatedCommitment)
        #expect(house.failures.first == .commitmentRepeated)
        #expect(house.requests.filter { $0.type == "commit" }.count == 2)
    }

    @Test func anHonestClientNamedAsWithholder_isCaught() throws {
        var house = try ShoeHouse()
        house.close()
        house.void(withheld: ["ann"])
        #expect(house.failures == [.namedAsWithholder])
        #expect(house.findings.contains(.voided(.named(["ann"]), shoe: 1)))
    }

    @Test func aWithholder_isSaid_andNoFault() throws {
        var house = try ShoeHouse()
        house.close()
        house.void(withheld: ["bob"])
        #expect(house.findings == [.voided(.named(["bob"]), shoe: 1)])
        house.close()
        house.void(withheld: [])
        #expect(house.findings.last == .voided(.namedBefore(["bob"]), shoe: 1))
        house.playAShoe()
        #expect(house.failures == [] && house.verified.map(\.shoe) == [1])
        #expect(house.requests.filter { $0.type == "commit" }.count == 5)
    }

    @Test func anAttemptGivenUpWithoutCause_isCaught() throws {
        var house = try ShoeHouse()
        house.close()
        house.void(withheld: [])
        #expect(house.failures == [.voidedWithoutCause])
        house = try ShoeHouse()
        house.ceremony()
        house.void(withheld: [])
        #expect(house.failures == [.voidedWithoutCause])
    }

    @Test func aCeremonyThatIsTakenAway_isCaught() throws {
        var house = try ShoeHouse()
        house.close()
        house.hideNext()
        #expect(house.failures == [.commitmentChanged])
        house.open(1, attempt: 1)
        house.playAShoe()
        #expect(house.failures.count == 1 && house.verified.isEmpty)
    }

    @Test func aRestartThatKeptTheShoe_hasToKeepItsCeremony() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.recoverWithAnotherCeremony()
        #expect(house.failures == [.commitmentChanged])
    }

    @Test func aContributionThatARestartHasLost_isUnproven() throws {
        var house = try ShoeHouse()
        house.close()
        house.loseEverything()
        guard case .unproven(let report, .restarted)? = house.findings.first else {
            Issue.record("\(house.findings)")
            return
        }
        #expect(report.shoe == 1 && house.watch.tally.unproven == 1)
    }

    @Test func aMixWithoutAListThatWasShown_isCaught() throws {
        var house = try ShoeHouse()
        house.mixUnlisted()
        #expect(house.failures == [.listChanged])
    }

    @Test func withholdersWhoAreOnNoList_areCaught() throws {
        var house = try ShoeHouse()
        house.close()
        house.void(withheld: ["ghost"])
        #expect(house.failures == [.voidedWithoutCause])
        house = try ShoeHouse()
        house.void(withheld: ["bob"])
        #expect(house.failures == [.voidedWithoutCause])
    }

    @Test func aShoeWithANumberOfNoCeremony_isCaught() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        for _ in 0..<100 { house.jumpShoe() }
        #expect(house.failures == [.commitmentChanged])
    }

    @Test func theSameProofTwice_isNoFault() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.close()
        house.reveal()
        house.mix()
        #expect(house.verified.count == 1)
        house.visitAnotherTable()
        house.shuffle()
        #expect(house.failures == [] && house.verified.count == 2)
    }

    @Test func aSecretThatIsNeverRevealed_isUnproven() throws {
        let house = try played(.neverReveals)
        guard case .unproven(let report, .refused) = try #require(house.findings.first) else {
            Issue.record("\(house.findings)")
            return
        }
        #expect(report.shoe == 1 && house.watch.tally.unproven == 1)
    }

    @Test func aShuffleBeforeTheCutCard_isCaught() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [.shuffledEarly])
        // The proof is right all the same: it is evidence.
        #expect(house.findings.contains { if case .evidence(_, .shuffledEarly) = $0 { true } else { false } })
    }

    @Test func aCardDealtAfterTheReveal_isCaught() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.play(until: 25)
        house.ceremony()
        house.deal()
        house.reveal()
        house.settle()
        #expect(house.verified.count == 1)
        house.deal()
        #expect(house.failures == [.dealtAfterReveal])
    }

    @Test func aFaceThatChanges_isCaught() throws {
        guard case .face(1, 5, _, _) = try #require(try played(.faceChanged).failures.first) else {
            Issue.record("another fault")
            return
        }
    }

    @Test func anAnnouncementThatChanges_isCaught() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.announceAnotherOrder()
        #expect(house.failures == [.orderChanged])
    }

    @Test func reshuffledDiscards_areVerified_andAWrongRangeIsCaught() throws {
        for trick in [nil, ShoeHouse.Trick.wrongSegment] {
            var house = try ShoeHouse(trick)
            house.ceremony()
            house.shuffle()
            house.play(until: 46)
            house.deal(6)
            house.reshuffle()
            house.hit()
            house.settle()
            house.ceremony()
            house.reveal()
            house.shuffle()
            if trick == nil {
                #expect(house.failures == [] && house.verified.first?.total == 98)
            } else {
                #expect(house.failures.first == .segment(shoe: 1, number: 1))
            }
        }
    }

    @Test func aLateJoiner_isNotIncluded_butVerifies() throws {
        var house = try ShoeHouse()
        house.loseConnection()
        house.mixUnlisted()
        house.shuffle()
        house.play(until: 10)
        house.isShown = true
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [] && house.verified.first?.isIncluded == false)
    }

    @Test func aLostAnswer_isAskedForAgain_withTheSameContribution() throws {
        var house = try ShoeHouse()
        house.answers = false
        house.open(2, attempt: 1)
        house.answers = true
        house.resume()
        let commits = house.requests.suffix(2)
        #expect(commits.first == commits.last && commits.last?.type == "commit")
    }

    @Test func aRestartWithAJournal_isNoFault_andWithoutOneTheShoeIsUnproven() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.recover()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures == [] && house.verified.first?.isIncluded == true)
        house.settle()
        house.loseEverything()
        guard case .unproven(let report, .restarted) = try #require(house.findings.last) else {
            Issue.record("\(house.findings)")
            return
        }
        #expect(report.shoe == 2 && house.failures == [])
    }

    @Test func whoDoesNotContribute_asksForProofsOnly() throws {
        var house = try ShoeHouse(contributes: false)
        house.playAShoe()
        #expect(house.requests.allSatisfy { $0.type == "proof" } && house.verified.count == 1)
    }

    /// Lost answers, missed changes, restarts, getting up, other tables, seats that are gone, in any order.
    @Test(arguments: 0..<60)
    func anHonestServer_isNeverAccused(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var house = try ShoeHouse()
        house.tellsSent = true
        for _ in 0..<4 {
            func mishap() {
                switch random.below(12) {
                case 0: house.isShown = false
                case 1: house.answers = false
                case 2: house.recover()
                case 3: house.annSits.toggle()
                case 4: house.now += 20_000
                case 5: house.visitAnotherTable()
                case 6: house.loseSeatOnReconnect(forgets: true)
                case 7: house.wait(10_000)
                default:
                    if !house.isShown { house.isShown = true }
                    house.answers = true
                    house.resume()
                }
            }
            mishap()
            house.honestCeremony(withholdersAllowed: true)
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

    @Test func aProofFile_isReadBack_andJudgedAlike() throws {
        let report = try #require(try played().verified.first)
        let file = ProofFile(report, nil)
        let again = try ProofFile(text: file.text)
        #expect(again == file)
        #expect(ProofVerdict(again).fault == nil && ProofVerdict(again).lines.contains("27 of 52 cards seen, each in its place"))
        var bare = file
        bare.watched = nil
        #expect(ProofVerdict(try ProofFile(text: bare.text)).fault == nil)
        let reply = bare.text.replacing("\"type\":\"ok\",", with: "").replacing("\"to\":\"proof\",", with: "")
        #expect(try ProofFile(text: reply).proof == report.proof)
        let wrong = file.text.replacing("\"rules\":{", with: "\"rules\":{\"a\":1,")
        #expect(try ProofVerdict(ProofFile(text: wrong)).fault == ShoeFault.rules.description)
        #expect(throws: ProofFile.Unreadable.self) { try ProofFile(text: "{}") }
        #expect(throws: ProofFile.Unreadable.self) { try ProofFile(text: "[1") }
    }
}

import ClientCore
import Fairness
import Testing

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

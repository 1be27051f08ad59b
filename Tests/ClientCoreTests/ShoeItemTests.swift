import ClientCore
import Fairness
import TableModel
import Testing

/// Items left out of a table, so that its cards cannot be compared.
struct ShoeItemTests {
    private static let items: [(TableItem, String)] = [
        (.shoe, "shoe"), (.cardsLeft, "left"), (.rules, "rules"), (.round, "round"), (.phase, "phase"),
    ]

    @Test(arguments: items)
    func anItemThatIsNeverShown_isAFaultOfEachShoe(item: TableItem, name: String) throws {
        var house = try ShoeHouse()
        house.omitted = [item]
        house.publish()
        #expect(house.failures == [.itemMissing(name)])
        house.ceremony()
        house.shuffle()
        house.settle()
        house.play(until: 27)
        house.ceremony()
        house.reveal()
        house.shuffle()
        #expect(house.failures.count > 1 && house.failures.allSatisfy { $0 == .itemMissing(name) } && house.verified == [])
    }

    @Test(arguments: items)
    func anItemThatIsLeftOutOnce_isAFaultOfTheShoeInPlay(item: TableItem, name: String) throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.shuffle()
        house.settle()
        house.omitted = [item]
        house.publish()
        house.omitted = []
        house.ceremony()
        house.shuffle()
        #expect(house.failures == [.itemMissing(name)])
    }

    @Test func facesAreNoted_alsoWithoutTheNumberOfCardsLeft() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.omitted = [.cardsLeft]
        house.shuffle()
        guard case .failed(let report, .itemMissing("left"))? = house.findings.first else {
            Issue.record("found \(house.findings)")
            return
        }
        #expect(report.seen == 2)
    }

    @Test func cardsBeforeTheFirstShoe_areAFault_orSaidWithoutCeremonies() throws {
        for hasCeremonies in [true, false] {
            var house = try ShoeHouse()
            if !hasCeremonies {
                house = try ShoeHouse(publishes: false)
                house.next = nil
            }
            house.omitted = [.fairShoe]
            house.codes = Array(0..<52)
            house.deal()
            #expect(house.failures == (hasCeremonies ? [.unannounced] : []))
            #expect(house.findings.contains(.noCeremonies(table: "main")) == !hasCeremonies)
        }
    }
}

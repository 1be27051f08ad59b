import Fairness
import TableModel
import Testing

@testable import RecoveryJudge

/// Ceremonies before and after a restart.
@Suite
struct RestoredShoesTests {
    private static func digest(_ text: String) -> Digest { SHA256.hash(text.utf8) }

    private static let list = [Contributor(name: "ann", commitment: digest("c"))]
    private static let listDigest = list.listDigest(server: digest("Cs"))
    private static let mixed = MixedContributions([true])

    private static func next(
        _ stage: NextShoe.Stage, attempt: Int = 1, commitment: String = "Cs", withheld: [String] = [], shoe: Int = 2
    ) -> NextShoe {
        NextShoe(shoe: shoe, attempt: attempt, commitment: digest(commitment), withheld: withheld, stage: stage)
    }

    private static func fair(shoe: Int = 1, commitment: String = "former", order: String = "O", segment: Int? = nil) -> FairShoe {
        FairShoe(
            shoe: shoe, commitment: digest(commitment), list: shoe == 2 ? listDigest : digest("L"), mixed: mixed,
            order: digest(order), segment: segment.map { .init(number: $0, first: 52, count: 20) })
    }

    private static func table(_ fair: FairShoe?, _ next: NextShoe?) throws -> TableSnapshot {
        var entries = [TableEntry.shoe(ShoeStatus(number: fair?.shoe ?? 0, decks: 1, behindCutCard: 10))]
        if let fair { entries.append(.fairShoe(fair)) }
        if let next { entries.append(.nextShoe(next)) }
        return TableSnapshot(entries)
    }

    private static let revealing = next(.revealing(list))
    private static let made = next(.mixed(list: listDigest, mixed, order: digest("O2")))

    @Test(arguments: [
        (next(.open), next(.open)), (next(.open), revealing), (next(.open), made), (revealing, revealing), (revealing, made),
        (made, made), (revealing, next(.open, attempt: 2, commitment: "other", withheld: ["ann"])),
    ])
    func aCeremonyThatGoesOn_isNoContradiction(_ old: NextShoe, _ new: NextShoe) throws {
        let shoes = RestoredShoes(told: try Self.table(Self.fair(), old), came: try Self.table(Self.fair(), new))
        #expect(shoes.contradictions.isEmpty, "\(shoes.contradictions)")
    }

    @Test(arguments: [
        (next(.open), next(.open, commitment: "other")), (revealing, next(.open)), (made, revealing), (made, next(.open)),
        (revealing, next(.revealing([]))), (revealing, next(.mixed(list: digest("L2"), mixed, order: digest("O2")))),
        (made, next(.mixed(list: listDigest, mixed, order: digest("O3")))),
        (next(.open, attempt: 2, withheld: ["bob"]), next(.open, attempt: 3)), (next(.open, attempt: 2), next(.open)),
    ])
    func aCeremonyThatIsAnotherOne_isFound(_ old: NextShoe, _ new: NextShoe) throws {
        let shoes = RestoredShoes(told: try Self.table(Self.fair(), old), came: try Self.table(Self.fair(), new))
        #expect(shoes.contradictions.count == 1)
    }

    @Test
    func theShoeInPlay_keepsItsCeremony_andItsOrder() throws {
        let told = try Self.table(Self.fair(), Self.next(.open))
        func isContradicted(by fair: FairShoe?) throws -> Bool {
            !RestoredShoes(told: told, came: try Self.table(fair, Self.next(.open))).contradictions.isEmpty
        }
        #expect(try !isContradicted(by: Self.fair()))
        #expect(try !isContradicted(by: Self.fair(order: "of segment 1", segment: 1)))
        #expect(try isContradicted(by: Self.fair(order: "O'")))
        #expect(try isContradicted(by: Self.fair(commitment: "another")))
    }

    @Test
    func aShoeShuffledUnseen_isTheOneThatWasMade() throws {
        let told = try Self.table(Self.fair(), Self.made)
        let after = Self.next(.open, commitment: "third", shoe: 3)
        let right = try Self.table(Self.fair(shoe: 2, commitment: "Cs", order: "O2"), after)
        let wrong = try Self.table(Self.fair(shoe: 2, commitment: "Cs'", order: "O2"), after)
        #expect(RestoredShoes(told: told, came: right).contradictions.isEmpty)
        #expect(RestoredShoes(told: told, came: wrong).contradictions.count == 1)
    }
}

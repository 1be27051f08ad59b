import Rules
import TableEngine
import Testing

@testable import Records

/// The decisions of a table's owner, as records give them.
struct OwnerDecisionTests {
    private static let (ann, bob) = (PlayerID(1), PlayerID(2))
    private static let start: [Record] = [
        .account(ann, name: "ann", isBot: false, secret: Samples.digest, chips: 10, time: 1000),
        .account(bob, name: "bob", isBot: false, secret: Samples.digest, chips: 10, time: 1000),
        opened(ann, "config"),
    ]
    private static let word = Record.ownerPass(table: "t", owner: ann, "hers", configured: "config")
    private static let kick = Record.sentAway(table: "t", owner: ann, bob, until: 1000 + SentAway.milliseconds)

    private static func opened(_ owner: PlayerID?, _ pass: String?) -> Record {
        .opened(table: "t", rules: HouseRules(), pace: Pace(), pass: pass, owner: owner, time: 1000)
    }

    private func state(_ records: Record...) throws -> SavedState { try ReplayTests.replayed(Self.start + records) }

    @Test func theyOutliveTheTable_andGoWithAnotherOwner() throws {
        #expect(try state(Self.word).tables["t"]?.pass == "hers")
        let gone = try state(Self.word, Self.kick, .gone(table: "t", time: 1000))
        #expect(gone.tables.isEmpty && gone.decisions["t"]?.phrase == OwnerPhrase(pass: "hers", configured: "config"))
        #expect(gone.decisions["t"]?.sentAway.wait(of: Self.bob, at: 1001) == SentAway.milliseconds - 1)
        let kept = try state(Self.word, .gone(table: "t", time: 1000), Self.opened(Self.ann, "hers"))
        #expect(kept.decisions["t"]?.phrase?.pass == "hers")
        for owner in [nil, Self.bob] {
            #expect(try state(Self.word, .gone(table: "t", time: 1000), Self.opened(owner, nil)).decisions.isEmpty)
        }
        #expect(try state(Self.word, .closed(Self.ann, time: 1000)).decisions.isEmpty)
        let other = try state(Self.word, .sentAway(table: "t", owner: Self.bob, Self.ann, until: 9))
        #expect(other.decisions["t"]?.owner == Self.bob && other.decisions["t"]?.phrase == nil)
    }

    @Test func theHostsPhrase_overrulesTheOwners_alsoWithoutATable() throws {
        #expect(try state(Self.word, .pass(table: "t", nil)).decisions.isEmpty)
        let gone = try state(Self.word, Self.kick, .gone(table: "t", time: 1000), .pass(table: "t", "new"))
        #expect(gone.decisions["t"]?.phrase == nil && gone.decisions["t"]?.sentAway.isEmpty == false)
        #expect(throws: ReplayError.self) { try state(.gone(table: "t", time: 1000), .pass(table: "t", "new")) }
    }

    @Test func aCheckpointKeepsThem_asLongAsTheyHold() throws {
        let full = try state(Self.word, Self.kick, .gone(table: "t", time: 1000))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: full, sequence: 1)).state == full)
        let later = try state(Self.kick, .started(time: 1000 + SentAway.milliseconds, version: "1"))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: later, sequence: 1)).state.decisions.isEmpty)
        let twice = ReplayTests.checkpoint(of: full, sequence: 1).split(separator: 10).flatMap { line in
            String(decoding: line, as: UTF8.self).contains("ownerPass") ? line + [10] + line + [10] : line + [10]
        }
        #expect(throws: CheckpointError.self) { try ReplayTests.read(Array(twice)) }
    }
}

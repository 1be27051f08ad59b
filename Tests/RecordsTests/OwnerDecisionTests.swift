import Fairness
import Rules
import TableEngine
import TableModel
import Testing

@testable import Records

/// The decisions of a table's owner, as records give them.
struct OwnerDecisionTests {
    private static let (ann, bob) = (PlayerID(1), PlayerID(2))
    private static let start: [Record] = [
        .account(ann, name: "ann", isBot: false, secret: Samples.digest, chips: 10, time: 1000),
        .account(bob, name: "bob", isBot: false, secret: Samples.digest, chips: 10, time: 1000),
        opened("config"), owned(ann, 1),
    ]
    private static let word = Record.ownerPass(table: "t", owner: ann, "hers", configured: "config")
    private static let kick = Record.sentAway(table: "t", owner: ann, bob, until: 1000 + SentAway.milliseconds)

    private static func opened(_ pass: String?) -> Record {
        .opened(table: "t", rules: HouseRules(), pace: Pace(), pass: pass, time: 1000)
    }

    private static func owned(_ owner: PlayerID, _ code: UInt8) -> Record {
        .owned(table: "t", owner: owner, code: SHA256.hash([code]))
    }

    private func state(_ records: Record...) throws -> SavedState { try ReplayTests.replayed(Self.start + records) }

    @Test func theyOutliveTheTable_andGoWithAnotherOwner() throws {
        #expect(try state(Self.word).tables["t"]?.pass == "hers")
        let gone = try state(Self.word, Self.kick, .gone(table: "t", time: 1000))
        #expect(gone.tables.isEmpty && gone.decisions["t"]?.phrase == OwnerPhrase(pass: "hers", configured: "config"))
        #expect(gone.decisions["t"]?.sentAway.wait(of: Self.bob, at: 1001) == SentAway.milliseconds - 1)
        let kept = try state(Self.word, .gone(table: "t", time: 1000), Self.opened("hers"))
        #expect(kept.decisions["t"]?.phrase?.pass == "hers")
        let other = try state(Self.word, Self.kick, Self.owned(Self.bob, 2))
        #expect(other.decisions["t"]?.owner == Self.bob && other.decisions["t"]?.phrase == nil)
        #expect(other.decisions["t"]?.sentAway.isEmpty == true && other.tables["t"]?.pass == "config")
        let same = try state(Self.word, Self.owned(Self.ann, 2))
        #expect(same.decisions["t"]?.phrase?.pass == "hers" && same.tables["t"]?.pass == "hers")
        #expect(try state(Self.word, .closed(Self.ann, time: 1000)).decisions.isEmpty)
    }

    @Test func aCode_isUsedOnce_byAnAccountWithASecret_whichLasts() throws {
        #expect(throws: ReplayError.self) { try state(Self.owned(Self.ann, 1)) }
        #expect(throws: ReplayError.self) { try state(Self.owned(PlayerID(9), 2)) }
        let guest = Record.account(PlayerID(9), name: "eve", isBot: false, secret: nil, chips: 0, time: 1000)
        #expect(throws: ReplayError.self) { try state(guest, Self.owned(PlayerID(9), 2)) }
        #expect(try state().accounts[Self.bob]?.lasts == false)
        #expect(try state(Self.owned(Self.bob, 2)).accounts[Self.bob]?.lasts == true)
    }

    @Test func theIdOfSomebodyWithoutAnAccount_whoWasSentAway_isNobodyElses() throws {
        #expect(try state(.sentAway(table: "t", owner: Self.ann, PlayerID(40), until: 2000)).lastID == 40)
    }

    @Test func whoMayComeBack_isNoLongerSentAway() throws {
        let back = try state(Self.kick, .sentAway(table: "t", owner: Self.ann, Self.bob, until: 0))
        #expect(back.decisions["t"]?.sentAway.wait(of: Self.bob, at: 1) == nil)
        #expect(back.decisions["t"]?.owner == Self.ann)
    }

    @Test func theHostsPhrase_overrulesTheOwners_alsoWithoutATable() throws {
        #expect(try state(Self.word, .pass(table: "t", nil)).decisions["t"]?.phrase == nil)
        let gone = try state(Self.word, Self.kick, .gone(table: "t", time: 1000), .pass(table: "t", "new"))
        #expect(gone.decisions["t"]?.phrase == nil && gone.decisions["t"]?.sentAway.isEmpty == false)
        #expect(throws: ReplayError.self) { try state(.gone(table: "t", time: 1000), .pass(table: "t", "new")) }
    }

    private static let pause = Record.ownerPause(table: "t", owner: ann, until: 3_601_000, reason: "Pizza.", time: 1000)

    private static func postponed(_ milliseconds: Int, at time: Int64) -> Record {
        .facts(table: "t", time: time, [.postponed(milliseconds: milliseconds)])
    }

    @Test func aPause_endsWithItsOwnerAndItsTable_andACheckpointKeepsIt() throws {
        let paused = try state(Self.pause, Self.postponed(500, at: 1500))
        #expect(paused.decisions["t"]?.evening.pause == Evening.Pause(since: 1500, until: 3_601_000, reason: "Pizza."))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: paused, sequence: 1)).state == paused)
        let ends: [Record] = [
            .ownerPause(table: "t", owner: Self.ann, until: nil, time: 1500), Self.owned(Self.bob, 2),
            .facts(table: "t", time: 1500, [.postponed(milliseconds: 500), .closing(ClosingNotice())]),
            .gone(table: "t", time: 1500), .closed(Self.ann, time: 1500),
        ]
        for end in ends { #expect(try state(Self.pause, end).decisions["t"]?.evening.pause == nil) }
        // The clock was set back: what is left, and what has passed, stay the same.
        let back = try state(Self.pause, Self.postponed(500, at: 1500), .started(time: 1400, version: "1"))
        #expect(back.decisions["t"]?.evening.pause == Evening.Pause(since: 1400, until: 3_600_900, reason: "Pizza."))
    }

    @Test(arguments: [[], [Fact.postponed(milliseconds: 499)], [.postponed(milliseconds: 500)]])
    func aClockThatRunsInAPause_isFoundByTheAudit(facts: [Fact]) throws {
        var auditor = try Auditor(SavedState(house: "h"))
        let place = RecordPlace(sequence: 1, line: 1)
        for record in Self.start + [Self.pause] { try auditor.audit(record, at: place) }
        let record = Record.facts(table: "t", time: 1500, facts + [.closing(ClosingNotice()), .closed])
        guard facts == [.postponed(milliseconds: 500)] else {
            #expect(throws: AuditFinding(place: place, reason: .pause(table: "t"))) { try auditor.audit(record, at: place) }
            return
        }
        try auditor.audit(record, at: place)
    }

    @Test func aCheckpointKeepsThem_asLongAsTheyHold() throws {
        let full = try state(Self.word, Self.kick, .gone(table: "t", time: 1000))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: full, sequence: 1)).state == full)
        let later = try state(Self.kick, .started(time: 1000 + SentAway.milliseconds, version: "1"))
        #expect(
            try ReplayTests.read(ReplayTests.checkpoint(of: later, sequence: 1)).state.decisions["t"]?.sentAway.isEmpty == true)
        let twice = ReplayTests.checkpoint(of: full, sequence: 1).split(separator: 10).flatMap { line -> [UInt8] in
            let once = line + [10]
            return Array(String(decoding: line, as: UTF8.self).contains("ownerPass") ? once + once : once)
        }
        #expect(throws: CheckpointError.self) { try ReplayTests.read(twice) }
    }
}

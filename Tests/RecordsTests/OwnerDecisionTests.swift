import Fairness
import Rules
import TableModel
import Testing

@testable import Records
@testable import TableEngine

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

    private static func match(_ rounds: Int, after round: Int) -> Record {
        .ownerMatch(table: "t", owner: ann, Evening.Match(rounds: rounds, from: round))
    }

    /// Ann and bob play rounds, of which the last one may be voided; the records of all, from the start on.
    private static func played(_ rounds: Int, isVoid: Bool, _ wish: Record) throws -> [Record] {
        let chips = [ann, bob].map { Record.issued($0, chips: 10_000, reason: .credit, time: 1000) }
        var (records, table) = (
            [.started(time: 1000, version: "1", careers: true)] + start + chips + [wish], Table(rules: HouseRules(), pace: Pace())
        )
        func perform(_ command: Command, at time: Int64) throws {
            var sink = FactList()
            try table.perform(command, at: Timestamp(milliseconds: time), into: &sink)
            if table.needsShoeSource {
                try table.perform(.supplyShoe(.seeded(7)), at: Timestamp(milliseconds: time), into: &sink)
            }
            records.append(.facts(table: "t", time: time, sink.facts))
        }
        for (id, name) in [(ann, "ann"), (bob, "bob")] {
            try perform(.sit(player: id, profile: PlayerProfile(name: name, isBot: false), seat: nil, chips: 10_000), at: 1000)
        }
        for round in 1...rounds {
            let time = Int64(round) * 60_000
            for id in [ann, bob] { try perform(.bet(player: id, seat: nil, amount: id == ann ? 10 : 500), at: time) }
            if isVoid, round == rounds { try perform(.void, at: time) }
            while let seat = (1...7).first(where: { !table.legalActions(seat: $0).isEmpty }),
                let player = table.player(seat: seat)
            {
                let action: Action = table.legalActions(seat: seat).contains { $0.action == .stand } ? .stand : .decline
                try perform(.act(player: player, action: action, seat: nil, hand: nil, amount: nil), at: time)
            }
            try perform(.tick, at: time + 10_000)
        }
        return records
    }

    @Test(arguments: [false, true]) func aMatch_countsTheRoundsAfterItsBeginning_butNoVoidOne(isVoid: Bool) throws {
        let records = try Self.played(3, isVoid: isVoid, Self.match(2, after: 1))
        let state = try ReplayTests.replayed(records)
        let match = try #require(state.decisions["t"]?.evening.match)
        #expect(match.played == (isVoid ? 1 : 2) && match.isOver != isVoid && match.scores.count == 2)
        #expect(
            match.scores.allSatisfy { $0.entry.rounds == match.played } && match.standings(of: Self.bob).rounds == match.played)
        let careers = [Self.ann, Self.bob].compactMap { state.accounts[$0]?.career }
        #expect(
            careers.map(\.matches) == (isVoid ? [0, 0] : [1, 1]) && careers.map(\.matchesWon).reduce(0, +) == (isVoid ? 0 : 1))
        #expect(try ReplayTests.read(ReplayTests.checkpoint(of: state, sequence: 1)).state == state)
        var auditor = try Auditor(SavedState(house: "h"))
        for record in records { try auditor.audit(record, at: RecordPlace(sequence: 1, line: 1)) }
    }

    @Test func aMatch_endsByItsOwner_whoMaySetItsLength_andGoesWithOwnerAndTable() throws {
        func match(_ records: Record...) throws -> Evening.Match? {
            try ReplayTests.replayed(try Self.played(2, isVoid: false, Self.match(9, after: 0)) + records).decisions["t"]?.evening
                .match
        }
        #expect(try match(Self.match(5, after: 2)).map { [$0.rounds, $0.from, $0.played] } == [5, 0, 2])
        #expect(try match(Self.match(1, after: 2)).map { [$0.rounds, $0.played] } == [2, 2])
        let ended = try match(Self.match(0, after: 2))
        #expect(ended?.isOver == true && ended?.scores.count == 2)
        #expect(try match(Self.match(0, after: 2), Self.match(4, after: 2)) == Evening.Match(rounds: 4, from: 2))
        #expect(try match(Self.owned(Self.bob, 2)) == nil)
        #expect(try state(Self.match(3, after: 0), Self.match(0, after: 0)).decisions["t"]?.evening == Evening())
        #expect(try state(Self.match(3, after: 0), .gone(table: "t", time: 1000)).decisions["t"]?.evening == Evening())
        let renamed = try match(.renamed(Self.bob, name: "rob"))
        #expect(renamed?.scores.map(\.entry.name).sorted() == ["ann", "rob"])
    }

    @Test func whoIsLast_makesRoom_butNotWithinTheRound() {
        var match = Evening.Match(rounds: 100, from: 0)
        for round in 1...70 {
            let result = PlayerRound(player: PlayerID(round), round: round, net: -round)
            #expect(!match.count([result]) { "p\($0.rawValue)" })
        }
        #expect(match.scores.count == 64 && match.scores.last?.player == PlayerID(70) && match.scores[62].player == PlayerID(63))
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

import Dispatch
import Journal
import ServerCore
import Synchronization
import TestKit
import Testing

@testable import bjserver

/// Owners and spares of a storage in memory, with a lease of a tenth of a second: on a busy machine an owner may be late for it at any time.
@Suite struct PartitionTests {
    private func keeper(
        of memory: FencedMemory, _ name: String, lease: Int = 100,
        others: [FencedMemory] = [], closures: @escaping @Sendable (Int) -> [String] = { _ in [] },
        anchoredFrame: @escaping @Sendable (Int) throws(JournalError) -> UInt64 = { _ in 7 },
        note: @escaping @Sendable (LogLevel, StaticString, LogFields) -> Void = { _, _, _ in },
        damaged: @escaping @Sendable (JournalError) -> Void = { Issue.record("\($0)") }
    ) -> PartitionKeeper {
        PartitionKeeper(
            ([memory] + others).enumerated().map { ($0 + 1, $1) }, of: "memory",
            partitions: 1 + others.count, name: name, milliseconds: lease, metrics: Metrics(),
            anchoredFrame: anchoredFrame, closures: closures,
            note: note, damaged: damaged)
    }

    /// Waits for the partition on another thread.
    private func start(_ keeper: PartitionKeeper) { DispatchQueue.global().async { keeper.own() } }

    @Test func eachProcessOwnsOnePartition_andASpareTheFirstThatIsFree() throws {
        let (one, two) = (FencedMemory(), FencedMemory())
        let keepers = ["a", "b", "c"].map { keeper(of: one, $0, lease: 600_000, others: [two]) }
        keepers[0].own()
        keepers[1].own()
        #expect(keepers[0].partition == 1 && keepers[1].partition == 2)
        start(keepers[2])
        #expect(keepers[2].partition == nil && keepers[2].unreadiness == "spare")
        keepers[1].release()
        #expect(Waiting.until { keepers[2].unreadiness == nil } && keepers[2].partition == 2 && keepers[2].epoch == 2)
        #expect(try one.status().epoch == 1 && two.status().owner == "c attempt=1 frame=7")
        // Its former partition is free now: it owns one, and no other.
        keepers[0].release()
        #expect(Waiting.until { (try? one.status().owner) == .some(nil) })
        #expect(keepers[2].partition == 2)
        #expect(try one.status().epoch == 1)
        keepers[2].release()
    }

    @Test func aDamagedPartition_isLeftAlone_andTheNextIsOwned() throws {
        let (one, two) = (FencedMemory(), FencedMemory())
        let events = Mutex<[String]>([])
        let owner = keeper(
            of: one, "a", others: [two],
            anchoredFrame: { partition throws(JournalError) in
                if partition == 1 { throw .damagedAnchor }
                return 7
            }, note: { _, event, _ in events.withLock { $0.append("\(event)") } })
        owner.own()
        #expect(owner.partition == 2 && owner.unreadiness == nil)
        #expect(events.withLock { $0 } == ["partition_left_alone", "partition_owned"])
        owner.release()
    }

    @Test func anOwnerThatCannotRenew_isInDoubtUntilItCan_andFencedWhenAnotherHasClaimed() throws {
        let memory = FencedMemory()
        let owner = keeper(of: memory, "a")
        let events = Mutex<[LeaseStateMachine.Event]>([])
        owner.own()
        owner.observe { event in events.withLock { $0.append(event) } }
        memory.isAway = true
        let doubt = "the lease is in doubt: cannot lock memory: no answer"
        #expect(Waiting.until { events.withLock { $0.last } == .stalled && owner.unreadiness == doubt })
        memory.isAway = false
        #expect(Waiting.until { events.withLock { $0.last } == .resumed && owner.unreadiness == nil })
        // A renewal between the two calls is another status.
        #expect(Waiting.until { (try? memory.claim(from: memory.status(), as: "b")) ?? nil != nil })
        #expect(Waiting.until { events.withLock { $0.last } == .fenced } && owner.unreadiness != nil)
    }

    @Test func anOlderCopy_endsTheOwner_whichIsUnreadyAtOnce() throws {
        let memory = FencedMemory()
        let events = Mutex<[LeaseStateMachine.Event]>([])
        let owner = keeper(of: memory, "a", lease: 1000)
        owner.own()
        owner.observe { event in events.withLock { $0.append(event) } }
        #expect(Waiting.until { (try? memory.status().renewals > 1) == true })
        memory.rollBack(to: LeaseStatus(owner: "a", epoch: 1, renewals: 0))
        #expect(Waiting.until { events.withLock { $0.last } == .rolledBack } && owner.unreadiness != nil)
    }

    @Test func threeStartsThatWriteNothing_leaveThePartitionAlone() throws {
        let owner = try #require(PartitionKeeper.Owner("c", after: "b attempt=2 frame=7", frame: 7))
        #expect(owner.text == "c attempt=3 frame=7" && PartitionKeeper.Owner("d", after: owner.text, frame: 7) == nil)
        // The third start wrote, or a command has repaired the journal.
        #expect(PartitionKeeper.Owner("d", after: owner.text, frame: 8)?.attempt == 1)
        #expect(PartitionKeeper.Owner("d", after: "command 12 99", frame: 7)?.attempt == 1)
        #expect(PartitionKeeper.Owner("d", after: nil, frame: 7)?.attempt == 1)
        let memory = FencedMemory()
        #expect(try memory.claim(from: try memory.status(), as: owner.text) == 1)
        let spare = keeper(of: memory, "d")
        start(spare)
        #expect(Waiting.until { spare.unreadiness == "spare: 3 consecutive starts failed" })
        #expect(try memory.status().owner == owner.text)
        spare.release()
    }

    @Test func aSpare_saysWhatItWouldCloseInTheOwnersPlace() throws {
        let (one, two) = (FencedMemory(), FencedMemory())
        let events = Mutex<[String]>([])
        let owners = ["a", "b"].map { keeper(of: one, $0, lease: 2000, others: [two]) }
        for owner in owners { owner.own() }
        let spare = keeper(
            of: one, "c", lease: 2000, others: [two], closures: { $0 == 2 ? ["table x will be closed"] : [] },
            note: { _, event, fields in events.withLock { $0.append("\(event) \(fields.all.map { "\($0)" })") } })
        start(spare)
        #expect(
            Waiting.until {
                events.withLock { $0.first { $0.contains("config_warning") } }?.contains("partition 2: table x will be closed")
                    == true
            })
        for keeper in owners + [spare] { keeper.release() }
    }

    @Test func aNewerJournal_isNotClaimed() throws {
        let memory = FencedMemory()
        let tooNew = JournalError.unsupportedVersion(file: "anchor.json", version: 3)
        let spare = keeper(of: memory, "a", anchoredFrame: { _ throws(JournalError) in throw tooNew })
        start(spare)
        #expect(Waiting.until { spare.unreadiness == "spare: \(tooNew)" })
        #expect(try memory.status() == LeaseStatus(owner: nil, epoch: 0, renewals: 0))
        spare.release()
    }

    @Test func aDamagedAnchor_endsTheSpare_whichLeavesThePartitionAlone() throws {
        let memory = FencedMemory()
        let damage = Mutex<JournalError?>(nil)
        let spare = keeper(
            of: memory, "a", anchoredFrame: { _ throws(JournalError) in throw .damagedAnchor },
            damaged: { error in damage.withLock { $0 = error } })
        start(spare)
        #expect(Waiting.until { damage.withLock { $0 } == .damagedAnchor })
        #expect(Waiting.until { spare.unreadiness == "spare: anchor.json is damaged" })
        #expect(try memory.status() == LeaseStatus(owner: nil, epoch: 0, renewals: 0))
        spare.release()
    }

    @Test func aSpareWithoutAnAnswer_saysWhy_inItsLogAndAtReadyz() throws {
        let memory = FencedMemory()
        let events = Mutex<[String]>([])
        memory.isAway = true
        let spare = keeper(of: memory, "a", note: { _, event, _ in events.withLock { $0.append("\(event)") } })
        start(spare)
        #expect(Waiting.until { events.withLock { $0 } == ["lease_failed"] })
        #expect(spare.unreadiness == "spare: cannot lock memory: no answer")
        memory.isAway = false
        #expect(Waiting.until { spare.unreadiness == nil })
        spare.release()
    }
}

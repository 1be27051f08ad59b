import TestKit
import Testing

@testable import Journal

/// Processes that share a partition on virtual time, in milliseconds. Calls take time, and have their effect at one moment of it; processes
/// stand still, the storage goes away.
private struct LeaseWorld {
    static let lease: UInt64 = 1000
    /// A call is given up after this.
    static let deadline = 250

    struct Member {
        var machine = LeaseStateMachine(lease: lease)
        /// Runs nothing before.
        var pausedUntil: UInt64 = 0
        var call: (call: LeaseStateMachine.Call, effect: UInt64, end: UInt64, result: LeaseStateMachine.Result?)?
        var epoch: UInt64?
        /// Events, for expectations.
        var events: [LeaseStateMachine.Event] = []
        var isEnded = false
    }

    let memory = FencedMemory()
    var now: UInt64 = 0
    var random: SeededGenerator
    var processes: [Member]
    /// The process that owned an epoch, and those that committed in it.
    var owners: [UInt64: Int] = [:]
    /// Calls take up to so long.
    var latency = 20
    var failures: [String] = []

    init(processes count: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        processes = Array(repeating: Member(), count: count)
    }

    /// A step of 5 ms.
    mutating func step() {
        now += 5
        for index in processes.indices where processes[index].pausedUntil <= now && !processes[index].isEnded { run(index) }
        // A call that is on its way has its effect also while its process stands still.
        for index in processes.indices where processes[index].pausedUntil > now { effect(index) }
    }

    mutating func run(until end: UInt64) { while now < end { step() } }

    private mutating func effect(_ index: Int) {
        guard var pending = processes[index].call, pending.result == nil, now >= pending.effect else { return }
        pending.result = carryOut(pending.call, by: index)
        processes[index].call = pending
    }

    private mutating func run(_ index: Int) {
        effect(index)
        if let event = processes[index].machine.tick(at: now) { note(event, index) }
        if let pending = processes[index].call {
            guard now >= pending.end else { return commit(index) }
            processes[index].call = nil
            if let event = processes[index].machine.take(pending.result ?? .failed, at: now) { note(event, index) }
        }
        switch processes[index].machine.next(at: now) {
        case .call(let call):
            let length = memory.isAway ? Self.deadline : 1 + random.below(latency)
            let end = now + UInt64(length)
            processes[index].call = (call, now + UInt64(random.below(length)), end, memory.isAway ? .failed : nil)
        case .wait: break
        case .finished: processes[index].isEnded = true
        }
        commit(index)
    }

    private mutating func carryOut(_ call: LeaseStateMachine.Call, by index: Int) -> LeaseStateMachine.Result {
        do throws(JournalError) {
            switch call {
            case .read: return .status(try memory.status())
            case .claim(let status):
                // Eviction of an owner that lives, and that the storage answers.
                let epoch = try memory.claim(from: status, as: "p\(index)")
                if let epoch { owners[epoch] = index }
                return .claimed(epoch: epoch)
            case .renew(let epoch): return .renewed(try memory.renew(epoch))
            case .release(let epoch):
                _ = try memory.release(epoch)
                return .released
            }
        } catch { return .failed }
    }

    private mutating func note(_ event: LeaseStateMachine.Event, _ index: Int) {
        processes[index].events.append(event)
        switch event {
        case .owned(let epoch): processes[index].epoch = epoch
        case .fenced: (processes[index].epoch, processes[index].isEnded) = (nil, true)
        case .rolledBack: failures.append("process \(index) sees an older copy")
        case .stalled, .resumed: break
        }
    }

    /// Writes as the owner of an epoch, as long as the process takes itself for it.
    private mutating func commit(_ index: Int) {
        guard let epoch = processes[index].epoch, (try? memory.storage(epoch: epoch).create("file")) != nil else { return }
        if owners[epoch] != index { failures.append("process \(index) commits in epoch \(epoch) of \(owners[epoch] ?? -1)") }
        if (try? memory.status().epoch) != epoch { failures.append("a commit in epoch \(epoch), which is over") }
    }

    /// A supervisor starts ended processes again.
    mutating func restart() {
        for index in processes.indices where processes[index].isEnded { processes[index] = Member() }
    }

    /// The process that owns the partition now.
    var owner: Int? {
        guard let status = try? memory.status(), status.owner != nil else { return nil }
        return owners[status.epoch]
    }
}

struct LeaseTests {
    @Test(arguments: 0..<40) func atMostOneProcessCommitsInAnEpoch_whateverStandsStill(_ number: Int) {
        let seed = Seed.value &+ UInt64(number)
        var world = LeaseWorld(processes: 3, seed: seed)
        world.latency = 1 + world.random.below(400)
        for _ in 0..<30 {
            world.run(until: world.now + UInt64(world.random.below(900)))
            switch world.random.below(4) {
            case 0: world.memory.isAway.toggle()
            case 1: world.processes[world.random.below(3)].machine.release()
            default: world.processes[world.random.below(3)].pausedUntil = world.now + UInt64(world.random.below(3000))
            }
            world.restart()
        }
        #expect(world.failures.isEmpty, "seed \(seed)")
        world.memory.isAway = false
        world.latency = 20
        // A process that stood still may carry its release out now.
        for _ in 0..<12 {
            world.restart()
            world.run(until: world.now + 500)
        }
        let epoch = try? world.memory.status().epoch
        let isOwned = world.processes.contains { $0.epoch == epoch }
        #expect(world.owner != nil && isOwned, "seed \(seed)")
    }

    @Test(arguments: 0..<20) func anOutageOfTheStorage_evictsNobody(_ number: Int) {
        let seed = Seed.value &+ UInt64(number)
        var world = LeaseWorld(processes: 4, seed: seed)
        world.run(until: 3000)
        let owner = world.owner
        for _ in 0..<5 {
            world.memory.isAway = true
            world.run(until: world.now + UInt64(world.random.below(20_000)))
            world.memory.isAway = false
            world.run(until: world.now + 2500 + UInt64(world.random.below(2000)))
            #expect(world.owner == owner && owner != nil, "seed \(seed)")
        }
        let changes = owner.map { world.processes[$0].events.dropFirst() } ?? []
        #expect(changes.allSatisfy { $0 == .stalled || $0 == .resumed } && changes.last != .stalled, "seed \(seed): \(changes)")
    }

    @Test func anOwnerThatDies_isSucceededAfterOneLease_byOneOfItsSpares() throws {
        var world = LeaseWorld(processes: 3, seed: Seed.value)
        world.run(until: 3000)
        let first = try #require(world.owner)
        let died = world.now
        world.processes[first].pausedUntil = .max
        while world.owner == first, world.now < died + 10_000 { world.step() }
        // Since its last renewal, which was up to 0.2 s before.
        #expect(world.now - died > LeaseWorld.lease - 250 && world.now - died < LeaseWorld.lease + 700)
        let second = world.owner
        world.run(until: world.now + 3000)
        #expect(second != nil && world.owner == second)
        // It wakes: its first call tells it.
        world.processes[first].pausedUntil = 0
        world.run(until: world.now + 100)
        #expect(world.processes[first].events.last == .fenced && world.processes[first].events.contains(.stalled))
        #expect(world.failures.isEmpty)
    }

    @Test func anOwnerThatReleases_isSucceededAtOnce() {
        var world = LeaseWorld(processes: 2, seed: Seed.value)
        world.run(until: 3000)
        let first = world.owner
        if let first { world.processes[first].machine.release() }
        let start = world.now
        while world.owner == nil || world.owner == first, world.now < start + 5000 { world.step() }
        #expect(world.now - start <= 300 && world.owner == first.map { 1 - $0 })
    }

    /// Before its release has reached the storage, or after it.
    @Test(arguments: 0..<20) func anOwnerThatDiesWhileItHandsOver_isSucceeded_atOnceIfItHadReleased(_ number: Int) throws {
        let seed = Seed.value &+ UInt64(number)
        var world = LeaseWorld(processes: 2, seed: seed)
        world.run(until: 3000)
        let first = try #require(world.owner)
        world.processes[first].machine.release()
        world.run(until: world.now + UInt64(world.random.below(30)))
        let hadReleased = try world.memory.status().owner == nil
        world.processes[first].pausedUntil = .max
        let start = world.now
        while world.owner == nil || world.owner == first, world.now < start + 5000 { world.step() }
        #expect(world.owner == 1 - first && world.failures.isEmpty, "seed \(seed)")
        #expect(world.now - start <= (hadReleased ? 300 : LeaseWorld.lease + 700), "seed \(seed)")
    }

    /// A commit that a busy disk delays beyond the call's deadline.
    @Test func aReleaseInDoubt_isRepeated_soThatNoSpareWaitsForALease() {
        var machine = LeaseStateMachine(lease: 1000)
        _ = (machine.next(at: 0), machine.take(.status(LeaseStatus(owner: nil, epoch: 4, renewals: 9)), at: 10))
        _ = (machine.next(at: 10), machine.take(.claimed(epoch: 5), at: 30))
        machine.release()
        #expect(machine.next(at: 30) == .call(.release(epoch: 5)) && machine.take(.failed, at: 280) == nil)
        #expect(machine.next(at: 280) == .wait(until: 380) && machine.next(at: 380) == .call(.release(epoch: 5)))
        #expect(machine.take(.released, at: 400) == nil && machine.next(at: 400) == .finished)
    }

    @Test func anOwnerCutOffAlone_stallsAfterALease_andIsFencedWhenItIsBack() {
        var machine = LeaseStateMachine(lease: 1000)
        #expect(machine.next(at: 0) == .call(.read))
        let released = LeaseStatus(owner: nil, epoch: 4, renewals: 9)
        #expect(machine.take(.status(released), at: 10) == nil && machine.next(at: 10) == .call(.claim(from: released)))
        #expect(machine.take(.claimed(epoch: 5), at: 30) == .owned(epoch: 5))
        #expect(machine.next(at: 30) == .wait(until: 210) && machine.next(at: 210) == .call(.renew(epoch: 5)))
        func renewed(_ renewals: UInt64, epoch: UInt64 = 5) -> LeaseStateMachine.Result {
            .renewed(LeaseStatus(owner: "a", epoch: epoch, renewals: renewals))
        }
        #expect(machine.take(renewed(10), at: 220) == nil)
        // From the beginning of the renewal, not from its end.
        #expect(machine.tick(at: 1209) == nil && machine.tick(at: 1210) == .stalled && machine.tick(at: 1211) == nil)
        #expect(machine.next(at: 1211) == .call(.renew(epoch: 5)))
        #expect(machine.take(.failed, at: 1400) == nil && machine.isStalled && machine.next(at: 1500) == .call(.renew(epoch: 5)))
        #expect(machine.take(renewed(10, epoch: 6), at: 1510) == .fenced && machine.next(at: 2000) == .finished)
    }

    @Test func aRenewalThatTookALease_resumesNothing() {
        var machine = LeaseStateMachine(lease: 1000)
        _ = machine.next(at: 0)
        _ = machine.take(.status(LeaseStatus(owner: nil, epoch: 0, renewals: 0)), at: 0)
        _ = machine.next(at: 0)
        _ = machine.take(.claimed(epoch: 1), at: 0)
        _ = machine.next(at: 200)
        #expect(machine.tick(at: 1000) == .stalled)
        func renewed(_ renewals: UInt64) -> LeaseStateMachine.Result {
            .renewed(LeaseStatus(owner: "a", epoch: 1, renewals: renewals))
        }
        #expect(machine.take(renewed(1), at: 1300) == nil && machine.isStalled)
        #expect(machine.next(at: 1300) == .call(.renew(epoch: 1)) && machine.take(renewed(2), at: 1310) == .resumed)
    }

    /// A dump restored under running servers: of the same epoch, where renewals still succeed, and of an earlier one.
    @Test(arguments: [LeaseStatus(owner: "a", epoch: 5, renewals: 4), LeaseStatus(owner: "a", epoch: 4, renewals: 90)])
    func anOlderCopy_endsItsOwner_andASpareLeavesItAlone(copy: LeaseStatus) throws {
        let memory = FencedMemory()
        memory.rollBack(to: LeaseStatus(owner: nil, epoch: 4, renewals: 9))
        var (owner, spare, now) = (LeaseStateMachine(lease: 1000), LeaseStateMachine(lease: 1000), UInt64(0))
        func step(_ machine: inout LeaseStateMachine) throws -> LeaseStateMachine.Event? {
            guard case .call(let call) = machine.next(at: now) else { return nil }
            let result: LeaseStateMachine.Result
            switch call {
            case .read: result = .status(try memory.status())
            case .claim(let status): result = .claimed(epoch: try memory.claim(from: status, as: "a"))
            case .renew(let epoch): result = .renewed(try memory.renew(epoch))
            case .release: result = .released
            }
            return machine.take(result, at: now)
        }
        for _ in 0..<20 {
            _ = (try step(&owner), try step(&spare))
            now += 100
        }
        let newest = try memory.status()
        #expect((newest.epoch, newest.renewals) > (copy.epoch, copy.renewals) && !owner.isInDoubt(at: now))
        memory.rollBack(to: copy)
        var events: (owner: LeaseStateMachine.Event?, spare: LeaseStateMachine.Event?)
        // The spare has no answer while the copy is restored.
        if case .call = spare.next(at: now) { _ = spare.take(.failed, at: now) }
        while events.owner == nil || events.spare == nil, now < 10_000 {
            now += 100
            if events.owner == nil { events.owner = try step(&owner) }
            if events.spare == nil { events.spare = try step(&spare) }
        }
        #expect(events.owner == .rolledBack && owner.next(at: now) == .finished && owner.isInDoubt(at: now))
        #expect(events.spare == .rolledBack && spare.next(at: now) == .wait(until: .max))
        spare.release()
        #expect(spare.next(at: now) == .finished)
    }

    @Test func eachStartRaisesTheAnchor_byTheFramesOfTheOneBefore() throws {
        var (storage, generator) = (FaultStorage(), SeededGenerator())
        var frames: [UInt64] = []
        for _ in 0..<4 {
            frames.append(try JournalFolder(reading: storage).anchoredFrame())
            let folder = try JournalFolder(locking: storage)
            var reader = try JournalReader(folder)
            while try reader.next() != nil {}
            let end = try #require(reader.end)
            let log = try DurableLog(folder, continuing: end, house: 1, callbacks: .init(failed: { _ in }))
            log.waitUntilDurable(log.append(Array("{}\n".utf8)))
            // Killed: an orderly end raises the anchor, too, and the thread of this one goes on with files of its own.
            storage = storage.survivors(.nothing, using: &generator)
        }
        // A start raises it before its first frame; the thread of a segment may raise it further before the kill.
        #expect(frames.enumerated().allSatisfy { (max(0, $0.offset - 1)...$0.offset).contains(Int($0.element)) }, "\(frames)")
    }

    @Test func aSpareClaims_onlyAfterALeaseOfReadsWithoutAFailure() {
        var machine = LeaseStateMachine(lease: 1000)
        let status = LeaseStatus(owner: "a", epoch: 3, renewals: 7)
        var now: UInt64 = 0
        func read(_ result: LeaseStateMachine.Result, times: Int) {
            for _ in 0..<times {
                #expect(machine.next(at: now) == .call(.read))
                _ = machine.take(result, at: now)
                now += 200
            }
        }
        read(.status(status), times: 5)
        // One that it did not get to see may have told of a renewal that was undone: begins again.
        read(.failed, times: 1)
        read(.status(status), times: 6)
        #expect(machine.next(at: now) == .call(.claim(from: status)))
        #expect(machine.take(.claimed(epoch: nil), at: now) == nil)
        now += 200
        #expect(machine.next(at: now) == .call(.read))
    }
}

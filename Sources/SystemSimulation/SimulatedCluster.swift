import Journal
import LoadGenerator
import ServerCore

/// Processes that share a fenced storage in memory: one owns it and serves, the others wait for it. Their leases run on virtual time.
final class SimulatedCluster {
    private final class Member {
        let process: VirtualProcess
        var lease = LeaseStateMachine(lease: SimulatedCluster.lease)
        var epoch: UInt64?
        var server: Server?
        /// Claims although the owner lives.
        var isImpatient = false
        /// Whether it has given the storage up.
        var hasReleased = false

        init(_ process: VirtualProcess) { self.process = process }
    }

    /// Milliseconds.
    private static let lease: UInt64 = 2000
    /// Microseconds until a proxy finds that a process stands still.
    private static let notice: Int64 = 300_000
    private static let size = 2

    let memory = FencedMemory()
    private weak var world: SystemWorld?
    private var members: [Member] = []
    private var random: SeededRandom

    init(_ world: SystemWorld) {
        self.world = world
        random = SeededRandom(seed: world.settings.seed, stream: 5)
    }

    // MARK: Members

    /// Starts processes until there are enough, after a while.
    func fill(after microseconds: Int64) {
        world?.machine.after(microseconds) { [weak self] in
            guard let self, let world else { return }
            members.removeAll { $0.process.isEnded }
            while members.count < Self.size {
                let member = Member(world.machine.startProcess())
                member.process.isReady = { [weak self, weak member] in
                    guard let member, let machine = self?.world?.machine else { return false }
                    return !member.lease.isInDoubt(at: UInt64(machine.monotonic))
                }
                members.append(member)
                run(member)
            }
        }
    }

    func end() {
        for member in members { end(member) }
        members = []
    }

    private func end(_ member: Member) {
        member.process.end()
        member.server?.abandon()
        member.server = nil
    }

    private var owner: Member? { members.first { $0.server != nil && $0.server === world?.server && !$0.process.isEnded } }

    /// The process that players reach ends without a word.
    func killOwner() {
        if let owner { leave(owner) }
    }

    private func leave(_ member: Member) {
        guard let world else { return }
        let wasServing = member.server != nil && world.server === member.server
        if wasServing { world.serve(nil, in: member.process) }
        end(member)
        if wasServing { world.noteRestart() }
        fill(after: Int64(random.below(500_000)))
    }

    // MARK: Leases

    private func run(_ member: Member) {
        guard let machine = world?.machine, !member.process.isEnded else { return }
        let now = UInt64(machine.monotonic)
        if let event = member.lease.tick(at: now) { take(event, member) }
        switch member.lease.next(at: now) {
        case .finished: break
        case .wait(let tick):
            let wait = min(Int64(clamping: tick - min(tick, now)), 50)
            member.process.after(max(1, wait) * 1000) { [weak self, weak member] in if let member { self?.run(member) } }
        case .call(let call):
            // A call that is on its way has its effect also while its process stands still.
            machine.after(Int64(100 + random.below(8000))) { [weak self, weak member] in
                guard let self, let member, !member.process.isEnded else { return }
                let result = carryOut(call, of: member)
                member.process.after(Int64(100 + random.below(3000))) { [weak self, weak member] in
                    guard let self, let member, let machine = world?.machine else { return }
                    if let event = member.lease.take(result, at: UInt64(machine.monotonic)) { take(event, member) }
                    run(member)
                }
            }
        }
    }

    private func carryOut(_ call: LeaseStateMachine.Call, of member: Member) -> LeaseStateMachine.Result {
        do throws(StorageError) {
            switch call {
            case .read:
                var status = try memory.status()
                if member.isImpatient { status.owner = nil }
                return .status(status)
            case .claim(var status):
                if member.isImpatient { status.owner = try memory.status().owner }
                member.isImpatient = false
                return .claimed(epoch: try memory.claim(from: status, as: "process \(member.process.number)"))
            case .renew(let epoch): return .renewed(try memory.renew(epoch))
            case .release(let epoch):
                _ = try memory.release(epoch)
                return .released
            }
        } catch { return .failed }
    }

    private func take(_ event: LeaseStateMachine.Event, _ member: Member) {
        switch event {
        case .owned(let epoch):
            member.epoch = epoch
            serve(member, epoch)
        case .stalled, .resumed: member.server?.doubtLease(event == .stalled)
        case .fenced: fenced(member)
        }
    }

    private func serve(_ member: Member, _ epoch: UInt64) {
        guard let world else { return }
        // Players of the former owner that a proxy has not sent away yet.
        if let owner { world.machine.network.cut(owner.process) }
        world.serve(nil, in: member.process)
        world.noteRestart()
        memory.disk.setTime(UInt64(world.machine.wallClock))
        do {
            member.server = try world.start(member.process, on: memory.storage(epoch: epoch)) { [weak self, weak member] error in
                guard let self, let member else { return }
                if case .fenced = error {
                    // The program ends at once; not within a call of its own.
                    self.world?.machine.after(1) { [weak self, weak member] in if let member { self?.fenced(member) } }
                } else {
                    self.world?.violations.append("the journal failed: \(error)")
                }
            }
            world.serve(member.server, in: member.process)
        } catch let error as RecoveryError {
            guard case .journal(.fenced) = error else { return world.violations.append("a spare does not start: \(error)") }
            fenced(member)
        } catch { world.violations.append("a spare does not start: \(error)") }
    }

    /// Another process owns the storage: this one ends.
    private func fenced(_ member: Member) {
        guard let world, !member.process.isEnded else { return }
        if memory.owns(member.epoch) { world.violations.append("the owner of epoch \(member.epoch ?? 0) is refused") }
        leave(member)
    }

    /// Gives the storage up, in the midst of a hand-over.
    var release: (@Sendable () -> Void)? {
        guard let owner, let epoch = owner.epoch else { return nil }
        let process = owner.process
        process.released = { [weak self, weak owner] in
            owner?.lease.release()
            owner?.hasReleased = (try? self?.memory.release(epoch)) ?? false
        }
        return { process.released?() }
    }

    /// A server has stopped in order, perhaps beside the one that has taken over.
    func stopped(_ process: VirtualProcess) {
        guard let world, let member = members.first(where: { $0.process === process }) else { return }
        if member.hasReleased, member.server?.hasLostRecords == true { world.violations.append("a hand-over has lost records") }
        leave(member)
    }

    // MARK: Faults

    /// - Returns: what happened, in words.
    func disturb(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        guard let world, let owner, let server = owner.server, server.state == .ready else { return "nobody serves" }
        switch kind {
        case .pause:
            let length = Int64(random.below(3) == 0 ? random.below(1500) : 1500 + random.below(6000)) * 1000
            owner.process.pausedUntil = world.machine.time + length
            world.serve(nil, in: owner.process)
            world.machine.after(min(length, Self.notice)) { [weak self, weak owner] in
                guard let self, let owner, let world = self.world, !owner.process.isEnded else { return }
                // Players that a proxy sends away come back once somebody is ready.
                world.machine.network.cut(owner.process)
                if world.server == nil { world.noteRestart() }
            }
            world.machine.after(length + 1) { [weak self, weak owner] in
                guard let self, let owner, let world = self.world, world.server == nil, !owner.process.isEnded else { return }
                world.serve(owner.server, in: owner.process)
            }
            return "process \(owner.process.number) stands still for \(length / 1000) ms"
        case .takeover:
            guard let spare = members.first(where: { $0.server == nil && $0.epoch == nil }) else { return "there is no spare" }
            spare.isImpatient = true
            return "process \(spare.process.number) claims beside process \(owner.process.number)"
        default:
            world.stop(server, timeout: nil, restartAfter: Int64(random.below(300_000)))
            return "process \(owner.process.number) hands over"
        }
    }
}

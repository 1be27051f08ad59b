import Fairness
import Journal
import LoadGenerator
import Records
import ServerCore
import Sockets
import StorageDoubles
import TableEngine
import TableModel
import Wire

/// Processes that share the fenced storages of a house's partitions, in memory: one owns each and serves, the others wait. Their leases run
/// on virtual time.
///
/// Players reach the newest owner of any partition through a proxy, which asks each process whether it is ready, as the sample for HAProxy
/// does. A process that stands still answers nothing: its connections hang until the proxy notices. One that wakes as an owner of before may
/// accept connections and read requests until it learns of its successor. Players, whom the judge believes, are not sent there, nor relayed; a
/// ``StalePlayer`` is.
final class SimulatedCluster {
    private final class Member {
        let process: VirtualProcess
        /// By partition; of an owner its own alone.
        var leases: [Int: LeaseStateMachine]
        var (partition, epoch): (Int?, UInt64?)
        var server: Server?
        /// The partition that it claims although the owner lives.
        var coveted: Int?
        /// The frames in its journal when it gave the storage up.
        var released: UInt64?
        /// Checks of the proxy that failed in a row.
        var failedChecks = SimulatedCluster.checks

        var isUp: Bool { failedChecks < SimulatedCluster.checks }

        init(_ process: VirtualProcess, partitions: Range<Int>) {
            self.process = process
            leases = Dictionary(uniqueKeysWithValues: partitions.map { ($0, .init(lease: SimulatedCluster.lease)) })
        }

        func isInDoubt(at time: Int64) -> Bool { partition.flatMap { leases[$0] }?.isInDoubt(at: UInt64(time)) ?? true }
    }

    /// Milliseconds.
    private static let lease: UInt64 = 2000
    /// The proxy's checks, as in the sample for HAProxy: microseconds between two, and until one without an answer fails; failures in a row
    /// after which a process is sent nobody and loses its connections.
    private static let (checkInterval, checkTimeout, checks): (Int64, Int64, Int) = (200_000, 500_000, 2)

    /// By partition, from 0.
    let memories: [FencedMemory]
    /// Where accounts are, of several partitions.
    let rows = SharedRows()
    /// Microseconds of a call of the registry, at most.
    private var registryDelay = 4000
    private unowned let world: SystemWorld  // owns the cluster, and its end removes all events
    private var members: [Member] = []
    private var isClosing = false
    private var stalePlayers: [StalePlayer] = []
    private var random: SeededRandom

    init(_ world: SystemWorld, partitions: Int) {
        self.world = world
        memories = (0..<partitions).map { _ in FencedMemory() }
        random = SeededRandom(seed: world.settings.seed, stream: 5)
    }

    // MARK: Members

    /// Starts processes until there are enough, after a while.
    func fill(after microseconds: Int64) {
        world.machine.after(microseconds) { [self] in
            members.removeAll { $0.process.isEnded }
            while members.count <= memories.count, !isClosing {
                let member = Member(world.machine.startProcess(), partitions: memories.indices)
                members.append(member)
                run(member)
                check(member)
            }
        }
    }

    func end() {
        for member in members { end(member) }
        (members, stalePlayers) = ([], [])
    }

    private func end(_ member: Member) {
        member.process.end()
        member.server?.abandon()
        member.server = nil
    }

    /// No process starts or takes over any more.
    func close() {
        isClosing = true
        for member in members where member.server == nil { finish(member) }
    }

    private func owner(of partition: Int) -> Member? {
        members.first { $0.server != nil && $0.server === world.hosts[partition].server && !$0.process.isEnded }
    }

    // MARK: The proxy

    /// The process that a player is sent to.
    func entry() -> VirtualProcess? {
        let ready = memories.indices.compactMap { owner(of: $0) }.filter(\.isUp)
        return ready.count < 2 ? ready.first?.process : ready[random.below(ready.count)].process
    }

    private func check(_ member: Member) {
        let machine = world.machine
        machine.after(member.process.isPaused ? Self.checkTimeout : 1000) { [self] in
            guard !member.process.isEnded else { return }
            let isReady =
                !member.process.isPaused && member.server?.state == .ready && !member.isInDoubt(at: machine.monotonic)
            member.failedChecks = isReady ? 0 : member.failedChecks + 1
            if member.failedChecks == Self.checks { machine.network.cut(member.process, keepingRelays: true) }
            machine.after(Self.checkInterval) { [self] in check(member) }
        }
    }

    /// The owner of a partition ends without a word.
    func killOwner(of partition: Int) { if let owner = owner(of: partition) { finish(owner) } }

    private func finish(_ member: Member) {
        let served = member.server.flatMap { server in memories.indices.first { world.hosts[$0].server === server } }
        if let released = member.released, let count = member.server?.journal?.appended, count > released {
            world.violations.append("process \(member.process.number) records \(count - released) frames in a storage it gave up")
        }
        if let served { world.serve(nil, in: member.process, partition: served) }
        end(member)
        if let served { world.noteRestart(of: served) }
        fill(after: Int64(random.below(500_000)))
    }

    // MARK: Leases

    private func run(_ member: Member) {
        guard !member.process.isEnded else { return }
        let now = UInt64(world.machine.monotonic)
        if let partition = member.partition, let event = member.leases[partition]?.tick(at: now) { take(event, member) }
        // One call at a time: a spare claims one partition.
        let first = member.leases.count < 2 ? 0 : random.below(memories.count)
        for index in memories.indices {
            let partition = (first + index) % memories.count
            guard case .call(let call) = member.leases[partition]?.next(at: now) else { continue }
            // A call that is on its way has its effect also while its process stands still.
            return world.machine.after(Int64(100 + random.below(8000))) { [self] in
                guard !member.process.isEnded else { return }
                let result = carryOut(call, on: partition, of: member)
                member.process.after(Int64(100 + random.below(3000))) { [self] in
                    if let event = member.leases[partition]?.take(result, at: UInt64(world.machine.monotonic)) {
                        if case .owned = event {
                            (member.partition, member.leases) = (partition, member.leases.filter { $0.key == partition })
                        }
                        take(event, member)
                    }
                    run(member)
                }
            }
        }
        let waits = member.leases.values.compactMap { lease -> UInt64? in
            var lease = lease
            guard case .wait(let tick) = lease.next(at: now) else { return nil }
            return tick - min(tick, now)
        }
        guard let wait = waits.min() else { return }
        member.process.after(max(1, min(Int64(clamping: wait), 50)) * 1000) { [self] in run(member) }
    }

    private func carryOut(
        _ call: LeaseStateMachine.Call, on partition: Int, of member: Member
    ) -> LeaseStateMachine.Result {
        let memory = memories[partition]
        do throws(JournalError) {
            switch call {
            case .read:
                var status = try memory.status()
                if member.coveted == partition { status.owner = nil }
                return .status(status)
            case .claim(var status):
                if member.coveted == partition { status.owner = try memory.status().owner }
                member.coveted = nil
                let epoch = try memory.claim(from: status, as: "process \(member.process.number)")
                // The rows' fence: the partition's row has the epoch.
                if let epoch { _ = rows.registry(partition + 1, epoch: epoch) }
                return .claimed(epoch: epoch)
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
        case .rolledBack: world.violations.append("a lease went back")
        }
    }

    private func serve(_ member: Member, _ epoch: UInt64) {
        guard let partition = member.partition else { return }
        let memory = memories[partition]
        // The answers of a former owner that lives are not judged beside those of the new one.
        if let owner = owner(of: partition) {
            owner.process.isSuperseded = true
            world.machine.network.cut(owner.process)
        }
        world.serve(nil, in: member.process, partition: partition)
        world.noteRestart(of: partition)
        memory.disk.setTime(UInt64(world.machine.wallClock))
        do {
            member.server = try world.start(
                member.process, partition: partition, on: memory.storage(epoch: epoch),
                registry: registry(of: partition, member.process, epoch: epoch)
            ) { [self] error in
                guard case .fenced = error else { return world.violations.append("the journal failed: \(error)") }
                // The program ends at once; not within a call of its own.
                world.machine.after(1) { [self] in fenced(member) }
            }
            world.serve(member.server, in: member.process, partition: partition)
            probeFormerOwners(of: member)
        } catch JournalError.fenced {
            fenced(member)
        } catch JournalError.storage(let error) where error.isUnavailable {
            // The registry: the program ends.
            finish(member)
        } catch { world.violations.append("a spare does not start: \(error)") }
    }

    /// Has a player reach each process that owned the storage before and does not know yet.
    private func probeFormerOwners(of owner: Member) {
        stalePlayers.removeAll { $0.link == nil }
        for former in members where former !== owner && former.server != nil && former.partition == owner.partition {
            let login = ClientMessage.login(
                name: "stale\(world.starts)", secret: AccountSecret(using: &random), isBot: true, version: WireLimits.version)
            let player = StalePlayer(world.machine.network, login: Request(id: .number(1), login)) { [world] in
                world.violations.append("process \(former.process.number) granted a seat after \(owner.process.number) owned")
            }
            player.link = world.machine.network.connect(player, from: "127.0.2.1", to: former.process)
            stalePlayers.append(player)
        }
    }

    /// Another process owns the storage: this one ends.
    private func fenced(_ member: Member) {
        guard !member.process.isEnded else { return }
        if let partition = member.partition, memories[partition].owns(member.epoch) {
            world.violations.append("the owner of epoch \(member.epoch ?? 0) is refused")
        }
        finish(member)
    }

    /// Gives a partition's storage up, in the midst of a hand-over.
    func release(of partition: Int = 0) -> (@Sendable () -> Void)? {
        guard let owner = owner(of: partition), let epoch = owner.epoch else { return nil }
        let process = owner.process
        process.released = { [memory = memories[partition], world] in
            owner.leases[partition]?.release()
            guard (try? memory.release(epoch)) == true, let journal = owner.server?.journal else { return }
            owner.released = journal.appended
            guard journal.durable < journal.appended else { return }
            world.violations.append("process \(process.number) gives the storage up before its records are durable")
        }
        return { process.released?() }
    }

    /// A server has stopped in order, perhaps beside the one that has taken over.
    func stopped(_ process: VirtualProcess) {
        guard let member = members.first(where: { $0.process === process }) else { return }
        if member.released != nil, member.server?.hasLostRecords == true {
            world.violations.append("a hand-over has lost records")
        }
        finish(member)
    }

    // MARK: Faults

    /// - Returns: what happened, in words.
    func disturbRegistry(_ random: inout SeededRandom) -> String {
        let length = Int64(random.below(5_000_000))
        switch random.below(3) {
        case 0:
            rows.isAway = true
            world.machine.after(length) { [rows] in rows.isAway = false }
            return "the registry does not answer for \(length / 1000) ms"
        case 1:
            registryDelay = 1_000_000
            world.machine.after(length) { [self] in registryDelay = 4000 }
            return "the registry answers late for \(length / 1000) ms"
        default:
            rows.lostAnswers = 1 + random.below(4)
            return "\(rows.lostAnswers) answers of the registry are lost"
        }
    }

    func healRegistry() { (rows.isAway, rows.lostAnswers, registryDelay) = (false, 0, 4000) }

    /// The registry of a partition's owner; nil with one partition.
    func registry(of partition: Int, _ member: VirtualProcess, epoch: UInt64) -> (any Registry)? {
        guard memories.count > 1 else { return nil }
        member.registryDelay = { [self] in Int64(50 + random.below(registryDelay)) }
        member.rowChanged = { [self] in
            guard let current = try? memories[partition].status().epoch, current != epoch else { return }
            world.violations.append("process \(member.number) changed a row in an epoch that is over")
        }
        var registry = rows.registry(partition + 1, epoch: epoch)
        registry.asked = { member.block(for: member.registryDelay()) }
        registry.changed = { member.rowChanged() }
        return registry
    }

    /// Judges where each account is, by what is stored at this instant.
    func audit() throws {
        guard memories.count > 1 else { return }
        var audit = HouseAudit()
        for (partition, memory) in zip(1..., memories) {
            try audit.add(SavedState.recover(from: JournalFolder(reading: memory.disk)).state, of: partition)
        }
        for row in rows.rows { try audit.add(row) }
        try audit.finish()
    }

    /// - Returns: what happened, in words.
    func disturb(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        let partition = memories.count == 1 ? 0 : random.below(memories.count)
        guard let owner = owner(of: partition), let server = owner.server, server.state == .ready, !owner.process.isPaused else {
            return "nobody serves"
        }
        switch kind {
        case .pause:
            let length = Int64(random.below(3) == 0 ? random.below(1500) : 1500 + random.below(6000)) * 1000
            owner.process.pausedUntil = world.machine.time + length
            world.troubleEnd = max(world.troubleEnd, owner.process.pausedUntil)
            return "process \(owner.process.number) is suspended for \(length / 1000) ms"
        case .takeover:
            guard let spare = members.first(where: { $0.server == nil && $0.epoch == nil }) else { return "there is no spare" }
            spare.coveted = partition
            // The last records of the owner are refused.
            if memories.count > 1, random.below(2) == 0 {
                world.slowDisk(by: UInt64(50_000 + random.below(200_000)), for: 2_000_000)
            }
            return "process \(spare.process.number) claims beside process \(owner.process.number)"
        default:
            // A slow storage: the last records take longer to store than a spare to look for an owner.
            let delay = random.below(2) == 0 ? 0 : UInt64(50_000 + random.below(200_000))
            if delay > 0 { world.slowDisk(by: delay, for: 2_000_000) }
            world.stop(partition, timeout: nil, restartAfter: Int64(random.below(300_000)))
            return "process \(owner.process.number) hands over" + (delay > 0 ? ", each change takes \(delay / 1000) ms" : "")
        }
    }
}

/// A player who is new, and reaches an owner of before: the account would have to be stored first, so no seat may be granted.
private final class StalePlayer: NetworkClient {
    var link: VirtualLink?
    private let network: VirtualNetwork
    private let login: Request
    private let granted: () -> Void
    private var framer = LineFramer(limit: 1 << 20)

    init(_ network: VirtualNetwork, login: Request, granted: @escaping () -> Void) {
        (self.network, self.login, self.granted) = (network, login, granted)
    }

    // Fewer bytes than the smallest buffer.
    func connected() {
        let sit = Request(id: .number(2), .sit(table: nil, seat: nil))
        if let link { _ = network.send(from: link, (login.encoded() + sit.encoded())[...]) }
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        _ = framer.append(bytes) { line in
            if case .ok(.number(2)?, _) = try? ServerMessage(line: line) { granted() }
            return true
        }
    }

    func writable() {}
    func ended() { link = nil }
}

import CommandLineKit
import Dispatch
import Foundation
import Journal
import Postgres
import ServerCore
import Sockets
import Synchronization

/// Claims the first free partition of a store, and keeps its lease.
///
/// A thread makes the blocking calls of one ``LeaseStateMachine`` per candidate partition, one at a time. A timer on another
/// queue passes the time to the machines, also while a call hangs: so an owner stalls in time even if the database does not
/// answer. Once a partition is claimed, the other candidates get no more calls. All state is under one lock, which is never
/// held during a call.
final class PartitionKeeper: Sendable {
    /// A partition's owner, as stored. A start that fails while it reads leaves the journal's anchor unchanged, so the next owner can count such
    /// starts.
    struct Owner: Equatable, Sendable {
        /// Starts in a row that fail before the partition is left alone.
        static let attempts = 3

        /// Host and process, without spaces.
        var name: String
        /// 1 for the first start from this frame; 2 for one that follows the journal's first, which leaves its anchor at 0.
        var attempt: Int
        /// The frame of the journal's anchor before the start.
        var frame: UInt64

        var text: String { "\(name) attempt=\(attempt) frame=\(frame)" }

        init(name: String, attempt: Int, frame: UInt64) { (self.name, self.attempt, self.frame) = (name, attempt, frame) }

        init?(_ text: String) {
            let words = text.split(separator: " ")
            guard words.count == 3, words[1].hasPrefix("attempt="), words[2].hasPrefix("frame="),
                let attempt = Int(words[1].dropFirst(8)), let frame = UInt64(words[2].dropFirst(6))
            else { return nil }
            self.init(name: String(words[0]), attempt: attempt, frame: frame)
        }

        /// The owner that follows another one; nil once the starts have failed too often.
        init?(_ name: String, after former: String?, frame: UInt64) {
            let failed = former.flatMap { Owner($0) }.map { $0.frame == frame ? $0.attempt : 0 } ?? 0
            guard failed < Self.attempts else { return nil }
            self.init(name: name, attempt: failed + 1, frame: frame)
        }
    }

    /// A partition of the store.
    typealias Candidate = (partition: Int, lease: any PartitionLease)

    fileprivate struct State {
        /// By candidate.
        var machines: [LeaseStateMachine]
        /// The candidate that this process owns or owned.
        var owned: Int?
        /// The candidate that is asked first.
        var next = 0
        var epoch: UInt64?
        /// `fenced` or `rolledBack`, once this process is to end.
        var end: LeaseStateMachine.Event?
        var observer: (@Sendable (LeaseStateMachine.Event) -> Void)?
        /// ``LeaseStatus/drains`` as this process has seen it.
        var drains: UInt64?
        var drain: (@Sendable () -> Void)?
        /// Epochs of owners in whose place this spare has looked at what it would close, by candidate.
        var foreseen: [Int: UInt64] = [:]
        /// Why a free candidate is not claimed.
        var refusals: [Int: String] = [:]
        /// Why the last call failed, and the calls in a row that did.
        var failure: (reason: String, count: Int)?
    }

    /// Names the store in messages.
    let location: String
    private let candidates: [Candidate]
    private let name: String
    /// The frame of the anchor of a partition's journal; throws if this version cannot go on with the journal.
    private let anchoredFrame: @Sendable (_ partition: Int) throws(JournalError) -> UInt64
    /// Sentences about what a start on a partition would close.
    private let closures: @Sendable (_ partition: Int) -> [String]
    private let note: @Sendable (LogLevel, StaticString, LogFields) -> Void
    /// Called for permanent damage.
    private let damaged: @Sendable (JournalError) -> Void
    private let state: Mutex<State>
    private let (wakeUp, owned, finished) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    private let clock = DispatchQueue(label: "bj.lease")
    private let metrics: Metrics

    /// - Parameters:
    ///   - partitions: of the store; the candidates may be fewer.
    ///   - name: of this process, for the owner.
    ///   - drains: ``LeaseStatus/drains`` at the start; nil: as it is at the first look.
    init(
        _ candidates: [Candidate], of location: String, partitions: Int, name: String, milliseconds: Int,
        drains: UInt64? = nil, metrics: Metrics,
        anchoredFrame: @escaping @Sendable (_ partition: Int) throws(JournalError) -> UInt64,
        closures: @escaping @Sendable (_ partition: Int) -> [String] = { _ in [] },
        note: @escaping @Sendable (LogLevel, StaticString, LogFields) -> Void,
        damaged: @escaping @Sendable (JournalError) -> Void
    ) {
        (self.candidates, self.location, self.name, self.metrics) = (candidates, location, name, metrics)
        (self.anchoredFrame, self.closures, self.note, self.damaged) = (anchoredFrame, closures, note, damaged)
        state = Mutex(State(machines: candidates.map { _ in LeaseStateMachine(lease: UInt64(milliseconds)) }, drains: drains))
        metrics.partitions.set(partitions)
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

    /// Why this process is not ready, in words; nil for an owner that is sure of it.
    var unreadiness: String? {
        state.withLock { state in
            let refusals = state.refusals.sorted { $0.key < $1.key }.map { inPartition($0.key) + $0.value }
            let reason = (state.failure?.reason ?? (refusals.isEmpty ? nil : refusals.joined(separator: "; "))).map { ": \($0)" }
            guard let owned = state.owned else { return "spare" + (reason ?? "") }
            return state.machines[owned].isInDoubt(at: Self.now) ? "the lease is in doubt" + (reason ?? "") : nil
        }
    }

    /// Names a candidate where there are several.
    private func inPartition(_ index: Int) -> String {
        candidates.count > 1 ? "partition \(candidates[index].partition): " : ""
    }

    /// The epoch that this process owns, or owned; nil for a spare.
    var epoch: UInt64? { state.withLock { $0.epoch } }

    /// The partition that this process owns, or owned; nil for a spare.
    var partition: Int? { state.withLock { $0.owned }.map { candidates[$0].partition } }

    /// Blocks until this process owns a partition. State that was read before is not the newest.
    func own() {
        DispatchQueue(label: "bj.lease").async { [self] in
            while step() {}
            finished.signal()
        }
        owned.wait()
        watch()
    }

    /// Looks at the time now and then, also while a call waits for the database.
    private func watch() {
        let owned = state.withLock { $0.owned ?? 0 }
        if let event = state.withLock({ $0.machines[owned].tick(at: Self.now) }) { take(event, of: owned) }
        let interval = state.withLock { Int($0.machines[owned].lease) } / 25
        clock.asyncAfter(deadline: .now() + .milliseconds(interval)) { [weak self] in self?.watch() }
    }

    /// Calls `observer` with every event from here on, and with one before that still holds.
    func observe(_ observer: @escaping @Sendable (LeaseStateMachine.Event) -> Void) {
        let missed: LeaseStateMachine.Event? = state.withLock { state in
            state.observer = observer
            return state.end ?? (state.owned.map { state.machines[$0].isStalled } ?? false ? .stalled : nil)
        }
        if let missed { observer(missed) }
    }

    /// Calls `body`, in place of an earlier one, when the operator drains the whole house.
    func whenHouseDrains(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.drain = body } }

    private func noteDrains(_ drains: UInt64) {
        let drain = state.withLock { state in
            defer { state.drains = drains }
            return state.drains.map { $0 != drains } ?? false ? state.drain : nil
        }
        drain?()
    }

    /// Releases the partition, once everything is durable. Waits for a bounded time.
    func release() {
        state.withLock { state in
            for index in state.machines.indices { state.machines[index].release() }
        }
        wakeUp.signal()
        if finished.wait(timeout: .now() + .seconds(2)) == .success { finished.signal() }
    }

    /// False when there is nothing left to do.
    private func step() -> Bool {
        let now = Self.now
        let (index, step) = state.withLock { $0.step(at: now) }
        switch step {
        case .finished: return false
        case .wait(let tick): _ = wakeUp.wait(timeout: .now() + .milliseconds(Int(clamping: min(1000, tick - min(tick, now)))))
        case .call(let call):
            let result = perform(call, of: index)
            if let event = state.withLock({ $0.machines[index].take(result, at: Self.now) }) { take(event, of: index) }
        }
        return true
    }

    private func perform(_ call: LeaseStateMachine.Call, of index: Int) -> LeaseStateMachine.Result {
        let lease = candidates[index].lease
        do throws(JournalError) {
            let result: LeaseStateMachine.Result
            switch call {
            case .read: result = .status(try lease.status())
            case .claim(let status):
                guard let owner = try claimant(after: status, of: index) else { return .failed }
                result = .claimed(epoch: try lease.claim(from: status, as: owner.text))
            case .renew(let epoch): result = .renewed(try lease.renew(epoch))
            case .release(let epoch):
                _ = try lease.release(epoch)
                result = .released
            }
            state.withLock { $0.failure = nil }
            switch result {
            case .status(let status):
                noteDrains(status.drains)
                if status.owner != nil { foresee(status.epoch, of: index) }
            case .renewed(let status): noteDrains(status.drains)
            default: break
            }
            return result
        } catch {
            if error.isDamage {
                // Of an owner, whose row was there: a copy is being restored.
                if partition != nil, case .lost = error { take(.rolledBack, of: index) }
                // Damage of one partition leaves a spare for the others.
                guard candidates.count > 1, partition == nil else {
                    damaged(error)
                    return failed("\(error)")
                }
                leaveAlone(index, "\(error)")
                return .failed
            }
            return failed("\(error)")
        }
    }

    /// Says, a lease after an owner's claim, what this spare would close in its place: by then the owner has closed what it does not continue.
    private func foresee(_ epoch: UInt64, of index: Int) {
        let (former, lease) = state.withLock { ($0.foreseen.updateValue(epoch, forKey: index), $0.machines[index].lease) }
        guard former != epoch else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Int(lease))) { [self] in
            let number = candidates[index].partition
            for closure in partition == nil ? closures(number) : [] {
                note(.warning, "config_warning", ["reason": "if this spare takes over partition \(number): \(closure)"])
            }
        }
    }

    private func failed(_ reason: String) -> LeaseStateMachine.Result {
        state.withLock { $0.failure = (reason, ($0.failure?.count ?? 0) + 1) }
        // The first one may be that of a connection which another one replaces.
        if let failure = state.withLock({ $0.failure }), failure.count == 2 {
            note(.warning, "lease_failed", ["reason": failure.reason])
        }
        return .failed
    }

    /// This process as the next owner; nil if it must not be one.
    private func claimant(after status: LeaseStatus, of index: Int) throws(JournalError) -> Owner? {
        do throws(JournalError) {
            let owner = Owner(name, after: status.owner, frame: try anchoredFrame(candidates[index].partition))
            leaveAlone(index, owner == nil ? "\(Owner.attempts) consecutive starts failed" : nil)
            return owner
        } catch {
            guard case .unsupportedVersion = error else { throw error }
            leaveAlone(index, "\(error)")
            return nil
        }
    }

    private func leaveAlone(_ index: Int, _ reason: String?) {
        let (isNews, count) = state.withLock { state in
            let former = state.refusals[index]
            state.refusals[index] = reason
            return (former != reason, state.refusals.count)
        }
        metrics.leftAlone.set(count)
        guard isNews, let reason else { return }
        note(.error, "partition_left_alone", ["partition": candidates[index].partition, "reason": reason])
    }

    private func take(_ event: LeaseStateMachine.Event, of index: Int) {
        switch event {
        case .owned(let epoch):
            state.withLock { ($0.epoch, $0.owned, $0.refusals, $0.failure) = (epoch, index, [:], nil) }
            metrics.leftAlone.set(0)
            metrics.partition.set(candidates[index].partition)
            note(.info, "partition_owned", ["partition": candidates[index].partition, "epoch": epoch])
            owned.signal()
        case .stalled:
            note(.warning, "lease_in_doubt", ["reason": "no renewal within the lease: play is paused"])
        case .resumed: note(.info, "lease_renewed", ["reason": "this server still owns the partition: play continues"])
        case .fenced:
            state.withLock { $0.end = event }
            note(.error, "fenced", ["reason": "another server owns the partition"])
        case .rolledBack:
            let reason =
                "the database was replaced by an older copy that lacks the last hands. Stop all servers before a restore"
            guard state.withLock({ $0.owned }) != nil else { return leaveAlone(index, reason) }
            state.withLock { $0.end = event }
            note(.error, "database_rolled_back", ["reason": reason])
        }
        state.withLock { $0.observer }?(event)
    }
}

extension PartitionKeeper.State {
    /// The next call of any candidate, in turn; of the owned one alone.
    mutating func step(at now: UInt64) -> (index: Int, step: LeaseStateMachine.Step) {
        if let owned { return (owned, machines[owned].next(at: now)) }
        var wait = UInt64.max
        for offset in machines.indices {
            let index = (next + offset) % machines.count
            let step = machines[index].next(at: now)
            guard case .wait(let tick) = step else {
                next = (index + 1) % machines.count
                return (index, step)
            }
            wait = min(wait, tick)
        }
        return (next, .wait(until: wait))
    }
}

/// The operator's pages: of a spare those of the process, then those of its server.
final class PageSource: Sendable {
    private let metrics: Metrics
    private let state = Mutex<(partition: PartitionKeeper?, server: Server?, absence: String?)>((nil, nil, nil))

    init(_ metrics: Metrics) { self.metrics = metrics }

    /// The process waits for its database, for a reason.
    func wait(because reason: String) { state.withLock { $0.absence = reason } }

    func serve(_ partition: PartitionKeeper) { state.withLock { $0 = (partition, nil, nil) } }

    func serve(_ server: Server) { state.withLock { $0.server = server } }

    /// Listens at the configured address; nil without one.
    func start(_ options: ServeOptions) throws(SocketError) -> (MetricsEndpoint, SocketAddress)? {
        guard let metrics = options.metrics else { return nil }
        let endpoint = MetricsEndpoint(
            pages: OperatorPages(
                metrics: { [self] in
                    state.withLock { $0.server }?.measure()
                    return self.metrics.text
                }, unreadiness: { [self] in unreadiness }))
        let address = try endpoint.start(host: metrics.host, port: Int(metrics.port))
        return (endpoint, address)
    }

    private var unreadiness: String? {
        let (partition, server, absence) = state.withLock { $0 }
        if let reason = absence ?? partition?.unreadiness { return reason }
        guard let server else { return "starting" }
        guard server.state == .ready else { return "\(server.state)" }
        return server.diskDelay > 5000 ? "the \(partition == nil ? "disk" : "database") is stalled" : nil
    }
}

// MARK: - Spares

extension Host {
    /// Starts a spare's pages, and logs its start. Exits if nobody can listen there.
    static func serve(
        _ pages: PageSource, _ options: ServeOptions, of location: String, _ log: LogWriter
    ) -> MetricsEndpoint? {
        let started = Console.orFail("bjserver", status: 69) { try pages.start(options) }
        if let started { Console.print("metrics on \(started.1)") }
        var fields = identity("spare")
        if let started { fields.add("metrics", started.1) }
        fields.add("data", location)
        noting(in: log)(.info, "started", fields)
        return started?.0
    }

    /// Blocks as a spare until this process owns a partition.
    static func own(_ partition: PartitionKeeper, _ admin: String?, _ notifier: ServiceNotifier?, _ log: LogWriter) {
        partition.whenHouseDrains {
            noting(in: log)(.info, "stopping", ["cause": "ctl drain --house"])
            log.flush()
            exit(0)
        }
        asSpare(of: partition.location, admin, notifier, log) { partition.own() }
    }

    /// Runs what blocks until this process owns a partition of its database. A spare that is asked to stop ends at once.
    static func asSpare(
        of location: String, _ admin: String?, _ notifier: ServiceNotifier?, _ log: LogWriter, _ wait: () -> Void
    ) {
        let signals = Signals.observe([SIGINT, SIGTERM, SIGHUP], on: .global()) { _ in
            log.flush()
            exit(0)
        }
        defer { for source in signals { source.cancel() } }
        var answering: AdminListener?
        do throws(SocketError) {
            answering = try admin.map { path throws(SocketError) in
                try AdminListener(path: path) { _ in
                    .refused(
                        code: "spare", message: "This server is a spare: ask the owner. 'bjserver store status URL' shows it.")
                }
            }
        } catch {
            // It ends the start of the owner.
            noting(in: log)(.warning, "config_warning", ["reason": "no socket for ctl: \(error)"])
        }
        defer { answering?.stop() }
        Console.print("spare of \(location)")
        notifier?.notify(.ready, .status("Spare of \(location)."))
        let watchdog = DispatchSource.makeTimerSource(queue: .global())
        watchdog.setEventHandler { notifier?.notify(.watchdog) }
        watchdog.schedule(deadline: .now(), repeating: .milliseconds(Int(min(notifier?.watchdogMilliseconds ?? 10_000, 10_000))))
        watchdog.resume()
        defer { watchdog.cancel() }
        wait()
    }

    /// Blocks until the database answers.
    static func store(of url: DatabaseURL, awaited pages: PageSource, _ log: LogWriter, absence: JournalError) -> PostgresStore {
        var reason = ""
        var absence = absence
        while true {
            let now = "\(absence)"
            if reason != now {
                reason = now
                pages.wait(because: "spare: \(reason)")
                noting(in: log)(.error, "database_unreachable", ["reason": reason])
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(1))
            switch opened(url) {
            case .success(let store): return store
            case .failure(let error): absence = error
            }
        }
    }
}

extension Host {
    /// The URL of a database; nil for other data. Exits if it is wrong.
    static func database(in folder: DataFolder?) -> DatabaseURL? {
        guard case .database(let url) = folder else { return nil }
        do throws(JournalError) {
            return try DataFiles.url(url)
        } catch { DataFault.fail("bjserver", error, in: url) }
    }

    /// Opens the store of a database, and waits for it as a spare while it is away.
    /// - Returns: nil for other data; the spare's pages, if it was away.
    static func awaitStore(
        in folder: DataFolder?, _ pages: PageSource, _ options: ServeOptions, _ notifier: ServiceNotifier?, _ log: LogWriter
    ) -> (store: PostgresStore?, spare: MetricsEndpoint?) {
        guard let url = database(in: folder) else { return (nil, nil) }
        switch opened(url) {
        case .success(let store): return (store, nil)
        case .failure(let absence):
            // Before a probe can ask.
            pages.wait(because: "spare: \(absence)")
            let spare = serve(pages, options, of: url.description, log)
            var found: PostgresStore?
            asSpare(of: url.description, options.admin, notifier, log) {
                found = store(of: url, awaited: pages, log, absence: absence)
            }
            return (found, spare)
        }
    }

    /// Opens the store of a database, unless that is away. Exits if there is none.
    static func opened(_ url: DatabaseURL) -> Result<PostgresStore, JournalError> {
        do throws(JournalError) { return .success(try PostgresStore(opening: url)) } catch {
            guard error.isUnavailable else { DataFault.fail("bjserver", error, in: url.description) }
            return .failure(error)
        }
    }

    /// Makes log lines where there is no server yet.
    static func noting(in log: LogWriter) -> @Sendable (LogLevel, StaticString, LogFields) -> Void {
        { level, event, fields in
            log.write(LogLine(time: Int64(Date().timeIntervalSince1970 * 1000), level: level, event: event, fields: fields.all))
        }
    }

    /// Ends a process whose journal no longer takes records, or whose spare could never go on with it.
    /// - Parameter isDatabase: whether it is the journal of a partition that this process owns.
    static func end(because error: JournalError, _ log: LogWriter, isDatabase: Bool = false) -> Never {
        // The rows of an owner were there: a copy is being restored.
        let isGone =
            switch error {
            case .lost, .removed: isDatabase
            default: false
            }
        let event: StaticString = isGone ? "database_rolled_back" : "journal_failed"
        noting(in: log)(.error, event, ["reason": error.description])
        log.flush()
        switch error {
        case _ where isGone: exit(DataFault.damaged)
        case .storage: exit(DataFault.inputOutput)
        default: exit(DataFault.status(of: error))
        }
    }

    /// The partition of a store.
    static func partition(
        of store: PostgresStore, _ configuration: ServerConfiguration, _ metrics: Metrics, _ log: LogWriter
    ) -> PartitionKeeper {
        let (note, options) = (noting(in: log), configuration.options)
        if store.waitsForNoStandby {
            let reason = "no standby of the database is synchronous: a promoted one may lack the last hands"
            note(.warning, "config_warning", ["reason": reason])
        }
        var bytes = [CChar](repeating: 0, count: 256)
        gethostname(&bytes, bytes.count - 1)
        // With the rest of the name at most as long as PostgreSQL's name of an application.
        let host = bytes.prefix(32).prefix { $0 != 0 }.map {
            (0x21..<0x7F).contains($0) ? Character(UnicodeScalar(UInt8($0))) : "?"
        }
        // Several calls must fit into a lease: an owner whose connection hangs is to renew on another one before a spare may claim.
        let timeout = max(100, options.lease / 4)
        // A claim in doubt is found again by the owner's name, which no other process has.
        let name = "\(String(host)).\(getpid()).\(UInt32.random(in: .min ... .max))"
        return PartitionKeeper(
            store.leases(timeout: timeout, by: name).map { ($0, $1) },
            of: store.url.description, partitions: store.partitions, name: name, milliseconds: options.lease,
            drains: (try? store.lease.status())?.drains, metrics: metrics,
            anchoredFrame: { partition throws(JournalError) in
                var store = store
                store.partition = partition
                return try JournalFolder(reading: store.snapshot).anchoredFrame()
            },
            closures: { partition in
                var store = store
                store.partition = partition
                // Errors are the owner's to report.
                let plan = try? StartCheck.plan(of: store.snapshot, hosted(configuration, by: store))
                return plan.map(StartCheck.closures) ?? []
            }, note: note, damaged: { end(because: $0, log) })
    }
}

/// Decides when a process owns a partition, without comparing clocks: each process measures time on its own monotonic clock.
///
/// Spare: polls the status. It claims the partition once it has seen the same status for a whole lease, measured from the end
/// of the first read to the beginning of the last, without a failed read in between. A released partition is claimed at once.
///
/// Owner: renews at least five times per lease. A spare cannot have seen a renewal before it began, so for one lease from the
/// beginning of the last successful renewal no other process can own the partition. After that the owner stalls: it sends
/// nothing until a renewal shows whether another process has claimed. It then resumes or ends.
///
/// Fence: a paused owner may write before it notices. The storage refuses these writes, since they name an old epoch. The
/// fence alone guarantees safety; stalling only avoids players waiting for writes that will be refused.
///
/// Outage: all reads fail. Afterwards a spare needs a whole lease of successful reads and the owner a single renewal, so a
/// living owner wins.
///
/// Rollback: epoch and renewals never decrease. If they do, the storage was replaced by an older copy that lacks acknowledged
/// records: a spare stops claiming, and an owner ends. A process that starts after the replacement cannot detect it.
public struct LeaseStateMachine: Sendable {
    /// A call for the caller to make; its result comes back by ``take(_:at:)``.
    public enum Call: Hashable, Sendable {
        case read
        case claim(from: LeaseStatus)
        case renew(epoch: UInt64)
        case release(epoch: UInt64)
    }

    public enum Step: Hashable, Sendable {
        case call(Call)
        /// Ask again at this tick.
        case wait(until: UInt64)
        /// Nothing is left to do.
        case finished
    }

    public enum Result: Hashable, Sendable {
        case status(LeaseStatus)
        /// nil: another change came first.
        case claimed(epoch: UInt64?)
        /// The status after the renewal; of another epoch, if there was none.
        case renewed(LeaseStatus)
        case released
        /// The storage has not answered, or not in time: the call may have had its effect.
        case failed
    }

    /// A change that concerns others.
    public enum Event: Hashable, Sendable {
        /// This process owns the partition. State that was loaded before is not the newest: load it from here on.
        case owned(epoch: UInt64)
        /// Another process may own the partition: send nothing.
        case stalled
        /// No other process has claimed the partition.
        case resumed
        /// Another process owns the partition: end.
        case fenced
        /// The storage is an older copy: an owner ends, a spare leaves it alone.
        case rolledBack
    }

    private enum Role {
        /// - seen: the last status, and the end of the read that found it first; nil after a failure.
        case spare(seen: (status: LeaseStatus, since: UInt64)?)
        case claiming(from: LeaseStatus)
        /// - renewed: the beginning of the last renewal that succeeded.
        case owner(epoch: UInt64, renewed: UInt64, isStalled: Bool)
        case leaving(epoch: UInt64)
        /// A spare of an older copy.
        case leftAlone
        case ended
    }

    /// Milliseconds, as all ticks.
    public let lease: UInt64
    private var role = Role.spare(seen: nil)
    /// The newest status seen, also before failures.
    private var newest: LeaseStatus?
    /// The call under way, and when it began.
    private var call: (call: Call, began: UInt64)?
    /// The tick of the next call.
    private var due: UInt64 = 0

    public init(lease: UInt64) { self.lease = max(5, lease) }

    /// Milliseconds between two renewals.
    var renewalInterval: UInt64 { min(1000, lease / 5) }
    /// Milliseconds between two reads of a spare: the wait for an owner's hand-over.
    var readInterval: UInt64 { min(200, lease / 5) }
    /// Milliseconds until a failed call is repeated.
    var retryInterval: UInt64 { min(100, lease / 10) }

    public var isStalled: Bool { if case .owner(_, _, let isStalled) = role { isStalled } else { false } }

    /// Whether another process may own the partition, also if ``tick(at:)`` was not called in time: this process stood still.
    public func isInDoubt(at now: UInt64) -> Bool {
        if case .owner(_, let renewed, let isStalled) = role { isStalled || now >= renewed + lease } else { true }
    }

    /// The next step. No step follows a call before its result.
    public mutating func next(at now: UInt64) -> Step {
        if call != nil { return .wait(until: .max) }
        switch role {
        case .ended: return .finished
        case .leftAlone: return .wait(until: .max)
        case .claiming(let status): return begin(.claim(from: status), at: now)
        case _ where now < due: return .wait(until: due)
        case .spare: return begin(.read, at: now)
        case .owner(let epoch, _, _): return begin(.renew(epoch: epoch), at: now)
        case .leaving(let epoch): return begin(.release(epoch: epoch), at: now)
        }
    }

    private mutating func begin(_ call: Call, at now: UInt64) -> Step {
        self.call = (call, now)
        return .call(call)
    }

    /// Takes the result of the call under way.
    public mutating func take(_ result: Result, at now: UInt64) -> Event? {
        guard let (call, began) = call else { preconditionFailure("a result is that of a call") }
        self.call = nil
        if isRolledBack(by: result) {
            if case .owner = role { role = .ended } else { role = .leftAlone }
            return .rolledBack
        }
        switch (role, result) {
        case (.spare(let seen), .status(let status)):
            due = now + readInterval
            if status.owner == nil || seen.map({ $0.status == status && began >= $0.since + lease }) ?? false {
                role = .claiming(from: status)
            } else if seen?.status != status {
                role = .spare(seen: (status, now))
            }
        case (.claiming, .claimed(let epoch?)):
            role = .owner(epoch: epoch, renewed: began, isStalled: false)
            due = began + renewalInterval
            return .owned(epoch: epoch)
        case (.spare, _), (.claiming, _):
            role = .spare(seen: nil)
            due = now + retryInterval
        case (.owner(let epoch, _, _), .renewed(let status)) where status.epoch != epoch:
            role = .ended
            return .fenced
        case (.owner(let epoch, _, let wasStalled), .renewed):
            // A renewal that took longer than a lease says nothing about now.
            let isStalled = wasStalled && now >= began + lease
            role = .owner(epoch: epoch, renewed: began, isStalled: isStalled)
            due = began + renewalInterval
            return wasStalled && !isStalled ? .resumed : nil
        case (.owner, _): due = now + retryInterval
        // A release in doubt is repeated, as long as the process lives: without one a spare waits for a lease.
        case (.leaving, .failed):
            if case .release = call { due = now + retryInterval }
        case (.leaving, _):
            if case .release = call { role = .ended }
        case (.leftAlone, _), (.ended, _): break
        }
        return nil
    }

    /// Whether a spare's read or an owner's renewal found a lower epoch or count than before. Each renewal has to increase the count.
    private mutating func isRolledBack(by result: Result) -> Bool {
        let status: LeaseStatus
        var least = newest
        switch (role, result) {
        case (.spare, .status(let read)): status = read
        case (.owner, .renewed(let renewed)):
            status = renewed
            least?.renewals += 1
        case (.claiming(let from), .claimed(let epoch?)):
            newest = LeaseStatus(owner: nil, epoch: epoch, renewals: from.renewals)
            return false
        default: return false
        }
        if let least, status.isRolledBack(from: least) { return true }
        newest = status
        return false
    }

    /// Looks at the time, also during a call.
    public mutating func tick(at now: UInt64) -> Event? {
        guard case .owner(let epoch, let renewed, false) = role, now >= renewed + lease else { return nil }
        role = .owner(epoch: epoch, renewed: renewed, isStalled: true)
        return .stalled
    }

    /// Gives the partition up, once everything is durable. A spare only ends.
    public mutating func release() {
        switch role {
        case .owner(let epoch, _, _): (role, due) = (.leaving(epoch: epoch), 0)
        case .spare, .claiming, .leaving, .leftAlone, .ended: role = .ended
        }
    }
}

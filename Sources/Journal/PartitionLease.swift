/// The ownership of a partition as a fenced storage keeps it.
public struct LeaseStatus: Hashable, Sendable {
    /// The process that owns the partition; nil when it was released.
    public var owner: String?
    /// Increases with every claim: a change of another epoch than the current one is refused.
    public var epoch: UInt64
    /// Increases with every renewal of the owner; a claim keeps it.
    public var renewals: UInt64
    /// Increases when the whole house is to drain.
    public var drains: UInt64

    /// Whether epoch or renewals went back since `former`: the storage is an older copy.
    func isRolledBack(from former: LeaseStatus) -> Bool { (epoch, renewals) < (former.epoch, former.renewals) }

    public init(owner: String?, epoch: UInt64, renewals: UInt64, drains: UInt64 = 0) {
        (self.owner, self.epoch, self.renewals, self.drains) = (owner, epoch, renewals, drains)
    }
}

/// Compare-and-set operations on the ownership of one partition. Calls block, each with a deadline.
public protocol PartitionLease: Sendable {
    func status() throws(JournalError) -> LeaseStatus
    /// Takes the partition if its status is still the given one. Returns the new epoch; nil if another change came first.
    func claim(from status: LeaseStatus, as owner: String) throws(JournalError) -> UInt64?
    /// Renews if the partition has this epoch. Returns the status then, which has another epoch if it was not renewed.
    func renew(_ epoch: UInt64) throws(JournalError) -> LeaseStatus
    /// Gives the partition up, after everything is durable. Returns false when it has a newer epoch.
    func release(_ epoch: UInt64) throws(JournalError) -> Bool
}

/// The meaning of "durable": what a crash can lose.
public enum Durability: String, CaseIterable, Sendable {
    /// Durable when synced to the disk. Neither `kill -9` nor a power cut loses a durable frame.
    case sync
    /// Durable when written to the system, synced once a second. `kill -9` loses nothing, a power cut up to a second.
    case interval
    /// Durable at once, written within a second, never synced. `kill -9` loses up to a second, a power cut anything.
    case none
}

/// Sizes and times of a journal. Times are in microseconds.
public struct JournalConfiguration: Sendable {
    public var durability: Durability
    /// Length of a prefilled segment; a longer frame gets a longer segment.
    public var segmentBytes: Int
    /// The least time from one group's start to the next's; four times as long while frames come fast. The first append after a
    /// pause is written at once.
    public var groupInterval: UInt64
    /// Bytes of waiting frames that are written without regard to that time.
    public var groupBytes = 1 << 20
    /// With `.interval`: the longest time from a write to its sync. With `.none`: from an append to its write.
    public var syncInterval: UInt64
    /// Time until an operation is tried again for which the disk was full.
    public var retryInterval: UInt64
    /// The longest time for which a removed folder is written to unnoticed.
    public var lookInterval: UInt64 = 1_000_000
    /// Bound of the bytes that wait for the disk. The caller stops long before; beyond the bound the journal fails.
    public var waitingBytes: Int

    /// Frames per millisecond from which on groups are rarer: each costs 60 µs of processor time. Ratio of an action to one without
    /// syncs, at 100 tables and 10,000 actions a second: 1.15 with a group every 2 ms, 1.07 every 4 ms.
    static let busyFrames: UInt64 = 4
    static let busyFactor: UInt64 = 4
    /// Room for a header and a frame.
    static let fewestSegmentBytes = 1024

    public init(
        durability: Durability = .sync, segmentBytes: Int = 4 << 20, groupInterval: UInt64 = 1000,
        syncInterval: UInt64 = 1_000_000, retryInterval: UInt64 = 1_000_000, waitingBytes: Int = 256 << 20
    ) {
        precondition(segmentBytes >= Self.fewestSegmentBytes, "a segment has room for its header and a frame")
        self.durability = durability
        self.segmentBytes = segmentBytes
        self.groupInterval = groupInterval
        self.syncInterval = syncInterval
        self.retryInterval = retryInterval
        self.waitingBytes = waitingBytes
    }
}

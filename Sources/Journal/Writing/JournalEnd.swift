/// The end of a journal that was read: the place where a writer continues.
public struct JournalEnd: Equatable, Sendable {
    /// A segment's file.
    public struct Segment: Equatable, Sendable {
        public var number: UInt64
        /// Length of the file.
        public var bytes: Int
        /// End of the last frame.
        public var offset: Int
    }

    /// A range of a segment's file.
    public struct Range: Equatable, Sendable {
        public var segment: UInt64
        public var bytes: Swift.Range<Int>
    }

    /// Bytes after the last frame that are no frames: of a write that a crash interrupted, and that was never durable.
    public struct Cut: Equatable, Sendable {
        public var file: String
        public var offset: Int
        /// Bytes from there on, without the newlines at the end of a segment.
        public var bytes: Int
    }

    /// Nil for an empty journal.
    public var house: UInt64?
    /// Read before the frames; nil for a folder that has none.
    public var anchor: JournalAnchor?
    /// Epoch of the last frame; 0 for none.
    public var epoch: UInt64 = 0
    /// Sequence of the last frame; 0 for none.
    public var sequence: UInt64 = 0
    /// The highest sequence that a frame says to be durable.
    public var durable: UInt64 = 0
    /// Later frames in the last segment: written, perhaps not synced. Nil for none.
    public var unproven: Range?
    /// Checksum of the last frame; 0 for none.
    public var checksum: UInt32 = 0
    /// The segment to continue; nil for a new one.
    public var segment: Segment?
    /// Number of the next segment.
    public var nextSegment: UInt64 = 1
    /// Length of the next segment's file if it is prepared.
    public var preparedBytes: Int?
    /// Nil if the journal ends with its last frame.
    public var cut: Cut?

    public init() {}
}

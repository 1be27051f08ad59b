/// The revision at which a table shows the effect of a request.
public struct TableRevision: Equatable, Sendable {
    public var number: Int
    /// The table's epoch; nil for the table that the client watches.
    public var epoch: String?

    public init(_ number: Int, epoch: String? = nil) {
        self.number = number
        self.epoch = epoch
    }
}

extension TableRevision {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("rev", &number, .revision, "the revision at which the table shows what you have done")
        try visitor.optional("epoch", &epoch, .epoch, "with a repeated answer: which table's revision that is")
    }
}

/// How a client is brought up to date after `resume`.
public enum Resumption: String, CaseIterable, Sendable {
    /// No changes.
    case nothing
    /// Each missed diff.
    case diffs
    /// One diff from the known revision to the current one.
    case diff
    /// A snapshot.
    case snapshot
}

extension Resumption: WireWord {}

import Fairness

/// A client's finding about a shoe's shuffle.
public enum ShoeFinding: Equatable, Sendable {
    /// The table has no ceremonies, so its shuffle cannot be verified. Said once for each table.
    case noCeremonies(table: String)
    /// Players who withheld a reveal, so that an attempt is void; none: somebody on the list got up.
    case withheld([String], shoe: Int)
    /// The proof is right, and so is each card seen.
    case verified(ShoeReport)
    /// The shoe is not the one committed to, or its ceremony was not honest.
    case failed(ShoeReport, ShoeFault)
    /// The proof of a shoe has come that had failed before: evidence.
    case evidence(ShoeReport, ShoeFault)
    /// Nobody can tell: there is no proof.
    case unproven(ShoeReport, UnprovenReason)
}

/// Why a shoe has no proof.
public enum UnprovenReason: Equatable, Sendable {
    /// The server lost the table: it was stopped and keeps no journal.
    case restarted
    /// The server has the table, but does not reveal its secret.
    case refused
    /// The server does not answer.
    case unanswered
}

/// A shoe that was watched.
public struct ShoeReport: Equatable, Sendable {
    public var watched: WatchedShoe
    /// nil: there was none, or not yet.
    public var proof: ShoeProof?
    /// Whether the player's own contribution is in the order.
    public var isIncluded: Bool

    public var table: String { watched.table }
    public var shoe: Int { watched.shoe }
    /// Four hexadecimal digits of the order's digest, to tell shoes apart.
    public var tag: String { watched.tag }
    public var seen: Int { watched.seen }
    public var total: Int { watched.total }

    public init(watched: WatchedShoe, proof: ShoeProof? = nil, isIncluded: Bool = false) {
        self.watched = watched
        self.proof = proof
        self.isIncluded = isIncluded
    }
}

/// The shoes that a client has judged.
public struct ShoeTally: Equatable, Sendable {
    public enum Standing: Equatable, Sendable {
        /// No table is watched, or it has no ceremonies.
        case none
        /// The player's contribution is in the shoe in play.
        case included
        /// The shoe was made without the player.
        case notIncluded
    }

    public var verified = 0
    public var failed = 0
    public var unproven = 0
    /// Of the shoe in play.
    public var standing = Standing.none

    public init() {}
}

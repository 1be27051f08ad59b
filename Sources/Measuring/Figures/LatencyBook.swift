/// The measurements of one kind of request: three distributions, and whether they are valid.
public struct LatencyBook: Sendable, Equatable {
    /// From the moment that the request was meant to be sent until its effect was seen. The figure to quote: a server that stalls is
    /// charged for everything that was due meanwhile (no coordinated omission).
    public private(set) var corrected = Histogram()
    /// From the moment that it was sent.
    public private(set) var raw = Histogram()
    /// How much later than it could have been the request was sent: the load generator's own fault.
    public private(set) var lag = Histogram()
    /// Requests without an answer when the run ended, or when their connection did. They are in the distributions with the time that they
    /// had waited until then, which is less than the truth.
    public private(set) var unanswered = 0

    public init() {}

    /// The moments of one request, in microseconds on one clock.
    public struct Moments: Sendable, Equatable {
        /// When it was meant to be sent.
        public var intended: Int64
        /// When it could be sent at the earliest: a bot was free, and the table was waiting for it. The time from `intended` until then is
        /// the server's, from then until `sent` the generator's.
        public var possible: Int64
        public var sent: Int64

        public init(intended: Int64, possible: Int64, sent: Int64) {
            self.intended = intended
            self.possible = possible
            self.sent = sent
        }
    }

    /// Counts a request whose effect was seen at a moment.
    public mutating func record(_ moments: Moments, seen: Int64) {
        corrected.record(seen - moments.intended)
        raw.record(seen - moments.sent)
        lag.record(moments.sent - max(moments.intended, moments.possible))
    }

    /// Counts a request that was sent and is given up.
    public mutating func giveUp(_ moments: Moments, at now: Int64) {
        record(moments, seen: now)
        unanswered += 1
    }

    /// Counts a request that was due and could not even be sent.
    public mutating func giveUpUnsent(intended: Int64, at now: Int64) {
        corrected.record(now - intended)
        unanswered += 1
    }

    public mutating func merge(_ other: LatencyBook) {
        corrected.merge(other.corrected)
        raw.merge(other.raw)
        lag.merge(other.lag)
        unanswered += other.unanswered
    }

    /// Forgets everything; the memory is kept.
    public mutating func reset() {
        corrected.reset()
        raw.reset()
        lag.reset()
        unanswered = 0
    }

    /// Bound of tolerated lag, in microseconds: waking up on a busy machine takes over a tenth of a fast server's latency.
    static let lagFloor: Int64 = 1000

    /// The reason why the figures are invalid; nil when valid. The p99 of the generator's lag must stay within a tenth of the
    /// latency's, or below ``lagFloor``.
    public var fault: String? {
        guard !corrected.isEmpty else { return nil }
        let (late, latency) = (lag.value(at: 99), corrected.value(at: 99))
        guard late > Self.lagFloor, late * 10 > latency else { return nil }
        return
            "the generator was late itself: lag p99 \(spoken(microseconds: Double(late))) is more than a tenth of the latency's p99, "
            + spoken(microseconds: Double(latency)) + ", and more than \(spoken(microseconds: Double(Self.lagFloor)))"
    }
}

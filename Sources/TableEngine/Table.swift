import Rules

/// A blackjack table as a value. `perform` checks a command and emits facts; only facts change the table.
///
/// Time and entropy are arguments. Public properties never show a face-down card. Copies are copy-on-write.
public struct Table: @unchecked Sendable {  // `state` is mutated only after `own()`, which makes this the only reference
    private(set) var state: TableState

    /// An empty table.
    public init(rules: HouseRules, pace: Pace = Pace()) {
        state = TableState(rules: rules, pace: pace)
    }

    init(_ state: TableState) { self.state = state }

    mutating func own() {
        if !isKnownUniquelyReferenced(&state) { state = TableState(copying: state) }
    }

    /// Runs due time-outs, then performs a command; ``Command/postpone(by:)`` alone goes before the time-outs.
    ///
    /// - Parameters:
    ///   - now: the arrival time, not earlier than any before. A command at or after a deadline sees the table after the time-out.
    ///   - sink: receives the facts in order, those of time-outs even if the command is refused.
    /// - Throws: a `Rejection`; the command then has no effect.
    @specialized(where Sink == NoFacts)
    @specialized(where Sink == RoundTally)
    @specialized(where Sink == FactList)
    public mutating func perform<Sink: FactSink>(
        _ command: Command, at now: Moment, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.perform(command, at: now, into: &sink)
    }

    /// Checks a command without performing it.
    ///
    /// - Throws: the `Rejection` that `perform` would throw.
    public func validate(_ command: Command, at now: Moment) throws(Rejection) {
        if case .postpone = command { return try state.check(command) }
        var later = self
        var sink = NoFacts()
        later.advance(to: now, into: &sink)
        try later.state.check(command)
    }

    /// Runs due time-outs.
    ///
    /// A follow-up deadline counts from `now`, so a late host shortens nobody's time.
    public mutating func advance<Sink: FactSink>(to now: Moment, into sink: inout Sink) {
        guard state.isSomethingDue(at: now) else { return }
        own()
        state.advance(to: now, into: &sink)
    }

    /// Applies a fact. Only facts change a table.
    ///
    /// - Precondition: facts of this table, in order.
    public mutating func apply(_ fact: Fact) {
        own()
        state.apply(fact)
    }
}

extension Table: Hashable {
    public static func == (a: Table, b: Table) -> Bool { a.state === b.state || a.state.isEqual(to: b.state) }

    public func hash(into hasher: inout Hasher) { state.hash(into: &hasher) }
}

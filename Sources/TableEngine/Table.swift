import Rules

/// A blackjack table: one value that decides everything, from the first bet to the last chip.
///
/// `perform` checks a command and, if it is legal, says what happened as facts; facts are the only thing that changes the table. Time
/// and entropy are arguments. What can be seen of the table is in its public properties; what lies face down is not.
///
/// A copy is a table of its own; it costs nothing until one of the two changes.
public struct Table: @unchecked Sendable {
    // Unchecked: the state is changed only through `own()`, while this value alone refers to it.
    private(set) var state: TableState

    /// An empty table.
    public init(rules: HouseRules, pace: Pace = Pace()) {
        state = TableState(rules: rules, pace: pace)
    }

    @inline(always)
    mutating func own() {
        if !isKnownUniquelyReferenced(&state) { state = TableState(copying: state) }
    }

    /// Does what a command asks, and first whatever time has made due.
    ///
    /// - Parameters:
    ///   - now: the moment at which the command arrived, not earlier than any before. A command that arrives at a deadline or later
    ///     meets the table as it is after the time-out.
    ///   - sink: receives the facts, in order; those of due time-outs also when the command is then refused.
    /// - Throws: a `Rejection`; the command has then changed nothing.
    @specialized(where Sink == NoFacts)
    @specialized(where Sink == RoundTally)
    @specialized(where Sink == FactList)
    public mutating func perform<Sink: FactSink>(
        _ command: Command, at now: Moment, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.perform(command, at: now, into: &sink)
    }

    /// Whether `perform` would accept the command: throws what it would throw, and changes nothing.
    public func validate(_ command: Command, at now: Moment) throws(Rejection) {
        var later = self
        var sink = NoFacts()
        later.advance(to: now, into: &sink)
        try later.state.check(command)
    }

    /// Runs everything that is due at a moment.
    ///
    /// What follows a time-out gets its whole time from `now`: a host that was late takes no one's time away.
    public mutating func advance<Sink: FactSink>(to now: Moment, into sink: inout Sink) {
        guard state.isSomethingDue(at: now) else { return }
        own()
        state.advance(to: now, into: &sink)
    }

    /// Changes the table as the fact says: the only way in which a table ever changes.
    ///
    /// The facts must be this table's own, in order; others are a mistake of the caller's.
    public mutating func apply(_ fact: Fact) {
        own()
        state.apply(fact)
    }
}

extension Table: Hashable {
    public static func == (a: Table, b: Table) -> Bool { a.state === b.state || a.state.isEqual(to: b.state) }

    public func hash(into hasher: inout Hasher) { state.hash(into: &hasher) }
}

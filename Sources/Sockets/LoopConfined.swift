/// A handle to state that is confined to a loop. Any thread may hold it; only the loop may use the state.
///
/// Debug builds check every use with ``Loop/isCurrent``; release builds pay for nothing but the reference.
public struct LoopConfined<State>: @unchecked Sendable {  // `value` is the only access to `state`, and it is on `loop` alone
    /// The loop that owns the state.
    public let loop: Loop
    private let state: State

    /// Makes a handle to state of the current loop.
    public init(_ state: State, on loop: Loop) {
        assert(loop.isCurrent, "a loop's state is made on the loop, or sent to it")
        self.loop = loop
        self.state = state
    }

    /// Gives state that nothing else refers to a loop.
    public init(sending state: sending State, on loop: Loop) {
        self.loop = loop
        self.state = state
    }

    /// The state. On the loop only.
    public var value: State {
        assert(loop.isCurrent, "a loop's state is used on the loop")
        return state
    }

    /// Runs work with the state, on the loop, as a tick of its own. Callable from any thread.
    public func perform(_ work: @escaping @Sendable (State) -> Void) { loop.perform { work(value) } }

    /// Runs work with the state, on the loop, and waits for it. Must not be called on the loop itself.
    public func performAndWait<Result: Sendable>(_ work: @Sendable (State) throws -> Result) rethrows -> Result {
        try loop.performAndWait { try work(value) }
    }
}

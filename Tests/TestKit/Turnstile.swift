import Synchronization

/// Lets so many through at a time, in the order of their coming.
final class Turnstile: Sendable {
    /// Real servers and clients want processors, all of them at once: side by side they would only be slow.
    static let ofRealTime = Turnstile(places: 4)
    /// Clients of other processes, a dozen for each test.
    static let ofIdleTime = Turnstile(places: 1)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Those at the front of `waiting` that were let through.
        var gone = 0
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(free: places)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.gone < state.waiting.count else {
                state.free += 1
                return nil
            }
            defer { state.gone += 1 }
            return state.waiting[state.gone]
        }
        next?.resume()
    }
}

import Dispatch
import Operations
import Sockets
import Synchronization

/// Collects measurements from the loops with a bounded wait.
final class LoopProbe: Sendable {
    private struct State {
        /// Start time of an unanswered request to each loop, in nanoseconds.
        var asked: [UInt64?]
        var lags: [UInt64]
        var measurements: [ShardMeasurement]
    }

    private let state: Mutex<State>

    init(loops: Int) {
        state = Mutex(
            State(
                asked: Array(repeating: nil, count: loops), lags: Array(repeating: 0, count: loops),
                measurements: Array(repeating: ShardMeasurement(), count: loops)))
    }

    /// Asks each loop without a pending request and waits up to `timeout` milliseconds.
    /// - Returns: the sum of each loop's last measurement, and the longest answer time, pending requests included, in
    ///   nanoseconds.
    func ask(_ drivers: [LoopConfined<ShardDriver>], timeout: Int) -> (sum: ShardMeasurement, lag: UInt64) {
        let answered = DispatchSemaphore(value: 0)
        let start = DispatchTime.now()
        var expected = 0
        for (index, driver) in drivers.enumerated() {
            let isIdle = state.withLock { state in
                guard state.asked[index] == nil else { return false }
                state.asked[index] = start.uptimeNanoseconds
                return true
            }
            guard isIdle else { continue }
            expected += 1
            driver.perform { [self] driver in
                let lag = DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds
                let measurement = driver.measure()
                state.withLock { state in
                    state.asked[index] = nil
                    state.lags[index] = lag
                    state.measurements[index] = measurement
                }
                answered.signal()
            }
        }
        for _ in 0..<expected where answered.wait(timeout: start + .milliseconds(timeout)) == .timedOut { break }
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { state in
            let lags = zip(state.asked, state.lags).map { asked, lag in asked.map { now &- $0 } ?? lag }
            let sum = state.measurements.reduce(ShardMeasurement(), +)
            return (sum, lags.max() ?? 0)
        }
    }
}

extension Server {
    /// Updates the gauges that are computed on demand. Must not be called on a loop. For a loop that does not answer in time,
    /// reports its last measurement and its current lag.
    public func measure(timeout milliseconds: Int = 250) {
        let (sum, lag) = probe.ask(drivers, timeout: milliseconds)
        let metrics = directory.metrics
        for state in PlayerState.allCases { metrics.players[state].set(sum.players[state.rawValue]) }
        for activity in TableActivity.allCases { metrics.tables[activity].set(sum.tables[activity.rawValue]) }
        for state in SeatState.allCases { metrics.seats[state].set(sum.seats[state.rawValue]) }
        metrics.accounts.set(directory.openAccounts)
        metrics.chipsInPlay.set(sum.chipsInPlay)
        metrics.imbalance.set(sum.imbalance &+ directory.ledger.imbalance)
        metrics.outboundQueue.set(sum.outboundBytes)
        metrics.loopLag.set(Int(clamping: lag))
        metrics.stalled.set(journal?.isBehind(options) == true ? 1 : 0)
        let usage = checkpointer?.usage
        metrics.journalBytes.set(usage?.bytes ?? 0)
        metrics.checkpointAge.set(usage?.checkpointAge ?? 0)
        metrics.freeBytes.set(usage?.free ?? -1)
    }

    /// Whether every loop answers within `milliseconds`. Must not be called on a loop.
    public func isResponsive(within milliseconds: Int) -> Bool {
        probe.ask(drivers, timeout: milliseconds).lag <= UInt64(milliseconds) * 1_000_000
    }
}

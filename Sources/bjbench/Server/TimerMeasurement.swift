import CommandLineKit
import Foundation
import Sockets

/// Lateness of timers on a loop that has many.
struct TimerMeasurement {
    struct Options: Sendable {
        var count = 10_000
        var seconds = 5
    }

    private static let limit = 10

    let options: Options

    func run() {
        let loop = Loop(label: "bench.timers")
        let clocks = LoopConfined(sending: Clocks(loop), on: loop)
        let before = ProcessUse()
        clocks.performAndWait { $0.start(options.count) }
        Thread.sleep(forTimeInterval: Double(options.seconds))
        let use = ProcessUse() - before
        let counts = clocks.performAndWait { $0.lateness }
        loop.stop()
        let count = counts.reduce(0, +)
        guard count > 0 else { Console.fail("bjbench", "no timer fired", status: 69) }
        func percentile(_ share: Double) -> Int {
            var left = min(count - 1, Int(Double(count) * share))
            return counts.firstIndex { number in
                left -= number
                return left < 0
            } ?? 0
        }
        let verdict = percentile(0.99) < Self.limit ? "within" : "EXCEEDS"
        Console.print(
            "\(options.count) timers, \(count) went off in \(options.seconds) s: late by \(percentile(0.5)) ms (median), "
                + "\(percentile(0.99)) ms (99 %, \(verdict) \(Self.limit)), \(percentile(0.999)) ms (99.9 %), \(percentile(1)) ms (most)"
        )
        Console.print("\(use.microseconds / count) µs of processor time for each, \(use.wakeups) wake-ups")
    }

    /// Timers as tables use them: each fires within two seconds and is armed again; every other time one is postponed.
    /// Confined to its loop.
    private final class Clocks {
        private let loop: Loop
        private var timers: [LoopTimer] = []
        /// Kept here: a timer has no deadline when it fires.
        private var deadlines: [Int64] = []
        /// Histogram of lateness in milliseconds; the last bucket is unbounded. A list would take gigabytes per hour.
        private(set) var lateness = [Int](repeating: 0, count: 60_001)
        private var state: UInt64 = 2121

        init(_ loop: Loop) { self.loop = loop }

        func start(_ count: Int) {
            deadlines = Array(repeating: 0, count: count)
            for index in 0..<count { timers.append(loop.makeTimer { [unowned self] in goneOff(index) }) }
            for index in timers.indices { set(index) }
        }

        private func goneOff(_ index: Int) {
            lateness[Int(min(max(0, loop.now - deadlines[index]), 60_000))] += 1
            set(index)
            if state & 1 == 0 { set(Int(random(Int64(timers.count)))) }
        }

        private func set(_ index: Int) {
            let moment = loop.now + 1 + random(2000)
            deadlines[index] = moment
            timers[index].arm(at: moment)
        }

        private func random(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(truncatingIfNeeded: state >> 33) % bound
        }
    }
}

import CAllocationCount

/// A result.
struct Measurement {
    var name: String
    /// Median of the runs, in nanoseconds per call.
    var median: Double
    /// Minimum of the runs, in nanoseconds per call.
    var least: Double
    /// Calls of `malloc` per call.
    var allocations: Double
    /// Upper bound for `least`, in nanoseconds; nil for none.
    var limit: Double?
}

/// Times closures: several runs each, after a warm-up.
struct Bench {
    /// Substring of names to measure; empty for all.
    var filter: String
    var report: (Measurement) -> Void
    /// Measurements excluded by the filter.
    let skipped = Skipped()

    /// Collects name prefixes up to the colon.
    final class Skipped {
        private(set) var groups: [String] = []

        func note(_ name: String) {
            let group = String(name.prefix { $0 != ":" })
            if !groups.contains(group) { groups.append(group) }
        }
    }

    /// True when the filter may match a name with this prefix.
    func mayMeasure(_ name: String) -> Bool {
        if filter.isEmpty || name.contains(filter) || filter.hasPrefix(name) { return true }
        skipped.note(name)
        return false
    }

    /// - Parameters:
    ///   - calls: calls of `body` per run; the figure is per call.
    ///   - per: items per call; the figure is per item.
    ///   - limit: upper bound for the minimum, in nanoseconds.
    func measure(_ name: String, runs: Int = 21, calls: Int, per things: Int = 1, limit: Double? = nil, _ body: () -> Void) {
        measureParts(name, runs: runs, per: calls * things, limit: limit) { clock in
            clock.measure {
                for _ in 0..<calls { body() }
            }
        }
    }

    /// Sums the measured parts of a run, excluding the rest.
    struct PartsClock {
        fileprivate var spent = Duration.zero
        fileprivate var allocations: UInt = 0
        private let clock = ContinuousClock()

        mutating func measure(_ part: () -> Void) {
            let before = allocation_count()
            spent += clock.measure(part)
            allocations += allocation_count() - before
        }
    }

    /// - Parameters:
    ///   - per: items per run; the figure is per item.
    ///   - limit: upper bound for the minimum, in nanoseconds.
    ///   - body: one run; only parts timed by the clock count.
    func measureParts(
        _ name: String, runs: Int, per things: Int, limit: Double? = nil, _ body: (inout PartsClock) -> Void
    ) {
        guard filter.isEmpty || name.contains(filter) else { return skipped.note(name) }
        var figures: [Double] = []
        figures.reserveCapacity(runs + 1)
        var allocations: UInt = 0
        for run in 0...runs {
            var clock = PartsClock()
            body(&clock)
            // The first run is the warm-up.
            guard run > 0 else { continue }
            figures.append(clock.spent / .nanoseconds(1) / Double(things))
            allocations += clock.allocations
        }
        figures.sort()
        report(
            Measurement(
                name: name, median: figures[figures.count / 2], least: figures[0],
                allocations: Double(allocations) / Double(runs * things), limit: limit))
    }
}

/// Keeps the optimizer from removing the measured code.
@inline(never)
func consume<Value>(_ value: borrowing Value) {}

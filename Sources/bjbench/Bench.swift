import CAllocationCount

/// One figure: what was measured, and what one call took.
struct Measurement {
    var name: String
    /// The median of the runs, in nanoseconds per call.
    var median: Double
    /// The least of the runs, in nanoseconds per call.
    var least: Double
    /// Calls of `malloc` per call.
    var allocations: Double
    /// What `least` is to be at most, in nanoseconds; nil where nothing was promised.
    var limit: Double?
}

/// Times pieces of code, several runs each after one that warms up.
struct Bench {
    /// Only what has this in its name is measured; everything if it is empty.
    var filter: String
    var report: (Measurement) -> Void
    /// What the filter has left out.
    let skipped = Skipped()

    /// Collects the beginnings of names, up to the colon.
    final class Skipped {
        private(set) var groups: [String] = []

        func note(_ name: String) {
            let group = String(name.prefix { $0 != ":" })
            if !groups.contains(group) { groups.append(group) }
        }
    }

    /// Whether anything whose name begins like this may be measured.
    func mayMeasure(_ name: String) -> Bool {
        if filter.isEmpty || name.contains(filter) || filter.hasPrefix(name) { return true }
        skipped.note(name)
        return false
    }

    /// - Parameters:
    ///   - calls: how often `body` is called in each run; the figure is per call.
    ///   - per: how many things one call does; the figure is per thing.
    ///   - limit: what the least may be at most, in nanoseconds.
    func measure(_ name: String, runs: Int = 21, calls: Int, per things: Int = 1, limit: Double? = nil, _ body: () -> Void) {
        measureParts(name, runs: runs, per: calls * things, limit: limit) { clock in
            clock.measure {
                for _ in 0..<calls { body() }
            }
        }
    }

    /// Adds up the parts of a run that are to be measured, and leaves out what is between them.
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
    ///   - per: how many things one run does; the figure is per thing.
    ///   - limit: what the least may be at most, in nanoseconds.
    ///   - body: one run; what it has the clock measure counts.
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
            // The first run only warms up.
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

/// Keeps the optimizer from dropping what is measured.
@inline(never)
func consume<Value>(_ value: borrowing Value) {}

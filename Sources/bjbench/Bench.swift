/// One figure: what was measured, and what one call took.
struct Measurement {
    var name: String
    /// The median of the runs, in nanoseconds per call.
    var median: Int
    /// The least of the runs, in nanoseconds per call.
    var least: Int
}

/// Times pieces of code, several runs each after one that warms up.
struct Bench {
    /// Only what has this in its name is measured; everything if it is empty.
    var filter: String
    var report: (Measurement) -> Void

    /// Whether anything whose name begins like this may be measured.
    func mayMeasure(_ name: String) -> Bool { filter.isEmpty || name.contains(filter) || filter.hasPrefix(name) }

    /// - Parameters:
    ///   - calls: how often `body` is called in each run; the figure is per call.
    ///   - per: how many things one call does; the figure is per thing.
    func measure(_ name: String, runs: Int = 21, calls: Int, per things: Int = 1, _ body: () -> Void) {
        guard filter.isEmpty || name.contains(filter) else { return }
        var figures: [Int] = []
        let clock = ContinuousClock()
        for run in 0...runs {
            let duration = clock.measure {
                for _ in 0..<calls { body() }
            }
            let nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
            // The first run only warms up.
            if run > 0 { figures.append(Int(nanoseconds) / (calls * things)) }
        }
        figures.sort()
        report(Measurement(name: name, median: figures[figures.count / 2], least: figures[0]))
    }
}

/// Keeps the optimizer from dropping what is measured.
@inline(never)
func consume<Value>(_ value: borrowing Value) {}

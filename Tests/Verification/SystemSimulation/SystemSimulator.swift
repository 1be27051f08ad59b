/// Runs simulated worlds: each one a server, its players and its faults, from a seed of its own.
public struct SystemSimulator: Sendable {
    /// A broken law, with all that it takes to see it again.
    public struct Failure: Error, Sendable {
        /// The world's seed.
        public let seed: UInt64
        /// The law, in words.
        public let reason: String
        /// The faults before it, in order.
        public let story: [String]
        /// The last lines of the player that it concerns.
        public let transcript: [String]
        /// Numbers of the faults that were left out.
        public let skipped: Set<Int>
        /// Rounds played before it.
        public let rounds: Int
        fileprivate let faultNumbers: [Int]
    }

    /// Figures of a world without a broken law.
    public struct Report: Sendable {
        public var worlds = 0
        public var rounds = 0
        public var faults = 0
        public var starts = 0
        /// Proofs of shoes that players have checked.
        public var shoes = 0
        public var events = 0
        /// Virtual milliseconds.
        public var milliseconds: Int64 = 0
        /// SHA-256 of the last world's events, in hexadecimal digits.
        public var digest = ""

        public init() {}
    }

    public let faults: Set<FaultKind>
    /// Rounds of a world before its last quiet phase.
    public let roundsPerWorld: Int

    /// - Parameter roundsPerWorld: at least 1.
    public init(faults: Set<FaultKind> = Set(FaultKind.allCases), roundsPerWorld: Int = 1000) {
        self.faults = faults
        self.roundsPerWorld = roundsPerWorld
    }

    /// Runs one world.
    /// - Parameters:
    ///   - skipped: numbers of faults to leave out.
    ///   - former: the report of earlier worlds, to which this one is added.
    ///   - trace: receives a line for each event.
    ///   - isOver: asked every few thousand events; true ends the world early.
    /// - Throws: the first broken law.
    public func run(
        seed: UInt64, skipped: Set<Int> = [], after former: Report = Report(), trace: ((String) -> Void)? = nil,
        isOver: @escaping () -> Bool = { false }
    ) throws(Failure) -> Report {
        var settings = SystemWorld.Settings(seed: seed)
        (settings.faults, settings.skipped, settings.rounds) = (faults, skipped, roundsPerWorld)
        let world = SystemWorld(settings, keepsTranscripts: true, printer: trace)
        world.isOver = isOver
        defer { world.end() }
        if let reason = world.run() {
            let concerned =
                world.players.first { reason.firstRange(of: $0.name + ":") != nil || reason.firstRange(of: $0.name + " ") != nil }
                ?? world.players.first { reason.firstRange(of: $0.home) != nil }
            throw Failure(
                seed: seed, reason: reason, story: world.story.map(\.line), transcript: concerned?.transcript ?? [],
                skipped: skipped, rounds: world.roundCount, faultNumbers: world.story.map(\.number))
        }
        var report = former
        report.worlds += 1
        report.rounds += world.roundCount
        report.faults += world.story.count
        report.starts += world.starts
        report.shoes += world.verifiedShoes
        report.events += world.machine.trace.count
        report.milliseconds += world.machine.time / 1000 - 1_000_000
        report.digest = world.machine.trace.digest
        return report
    }

    /// Leaves out faults as long as the world still breaks a law: halves, quarters and so on, then single ones.
    /// - Parameters:
    ///   - attempts: the most worlds to run.
    ///   - isOver: asked before each attempt and now and then within one; true ends the search with the best story so far.
    ///   - progress: receives the number of faults left, after each attempt.
    public func minimised(
        _ failure: Failure, attempts: Int = 1000, isOver: @escaping () -> Bool = { false }, progress: (Int) -> Void = { _ in }
    ) -> Failure {
        var best = failure
        var left = attempts
        var size = max(1, best.faultNumbers.count / 2)
        while left > 0, !best.faultNumbers.isEmpty {
            var hasShrunk = false
            var start = 0
            while start < best.faultNumbers.count, left > 0, !isOver() {
                left -= 1
                let part = best.faultNumbers[start..<min(best.faultNumbers.count, start + size)]
                if let shorter = repeated(best, leavingOut: part, isOver) {
                    best = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
                progress(best.faultNumbers.count)
            }
            if isOver() || size == 1 && !hasShrunk { break }
            if size > 1 { size /= 2 }
        }
        return best
    }

    /// Runs a broken world again without some of its faults.
    private func repeated(_ failure: Failure, leavingOut part: ArraySlice<Int>, _ isOver: @escaping () -> Bool) -> Failure? {
        // Not much longer than until the law was broken.
        let simulator = SystemSimulator(faults: faults, roundsPerWorld: min(roundsPerWorld, failure.rounds + 50))
        do throws(Failure) {
            _ = try simulator.run(seed: failure.seed, skipped: failure.skipped.union(part), isOver: isOver)
            return nil
        } catch {
            return error
        }
    }
}

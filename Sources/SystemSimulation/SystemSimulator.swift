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
        fileprivate let faultNumbers: [Int]
    }

    /// Figures of a world without a broken law.
    public struct Report: Sendable {
        public var worlds = 0
        public var rounds = 0
        public var faults = 0
        public var starts = 0
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
    ///   - trace: receives a line for each event.
    /// - Throws: the first broken law.
    public func run(seed: UInt64, skipped: Set<Int> = [], trace: ((String) -> Void)? = nil) throws(Failure) -> Report {
        var settings = SystemWorld.Settings(seed: seed)
        (settings.faults, settings.skipped, settings.rounds) = (faults, skipped, roundsPerWorld)
        let world = SystemWorld(settings, keepsTranscripts: true, printer: trace)
        if let reason = world.run() {
            let concerned =
                world.players.first { reason.firstRange(of: $0.name + ":") != nil || reason.firstRange(of: $0.name + " ") != nil }
                ?? world.players.first { reason.firstRange(of: $0.home) != nil }
            throw Failure(
                seed: seed, reason: reason, story: world.story.map(\.line), transcript: concerned?.transcript ?? [],
                skipped: skipped, faultNumbers: world.story.map(\.number))
        }
        var report = Report()
        (report.worlds, report.rounds, report.faults) = (1, world.roundCount, world.story.count)
        (report.starts, report.events) = (world.starts, world.machine.trace.count)
        report.milliseconds = world.machine.time / 1000 - 1_000_000
        report.digest = world.machine.trace.digest
        return report
    }

    /// Leaves out faults as long as the world still breaks a law: halves, quarters and so on, then single ones.
    /// - Parameter progress: receives the number of faults left, after each attempt.
    public func minimised(_ failure: Failure, attempts: Int = 200, progress: (Int) -> Void = { _ in }) -> Failure {
        var best = failure
        var left = attempts
        var size = max(1, best.faultNumbers.count / 2)
        while left > 0, size >= 1, !best.faultNumbers.isEmpty {
            var hasShrunk = false
            var start = 0
            while start < best.faultNumbers.count, left > 0 {
                left -= 1
                let part = best.faultNumbers[start..<min(best.faultNumbers.count, start + size)]
                do {
                    _ = try run(seed: failure.seed, skipped: best.skipped.union(part))
                    start += size
                } catch {
                    best = error
                    hasShrunk = true
                }
                progress(best.faultNumbers.count)
            }
            if size == 1, !hasShrunk { break }
            if size > 1 { size /= 2 }
        }
        return best
    }
}

import ClientSession
import Referee
import ServerCore
import TableModel

/// Laws that hold at every event, and those that hold once the faults have stopped.
extension SystemWorld {
    /// Microseconds within which everybody is served once faults have stopped.
    private static let patience: Int64 = 200_000_000
    /// Milliseconds by which a deadline may be missed in a quiet time.
    private static let lateness: Int64 = 3000
    /// Microseconds of a quiet time after which every view is current.
    private static let settling: Int64 = 8_000_000

    /// Runs the whole world.
    /// - Returns: the first broken law; nil for none.
    func run() -> String? {
        restoreDisk()
        restart(after: 0)
        startPlayers()
        repeat {
            if let broken = playWithFaults() ?? playQuietly() { return broken }
        } while roundCount < settings.rounds && !isOver()
        return isOver() ? nil : stopInOrder()
    }

    /// The first broken law so far.
    private var broken: String? {
        if let first = violations.first { return first }
        if let finding = referee.findings.first { return finding.description }
        return nil
    }

    /// Runs events until a time, in microseconds, or until a condition holds.
    private func advance(until end: Int64, or isOver: () -> Bool = { false }) -> String? {
        var steps = 0
        while machine.time < end, machine.step() {
            steps += 1
            if steps % 4096 == 0, self.isOver() { return nil }
            if !referee.findings.isEmpty || !violations.isEmpty { return broken }
            if failure != nil { endFailed() }
            if isOver() { return nil }
        }
        return nil
    }

    /// The journal has failed: the program ends at once, as the real one does, and is started again.
    private func endFailed() {
        guard let error = failure else { return }
        if case .storage = error, settings.faults.contains(.broken) {
            end(.nothing)
            restart(after: 20_000)
        } else {
            violations.append("the journal failed: \(error)")
        }
    }

    private func playWithFaults() -> String? {
        isFaulty = true
        scheduleFault()
        defer { isFaulty = false }
        return advance(until: machine.time + Int64(4_000_000 + random.below(16_000_000))) { roundCount >= settings.rounds }
    }

    // MARK: Liveness

    private func playQuietly() -> String? {
        machine.trace.note(.quiet, at: machine.time, 0)
        nextFault += 1
        disk.heal()
        restoreDisk()
        machine.network.unclog()
        machine.stall(loop: nil, for: 0)
        for peer in peers { peer.leave() }
        peers = []
        for player in players { if let link = player.link { machine.network.setReading(true, link) } }
        if let broken = advance(until: .max, or: { server?.state == .ready }) { return broken }
        if isOver() { return nil }
        let before = roundsByTable
        let start = machine.time
        var looked = start
        let result = advance(until: start + Self.patience) {
            guard machine.time > looked + 50_000 else { return false }
            looked = machine.time
            noteDeadlines(since: start)
            return isServed(since: before)
        }
        if let result { return result }
        if isOver() { return nil }
        guard isServed(since: before) else {
            return "\(Self.patience / 1_000_000) s after the last fault: \(unserved(since: before))"
        }
        return imbalance == 0 ? nil : "\(imbalance) chips too many"
    }

    private func isServed(since before: [String: Int]) -> Bool {
        let after = roundsByTable
        return players.allSatisfy { isServed($0) }
            && Set(players.map(\.home)).allSatisfy { after[$0, default: 0] > before[$0, default: 0] }
    }

    private func isServed(_ player: SimulatedPlayer) -> Bool {
        player.session.status.link == .loggedIn && referee.isAnswered(player.index)
    }

    private func unserved(since before: [String: Int]) -> String {
        let waiting = players.filter { !isServed($0) }.map { "\($0.name) is \($0.session.status.link)" }
        let after = roundsByTable
        let tables = Set(players.map(\.home)).sorted().filter { after[$0, default: 0] <= before[$0, default: 0] }
        return (waiting + tables.map { "no round ended at \($0)" }).joined(separator: ", ")
    }

    /// A table shown with a deadline that has passed for long has missed it.
    private func noteDeadlines(since start: Int64) {
        guard let server, machine.time > start + Self.settling else { return }
        for player in players where player.link != nil {
            guard let deadline = referee.shown(to: player.index)?.clock?.deadline, deadline + Self.lateness < server.now else {
                continue
            }
            violations.append("\(player.home) has missed its deadline by \(server.now - deadline) ms")
        }
    }

    // MARK: The end

    /// Stops the server in order, and audits its journal.
    private func stopInOrder() -> String? {
        guard let server else { return nil }
        stop(server, timeout: 500, restartAfter: nil)
        if let broken = advance(until: machine.time + Self.patience, or: { self.server == nil }) { return broken }
        guard self.server == nil else { return "a drain of 500 ms does not end" }
        do {
            try audit()
            return nil
        } catch {
            return "the audit: \(error)"
        }
    }
}

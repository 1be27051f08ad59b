import Journal
import Measuring
import Operations
import ServerCore
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The schedule of faults, and what each one does.
extension SystemWorld {
    private var kinds: [FaultKind] { FaultKind.allCases.filter { settings.faults.contains($0) && $0.isScheduled } }

    /// Lets faults happen until the next quiet phase.
    func scheduleFault() {
        guard !kinds.isEmpty else { return }
        let fault = PlannedFault(number: nextFault, seed: settings.seed, kinds: kinds)
        machine.after(fault.pause) { [weak self] in
            guard let self, isFaulty, nextFault == fault.number else { return }
            nextFault += 1
            if !settings.skipped.contains(fault.number) { perform(fault) }
            scheduleFault()
        }
    }

    private func perform(_ fault: PlannedFault) {
        var random = fault.random
        let text = describe(fault.kind, &random)
        machine.trace.note(.fault, at: machine.time, fault.number, text: "\(fault.kind.rawValue): \(text)")
        let seconds = (machine.time - 1_000_000_000) / 1000
        story.append((fault.number, "\(seconds) ms, fault \(fault.number), \(fault.kind.rawValue): \(text)"))
    }

    /// Carries a fault out.
    /// - Returns: what happened, in words.
    private func describe(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        switch kind {
        case .delay: return ""
        case .reset, .vanish, .clog, .partition, .reader: return disturb(kind, &random)
        case .flood: return flood(&random)
        case .kill: return crash(.nothing, &random)
        case .power:
            let losses = FaultStorage.Loss.allCases.filter { $0 != .nothing }
            let loss = losses[random.below(losses.count)]
            return random.below(2) == 0 ? crash(loss, &random) : failSlowly(loss, &random)
        case .disk:
            let (delay, length) = (random.below(3) == 0 ? 900_000 : 30_000, Int64(300_000 + random.below(3_000_000)))
            machine.diskDelay = { _ in UInt64(delay) }
            troubleEnd = max(troubleEnd, machine.time + length)
            machine.after(length) { [weak self] in self?.restoreDisk() }
            return "each operation takes \(delay / 1000) ms, for \(length / 1000) ms"
        case .full:
            let count = 1 + random.below(20)
            troubleEnd = max(troubleEnd, machine.time + 10_000_000)
            disk.inject(.errors(ENOSPC, count: count), atNext: [.write, .create])
            return "no space for the next \(count) writes"
        case .broken:
            disk.inject(.error(EIO), atNext: [.write, .create, .sync])
            return "the next operation of the disk fails"
        case .stall:
            let loop = random.below(loops + 1)
            let length = Int64(random.below(2_500_000))
            machine.stall(loop: loop < loops ? loop : nil, for: length)
            troubleEnd = max(troubleEnd, machine.time + length)
            return "\(loop < loops ? "loop \(loop) gets" : "all threads get") no time for \(length / 1000) ms"
        case .clock:
            // Within 50 minutes: answers to repeated requests are kept for an hour of the wall clock.
            let jump = VirtualMachine.wallClockStart + Int64(random.below(3_000_000)) - machine.wallOffset
            machine.wallOffset += jump
            return "the wall clock jumps by \(jump) ms"
        case .drain: return drain(&random)
        case .restart:
            guard let server, server.state == .ready else { return "the server is not running" }
            stop(server, timeout: nil, restartAfter: Int64(10_000 + random.below(300_000)))
            return "stops with its hands, and is started again"
        case .reload: return reload(&random)
        case .host: return administer(&random)
        }
    }

    func restoreDisk() {
        machine.diskDelay = { operation in
            switch operation {
            case .sync: 700
            case .create: 3000
            default: 60
            }
        }
    }

    // MARK: The network

    private func disturb(_ kind: FaultKind, _ random: inout SeededRandom) -> String {
        let share = kind == .partition ? 2 : 6
        let chosen = players.filter { $0.link != nil && random.below(share) == 0 }
        let length = Int64(random.below(kind == .partition ? 6_000_000 : 3_000_000))
        for player in chosen {
            guard let link = player.link else { continue }
            switch kind {
            case .reset: machine.network.reset(link)
            case .vanish: player.vanish()
            case .reader:
                machine.network.setReading(false, link)
                machine.after(length * 4) { [weak self, weak link] in
                    if let link { self?.machine.network.setReading(true, link) }
                }
            default: machine.network.clog(link, for: length / 2 + Int64(random.below(Int(length / 2 + 1))))
            }
        }
        let names = chosen.map(\.name).joined(separator: " ")
        return "\(names.isEmpty ? "nobody" : names)" + (kind == .reset || kind == .vanish ? "" : ", up to \(length / 1000) ms")
    }

    private func flood(_ random: inout SeededRandom) -> String {
        peers.removeAll { $0.link == nil }
        let count = 1 + random.below(6)
        var habits: [String] = []
        for _ in 0..<count {
            let habit = HostilePeer.Habit.allCases[random.below(HostilePeer.Habit.allCases.count)]
            habits.append("\(habit)")
            let peer = HostilePeer(
                machine, habit: habit, random: SeededRandom(seed: random.next()), host: "203.0.113.\(1 + random.below(4))"
            ) { [weak self, start = machine.time] bytes, bound in
                // Bytes that wait for the disk are bounded by the loop's stall, not by the connection.
                guard let self, troubleEnd < start else { return }
                violations.append("\(bytes) bytes waited for a peer that did not read: more than \(bound)")
            }
            peers.append(peer)
        }
        return habits.joined(separator: ", ")
    }

    // MARK: The process

    /// Whether the disk may refuse to write: a stop then reports records that nobody was told of.
    private var mayFailToWrite: Bool { settings.faults.contains(.broken) || settings.faults.contains(.full) }

    private func crash(_ loss: FaultStorage.Loss, _ random: inout SeededRandom) -> String {
        let isLong = random.below(8) == 0
        let outage = isLong ? 90_000_000 : Int64(2000 + random.below(1_500_000))
        guard server != nil else { return "the server is down already" }
        end(loss)
        // Nobody plays during a long outage: time goes on all the same.
        restart(after: outage)
        return "the process ends, loss \(loss.rawValue), back after \(outage / 1000) ms"
    }

    /// Some players stop reading, which fills their connections. Then the disk stands still, those players leave and read again, and the
    /// power fails: nothing of what they asked for is durable, and no answer may have left, whatever loop has the connection by then.
    private func failSlowly(_ loss: FaultStorage.Loss, _ random: inout SeededRandom) -> String {
        guard server != nil else { return "the server is down already" }
        let start = starts
        let deaf = players.filter { $0.link != nil && random.below(2) == 0 }
        let (pause, length) = (Int64(random.below(400_000)), Int64(20_000 + random.below(180_000)))
        for player in deaf { player.stopReading() }
        troubleEnd = max(troubleEnd, machine.time + pause + length)
        machine.after(pause) { [weak self] in
            guard let self else { return }
            if starts == start, isFaulty { machine.diskDelay = { _ in 900_000 } }
            for player in deaf { player.leaveAndRead() }
        }
        machine.after(pause + length) { [weak self, random] in
            guard let self else { return }
            restoreDisk()
            var random = random
            if starts == start, isFaulty { _ = crash(loss, &random) }
        }
        return "\(deaf.map(\.name).joined(separator: " ")) read nothing for \(pause / 1000) ms, then the disk stands still for "
            + "\(length / 1000) ms, then the process ends, loss \(loss.rawValue)"
    }

    /// Starts the server after a while; again if the disk fails at that.
    func restart(after microseconds: Int64) {
        machine.after(microseconds) { [weak self] in
            guard let self, server == nil else { return }
            do {
                try start()
            } catch {
                guard mayFailToWrite else {
                    return violations.append("the server does not start: \(error)")
                }
                failedStarts += 1
                machine.endProcess()
                disk = disk.survivors(.nothing, using: &self.random)
                if failedStarts > 30 { violations.append("the server does not start: \(error)") } else { restart(after: 50_000) }
            }
        }
    }

    private func drain(_ random: inout SeededRandom) -> String {
        guard let server, server.state == .ready else { return "the server is not running" }
        let timeout = Int64(random.below(1500))
        stop(server, timeout: timeout, restartAfter: Int64(10_000 + random.below(300_000)))
        return "stops within \(timeout) ms, and is started again"
    }

    /// Drains the server, or suspends it without a timeout; then starts it again.
    func stop(_ server: Server, timeout: Int64?, restartAfter pause: Int64?) {
        let process = machine.process
        let machine = machine
        let stopped: @Sendable () -> Void = {
            guard machine.process == process else { return }
            machine.stopped?()
        }
        if let timeout {
            referee.stopping()
            server.drain(timeout: timeout, reason: "restart", completion: stopped)
        } else {
            server.suspend(completion: stopped)
        }
        machine.stopped = { [weak self] in
            // Later: the server's own work has to end before its process does.
            machine.after(1) { [weak self] in
                guard let self, machine.process == process else { return }
                if server.hasLostRecords, !mayFailToWrite { violations.append("an orderly stop has lost records") }
                end(.nothing)
                if let pause { restart(after: pause) }
            }
        }
    }

    private func reload(_ random: inout SeededRandom) -> String {
        guard let server, server.state == .ready else { return "the server is not running" }
        var changed = configuration
        changed.requests = .perSecond(1000 + random.below(1000), burst: 2000)
        let bytes = [64, 128, 256][random.below(3)] * 1024
        server.reconfigure(changed, limits: .init(outboundBytes: bytes, inboundBytes: 16 * 1024))
        return "at most \(bytes) bytes wait for a client"
    }

    private func administer(_ random: inout SeededRandom) -> String {
        guard let server, server.state == .ready else { return "the server is not running" }
        switch random.below(4) {
        case 0:
            let address = "203.0.113.\(1 + random.below(4))"
            guard let block = AddressBlock(address) else { preconditionFailure("numeric addresses are blocks") }
            let seconds = 1 + random.below(5)
            return "bans \(address) for \(seconds) s, \(server.ban(block, seconds: seconds) ?? 0) connections end"
        case 1:
            guard let words = try? ChatText("The host speaks.") else { preconditionFailure("a plain text is chat") }
            return "speaks to \(server.say(words) ?? 0) connections"
        default:
            let player = players[random.below(players.count)]
            // Judged from here on: the bytes that tell of it come later.
            referee.kicked(player.index)
            return "\(server.kick(player.name) ? "removes" : "does not find") \(player.name)"
        }
    }
}

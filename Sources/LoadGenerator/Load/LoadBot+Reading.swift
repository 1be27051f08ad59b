import Referee
import Sockets
import TableModel
import Wire

/// How a bot reads its connection.
extension LoadBot {
    /// Takes a chunk of input: lines judged by other bots in one step, the rest line by line.
    /// - Parameter now: arrival time in microseconds.
    func read(_ bytes: UnsafeRawBufferPointer, at now: Int64) {
        let local = crew.loop.now
        var rest = bytes
        if !isMidLine {
            var last: ShownTable?
            let length = witness.follow(bytes, at: local) { shown in
                note(shown, at: now)
                last = shown
            }
            if let last { look(at: last, at: now) }
            rest = UnsafeRawBufferPointer(rebasing: bytes[length...])
        }
        if let end = rest.last {
            isMidLine = end != UInt8(ascii: "\n")
            framer.append(rest) { line in
                take(witness.take(line, at: local), at: now)
                return !isGone
            }
        }
        if framer.isOverLimit {
            crew.figures.fail("a line of more than \(WireLimits.eventBytes) bytes")
            connection?.abort()
        }
    }

    /// Takes note of a revision.
    func note(_ shown: ShownTable, at now: Int64) {
        if let joining {
            crew.figures.join.record(joining, seen: now)
            self.joining = nil
        }
        if let move, move.isAnswered {
            self.move = nil
            crew.figures.actions += 1
            crew.figures.latency.record(move.moments, seen: now)
            crew.figures.recent.record(now - move.moments.intended)
        }
        if turn != nil, let seat = witness.seat { count(shown, seat) }
        watchShoes(shown)
    }

    /// Acts on the last of the revisions that arrived together.
    func look(at shown: ShownTable, at now: Int64) {
        guard turn != nil else { return }
        guard let seat = witness.seat else {
            leaveCompany()
            return sit()
        }
        if let stay = mix.stayRounds ?? (isSession ? 10 : nil), self.stay.rounds >= stay, move == nil, !shown.glance.isInRound {
            return leave()
        }
        consider(at: now)
        if !crew.settings.readsAtOnce { rest(shown, seat) }
    }

    func count(_ shown: ShownTable, _ seat: Int) {
        guard stay.hasPlayed, shown.glance.settled & (1 << UInt8(seat)) != 0, shown.glance.round != countedRound,
            shown.outcomes.indices.contains(seat)
        else { return }
        countedRound = shown.glance.round
        stay.rounds += 1
        let outcome = shown.outcomes[seat]
        mind.note(net: outcome.net)
        crew.figures.hands += outcome.hands
        crew.figures.net += outcome.net
    }
}

import TableModel
import Wire

/// Playing rounds until the cards have fallen as a transcript needs them.
extension ServerKit.Performer {
    /// Requests that a clock, or somebody else, may have overtaken.
    private static let overtaken: Set<String> = [
        "stale", "not_your_turn", "nothing_to_decide", "betting_closed", "not_asked", "already_answered",
    ]

    /// Each player bets the least and answers by the first legal action, until one of them sees the pattern.
    func play(_ players: [String], rounds: Int, actions: [String], until pattern: ServerKit.Pattern) throws {
        let deadline = stage.now + max(limit, rounds * 1000)
        var betsLeft = Dictionary(uniqueKeysWithValues: players.map { ($0, rounds) })
        // Looked for at each line: it may be over, and the next round on, where this is slow and the server is not.
        func isSeen() -> Bool { sees(players[0], pattern) }
        while true {
            for player in players { try takeWhatIsThere(player, until: isSeen) }
            if isSeen() { return }
            try levelUp(players, deadline, until: isSeen)
            if isSeen() { return }
            guard stage.now < deadline else { throw Stop.fail("it took too long") }
            var hasMoved = false
            for player in players {
                guard let request = try move(player, actions, rounds, &betsLeft) else { continue }
                try carryOut(request, player, deadline)
                hasMoved = true
                break
            }
            if !hasMoved { try takeNews(players[0], until: min(deadline, stage.now + limit)) }
        }
    }

    /// Waits until all players have seen the revision that one has seen: their question may still be on its way.
    private func levelUp(_ players: [String], _ deadline: Int, until isEnough: () -> Bool) throws {
        let newest = players.compactMap { peers[$0]?.view?.revision }.max() ?? 0
        for player in players {
            while let view = peers[player]?.view, view.revision < newest, !isEnough() {
                try takeNews(player, until: min(deadline, stage.now + limit))
            }
        }
    }

    private func takeWhatIsThere(_ player: String, until isEnough: () -> Bool) throws {
        while !isEnough() {
            do {
                try takeNews(player, until: stage.now)
            } catch Stop.fail("nothing was said in time") {
                return
            }
        }
    }

    private func move(_ who: String, _ actions: [String], _ rounds: Int, _ betsLeft: inout [String: Int]) throws -> ClientMessage?
    {
        guard let view = peers[who]?.view, let name = variables[who]?.string else { return nil }
        let table = view.snapshot
        let seats = table.seats(of: name)
        for seat in seats {
            guard let choice = table.choice(seat) else { continue }
            let legal = choice.options.map(\.action.name)
            let wanted = actions.first { legal.contains($0) } ?? legal.first { $0 == "decline" || $0 == "stand" }
            guard let action = choice.options.first(where: { $0.action.name == wanted })?.action else { return nil }
            return .act(action, seat: seat, hand: nil, amount: nil, turn: choice.turn)
        }
        guard let rules = table.rules, table.phase == .waiting || table.phase == .betting else { return nil }
        for seat in seats where table.bet(HandIdentifier(seat: seat, number: 1)) == nil {
            guard let left = betsLeft[who], left > 0 else {
                if rounds > 0, betsLeft.values.allSatisfy({ $0 == 0 }) {
                    throw Stop.fail("the cards did not fall so in as many rounds as allowed")
                }
                return nil
            }
            guard let player = table.player(seat), player.presence == .here else { continue }
            guard player.chips >= rules.minimumBet else {
                throw Stop.skip("the chips of a new player (\"chips\") ran out before the cards fell so")
            }
            betsLeft[who] = left - 1
            return .bet(amount: rules.minimumBet, seat: seat, round: table.round?.number)
        }
        return nil
    }

    /// Sends a request and waits for the table that shows its effect.
    private func carryOut(_ message: ClientMessage, _ who: String, _ deadline: Int) throws {
        plays += 1
        let id = RequestID.text("play \(plays)")
        try send(Request(id: id, message).encoded(), by: who)
        while true {
            guard let (answer, value) = try next(who, until: deadline) else { throw Stop.fail("the connection was closed") }
            switch answer {
            case .ok(id, .applied(message.type, let shown)):
                while let view = peers[who]?.view, view.revision < shown.number { try takeNews(who, until: deadline) }
                return
            case .error(let refusal) where refusal.id == id && Self.overtaken.contains(refusal.code): return
            default:
                if ServerKit.Peer.isReply(answer) { throw Stop.fail("to \(message.type) the server said \(value)") }
            }
        }
    }
}

import Fairness
import TableModel
import Wire

/// A request that follows a reveal on its connection: a server that answers it has handled the reveal, because it takes requests in order.
struct RevealWitness: Equatable, Sendable {
    let server: Digest
    /// As in ``Contribution/sent``.
    let sent: Int
}

/// Reveals that the server got, or says that it did not get in time.
extension ShoeWatch {
    /// A request of an action has left for the server: a reveal is followed by a request that shows when the server has handled it.
    public mutating func sent(_ request: ClientMessage, at now: Int64) -> [Action] {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }),
            witnesses.count < Self.mostUnproven
        else { return [] }
        contributions[index].sent += 1
        (contributions[index].isOnItsWay, contributions[index].sentAt) = (true, now)
        witnesses.append(RevealWitness(server: contributions[index].server, sent: contributions[index].sent))
        return [.request(.ping)]
    }

    /// The server refused a request of an action for now: it is sent again.
    public mutating func postponed(_ request: ClientMessage) {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }) else { return }
        contributions[index].isOnItsWay = false
        turnedAway(index)
    }

    /// Whether the server is known to have the player's reveal under a list of an attempt.
    func hasGiven(to server: Digest) -> Bool {
        contributions.contains { $0.server == server && ($0.reveal == .confirmed || $0.isReceived) }
    }

    mutating func witnessed(_ answer: Result<Reply, Refusal>) {
        guard !witnesses.isEmpty else { return }
        let witness = witnesses.removeFirst()
        guard case .success = answer, let index = contributions.lastIndex(where: { $0.server == witness.server }) else { return }
        let own = contributions[index]
        guard own.sent == witness.sent, own.isOnItsWay, own.reveal == .asked else { return }
        contributions[index].isReceived = true
        accuseIfNamed(index)
    }

    /// The server names the player as a withholder under a list, and it cannot be told yet whether the reveal reached it in time.
    mutating func named(to server: Digest, _ table: TableSnapshot) {
        guard let index = index(to: server) else { return }
        let own = contributions[index]
        if own.isTurnedAway {
            found(.namedAfterRefusal(shoe: own.shoe))
            countRejected()
        } else if own.reveal == .asked, own.isOnItsWay {
            let waits: Int64 = table.shoe?.number ?? 0 > 0 ? 2_000 : 1_000
            contributions[index].verdict = .named(at: now, waits: waits)
        }
    }

    /// The server refused a reveal. Before it names the player no server of ours does; afterwards it is too late.
    mutating func turnedAway(_ index: Int) {
        let own = contributions[index]
        guard case .named(_, let waits) = own.verdict else {
            if own.verdict == .none { contributions[index].isTurnedAway = true }
            return
        }
        let time = now - own.sentAt
        guard time > waits else { return decideAgainst(index) }
        contributions[index].verdict = .none
        if slowShoe != own.shoe { found(.revealTooSlow(shoe: own.shoe, milliseconds: time)) }
        slowShoe = own.shoe
    }

    /// Says that a reveal stays unanswered for which the server named the player.
    mutating func sayNamedUnanswered() {
        for index in contributions.indices {
            switch contributions[index].verdict {
            case .unanswered: decideAgainst(index)
            case .named(let time, _) where now - time >= Self.patience: decideAgainst(index)
            case .none, .named, .omitted: break
            }
        }
    }

    private mutating func decideAgainst(_ index: Int) {
        contributions[index].verdict = .none
        found(.namedUnanswered(shoe: contributions[index].shoe))
        countRejected()
    }

    /// The server had the reveal when it named the player: its answer, or one to a later request, came after all.
    mutating func accuseIfNamed(_ index: Int) {
        let own = contributions[index]
        guard own.verdict != .none, own.table == table else { return }
        contributions[index].verdict = .none
        if ceremony?.next.shoe == own.shoe {
            accuse(.namedAsWithholder)
        } else if shoe?.watched.shoe == own.shoe {
            accuseShoe(.namedAsWithholder)
        }
    }

    /// Whether the player's contribution is in the mix of the list under which it was revealed.
    /// - Parameter server: the commitment of the attempt.
    mutating func checkDigit(of server: Digest, _ list: Digest, _ mixed: MixedContributions) {
        guard let index = index(to: server), contributions[index].list == list, let place = contributions[index].index,
            mixed.flags.indices.contains(place), !mixed.flags[place]
        else { return }
        let own = contributions[index]
        if own.reveal == .confirmed || own.isReceived {
            accuse(.namedAsWithholder)
        } else if !own.isExclusionSaid {
            if own.reveal == .asked, own.isOnItsWay { contributions[index].verdict = .omitted }
            say(.revealUnconfirmed, at: index)
        }
    }
}

import Fairness
import TableModel

/// Effects of facts about ceremonies.
extension TableState {
    func applyCeremony(_ fact: Fact) {
        switch fact {
        case .declared(let id, let contributes): change(id) { $0.profile.contributes = contributes }
        case .ceremoniesBegan(let table):
            core.hasCeremonies = true
            ceremonies = Ceremonies(table: table, rules: rules)
            // A key that no ceremony has made is never used.
            core.nextSource = nil
        case .ceremonyOpened(let shoe, let secret):
            changeCeremonies { $0.next = Attempt(shoe: shoe, secret: secret, of: $0) }
        case .contributed(let id, let name, let commitment):
            let contribution = Attempt.Contribution(player: id, name: name, commitment: commitment)
            changeCeremonies { ceremonies in
                if let index = ceremonies.next?.index(of: id) {
                    ceremonies.next?.contributions[index] = contribution
                } else {
                    ceremonies.next?.contributions.append(contribution)
                }
            }
        case .listDue(let until): core.ceremonyDue = until ?? .never
        case .listClosed(let until): applyListClosed(until)
        case .revealed(let id, let contribution):
            changeCeremonies { ceremonies in
                guard let index = ceremonies.next?.index(of: id) else { return }
                ceremonies.next?.contributions[index].reveal = contribution
            }
        case .attemptVoided(let timedOut): applyVoided(timedOut)
        case .secretRevealed: applySecretRevealed()
        default: preconditionFailure("applied elsewhere")
        }
    }

    private func changeCeremonies(_ body: (inout Ceremonies) -> Void) {
        guard ceremonies != nil else { preconditionFailure("a fact of a ceremony is of a table that has them") }
        body(&ceremonies!)
    }

    /// Orders the list by seats.
    private func applyListClosed(_ until: Moment) {
        core.ceremonyDue = until
        changeCeremonies { ceremonies in
            guard var next = ceremonies.next else { return }
            next.contributions.sort { firstSeat(of: $0.player) < firstSeat(of: $1.player) }
            next.stage = .revealing(list: next.contributors.listDigest(server: next.commitment))
            ceremonies.next = next
        }
    }

    private func firstSeat(of player: PlayerID) -> Int {
        slot(of: player).map { players[$0].seats.bits.trailingZeroBitCount } ?? rules.seats
    }

    private func applyVoided(_ timedOut: Bool) {
        core.ceremonyDue = .never
        changeCeremonies { ceremonies in
            if timedOut {
                for contribution in ceremonies.next?.contributions ?? [] where contribution.reveal == nil {
                    if !ceremonies.withheld.contains(contribution.name) { ceremonies.withheld.append(contribution.name) }
                    if pace.bankMilliseconds != nil { ceremonies.excluded.append(contribution.player) }
                }
            }
            ceremonies.voidAttempts += 1
            ceremonies.next = nil
        }
    }

    private func applySecretRevealed() {
        changeCeremonies { ceremonies in
            guard let proof = ceremonies.proofOfPlayed else { return }
            ceremonies.played?.isRevealed = true
            if ceremonies.proofs.count == Ceremonies.proofs { ceremonies.proofs.removeFirst() }
            ceremonies.proofs.append(proof)
        }
    }

    /// No stage of a ceremony is due at a closed table.
    func applyClosed() {
        enter(.closed)
        core.ceremonyDue = .never
    }

    /// A commitment of a player who has got up before the list closes is none.
    func forgetCommitment(of player: PlayerID) {
        guard ceremonies?.next?.isOpen == true else { return }
        changeCeremonies { $0.next?.contributions.removeAll { $0.player == player } }
    }

    func applySupplied(_ source: ShoeSource) {
        core.nextSource = source
        guard core.hasCeremonies, case .keyed(let key) = source, let list = ceremonies?.next?.list else { return }
        core.ceremonyDue = .never
        let first = rules.continuousShuffle ? key.round(0) : key
        core.nextSource = .keyed(first)
        let order = core.shoe.prepare(first)
        changeCeremonies { $0.next?.stage = .mixed(list: list, key: key, order: order) }
    }

    /// The shoe in play is a new one: its ceremony is that of the coming shoe, or it is the next of a ceremony's 32.
    func followShuffle() {
        changeCeremonies { ceremonies in
            if let made = ceremonies.next.flatMap(PlayedShoe.init) {
                ceremonies.played = made
                ceremonies.next = nil
                ceremonies.voidAttempts = 0
                (ceremonies.withheld, ceremonies.excluded) = ([], [])
            } else if case .keyed(let key)? = core.shoe.source {
                ceremonies.played?.order = core.shoe.orderDigest(key, from: 0)
                ceremonies.played?.segment = nil
            }
        }
        guard rules.continuousShuffle, let played = ceremonies?.played else { return }
        let round = core.shoe.number - played.attempt.shoe + 1
        if round < Ceremonies.shoesOfContinuousShuffle { core.nextSource = .keyed(played.key.round(round)) }
    }

    func applyReshuffled() {
        let discards = core.shoe.reshuffleDiscards
        let first = core.shoe.order.count
        core.shoe.reshuffle()
        guard core.hasCeremonies, case .keyed(let key)? = core.shoe.source, let played = ceremonies?.played else { return }
        let number = core.shoe.segment
        let order = core.shoe.orderDigest(key.segment(number), from: first)
        let round = rules.continuousShuffle ? core.shoe.number - played.attempt.shoe : 0
        changeCeremonies {
            $0.played?.order = order
            $0.played?.segment = FairShoe.Segment(number: number, first: first, count: core.shoe.order.count - first)
            $0.played?.segments.append(ShoeProof.Segment(number: number, first: first, discards: discards, round: round))
        }
    }
}

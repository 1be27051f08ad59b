import Fairness
import Rules
import TableModel
import Wire

/// A shoe that is over and has no proof so far.
struct FinishedShoe: Sendable {
    var shoe: ShoeInPlay
    /// The table's when the shoe was over.
    var epoch: String
    /// The meaning of a refusal of the proof.
    var reason: UnprovenReason
    /// When the proof was asked for; nil: it has to be asked for.
    var askedAt: Int64?
    var attempts = 0
}

extension FinishedShoe {
    /// The meaning of a missing proof at another epoch. A table that was seen to close was not lost.
    fileprivate var reasonAfterRestart: UnprovenReason { shoe.isFinished ? reason : .restarted }
}

/// A proof that was asked for.
struct RequestedProof: Sendable {
    let table: String
    let shoe: Int
    /// nil: of any shoe with this number.
    let commitment: Digest?

    func isOf(_ watched: WatchedShoe) -> Bool {
        table == watched.table && shoe == watched.shoe && (commitment ?? watched.commitment) == watched.commitment
    }
}

extension WatchedShoe {
    /// With the commitment: after a restart another table may have the name.
    var proofRequest: ClientMessage { .proof(table: table, shoe: shoe, commitment: commitment) }
}

/// A revealed secret, by its digest, and the commitment that it gives.
struct UsedSecret: Equatable, Sendable {
    let digest: Digest
    let commitment: Digest
}

extension ShoeWatch {
    /// Times that a proof is asked for.
    static let mostAttempts = 3
    /// The same for a shoe that was in play when the player left, with twice the time between: its end is not seen.
    private static let mostAttemptsAfterLeaving = 8

    /// The shoe in play is over: asks for its proof, unless it has come already.
    mutating func finishShoe(_ reason: UnprovenReason, at now: Int64) {
        guard let over = shoe else { return }
        shoe = nil
        guard !over.isProved, !over.isFinished else { return }
        finish(over, reason)
        askAgain(at: now)
    }

    /// The table is closed: the shoe in play is over, and stays what the table shows.
    mutating func closeShoe(at now: Int64) {
        guard var over = shoe, !over.isProved, !over.isFinished else { return }
        over.isFinished = true
        shoe = over
        finish(over, .refused)
        askAgain(at: now)
    }

    /// The player goes while the shoe is in play: its proof is asked for later.
    mutating func leaveShoe(at now: Int64) {
        guard let left = shoe else { return }
        shoe = nil
        guard !left.isProved, !left.isFinished else { return }
        finish(left, .left)
        finished[finished.count - 1].askedAt = now
    }

    private mutating func finish(_ shoe: ShoeInPlay, _ reason: UnprovenReason) {
        var over = shoe
        over.watched.own = own(for: over.watched.commitment)
        if finished.count == Self.mostUnproven {
            let first = finished.removeFirst()
            giveUp(first, first.reason == .left ? .left : .unanswered)
        }
        finished.append(FinishedShoe(shoe: over, epoch: epoch, reason: reason))
    }

    /// Takes back a shoe that was in play when the player left. Another one in play says that it is over.
    mutating func takeBack(_ commitment: Digest) -> ShoeInPlay? {
        var left: ShoeInPlay?
        for index in finished.indices.reversed() {
            let over = finished[index]
            guard over.reason == .left, over.shoe.watched.table == table, over.epoch == epoch else { continue }
            if over.shoe.watched.commitment == commitment {
                left = finished.remove(at: index).shoe
            } else {
                (finished[index].reason, finished[index].askedAt, finished[index].attempts) = (.refused, nil, 0)
            }
        }
        return left
    }

    /// Asks for proofs that were not asked for, or not answered.
    mutating func askAgain(at now: Int64) {
        for index in finished.indices.reversed() {
            let (isLeft, attempts) = (finished[index].reason == .left, finished[index].attempts)
            let pause = isLeft ? Self.patience << attempts : Self.patience
            if let asked = finished[index].askedAt, now - asked < pause { continue }
            guard attempts < (isLeft ? Self.mostAttemptsAfterLeaving : Self.mostAttempts) else {
                giveUp(finished.remove(at: index), isLeft ? .left : .unanswered)
                continue
            }
            finished[index].askedAt = now
            finished[index].attempts += 1
            actions.append(.request(finished[index].shoe.watched.proofRequest))
        }
    }

    /// Asks as soon as the secret may be revealed: at the settlement after the cut card with the next order made, at that of a closing
    /// table, or when the table is closed.
    mutating func askWhenOver(_ step: Step, at now: Int64) {
        guard let phase = step.new.phase else { return }
        if phase == .closed { return closeShoe(at: now) }
        guard let shoe, !shoe.isProved, shoe.askedInRound != shoe.round else { return }
        let isReady =
            switch phase {
            case .settled where step.new.closing != nil: true
            case .settled:
                if case .mixed = step.new.nextShoe?.stage {
                    shoe.rules.continuousShuffle
                        ? shoe.number == shoe.fair.shoe + ShoeRules.roundsOfCeremony - 1
                        : shoe.drawn >= shoe.rules.cardsBeforeCut
                } else {
                    false
                }
            default: false
            }
        guard isReady else { return }
        self.shoe?.askedInRound = shoe.round
        actions.append(.request(shoe.watched.proofRequest))
    }

    /// The answer to a request for a proof.
    mutating func proved(_ answer: Result<Reply, Refusal>, _ request: RequestedProof, at now: Int64) {
        let table = request.table
        provedMissed(answer, request, at: now)
        if !isOfShoeInPlay(answer, request), let index = finished.firstIndex(where: { request.isOf($0.shoe.watched) }) {
            switch answer {
            case .success(.proof(let proof)):
                var over = finished.remove(at: index)
                // A table that was closed and opened again, perhaps unseen, may be at a shoe of the same number already.
                let isSameTable = over.reason != .restarted && over.epoch == epoch && self.table == table
                let isLost = proof.commitment != over.shoe.watched.commitment && !isSameTable
                if isLost { giveUp(over, over.reasonAfterRestart) } else { judge(&over.shoe, by: proof) }
            case .success: giveUp(finished.remove(at: index), .refused)
            case .failure(let refusal):
                if refusal.code == ErrorCode.noProof.rawValue {
                    // A shoe that was left may be in play for long.
                    if finished[index].reason == .left { return }
                    let over = finished.remove(at: index)
                    giveUp(over, self.table == table && over.epoch != epoch ? over.reasonAfterRestart : over.reason)
                } else {
                    // For want of a connection, or of requests allowed: again with the next change.
                    finished[index].askedAt = refusal.isLocal ? nil : now
                    if refusal.isLocal { finished[index].attempts = 0 }
                }
            }
        } else if var shoe, request.isOf(shoe.watched), !shoe.isProved, case .success(.proof(let proof)) = answer {
            // Refused before the shoe is over: asked again when the next one comes.
            shoe.watched.own = own(for: shoe.watched.commitment)
            finished.removeAll { $0.shoe.watched.commitment == proof.commitment && $0.shoe.watched.table == table }
            judge(&shoe, by: proof)
            (shoe.proof, shoe.provedInRound) = (proof, shoe.round)
            self.shoe = shoe
        }
    }

    /// Whether a proof is of the shoe in play: one of an earlier table of this name may have the same number.
    private func isOfShoeInPlay(_ answer: Result<Reply, Refusal>, _ request: RequestedProof) -> Bool {
        guard case .success(.proof(let proof)) = answer, let watched = shoe?.watched else { return false }
        return request.isOf(watched) && watched.commitment == proof.commitment
    }

    private mutating func judge(_ over: inout ShoeInPlay, by proof: ShoeProof) {
        var report = ShoeReport(watched: over.watched, proof: proof, gaps: over.gaps)
        if let fault = over.fault {
            forgetContributions(upTo: over.watched)
            return found(.evidence(report, fault))
        }
        if let fault = verify(&report, by: proof, ShoeRules(over.rules)) {
            over.fault = fault
            found(.failed(report, fault))
        } else {
            found(.verified(report))
        }
    }

    /// Completes a report by its proof.
    /// - Returns: the first fault; nil: it is right.
    mutating func verify(_ report: inout ShoeReport, by proof: ShoeProof, _ rules: ShoeRules) -> ShoeFault? {
        let hasDrawn = contributions.contains { $0.server == report.watched.commitment }
        forgetContributions(upTo: report.watched)
        report.proof = proof
        do throws(ShoeFault) {
            report.isIncluded = try proof.check(against: report.watched, rules)
            try noteSecret(of: proof)
        } catch {
            return error
        }
        if hasDrawn, !report.isIncluded { countWithoutPlayer() }
        return nil
    }

    private mutating func forgetContributions(upTo shoe: WatchedShoe) {
        // A later table of the name counts from 1: the proof of an earlier one's shoe ends none of its contributions.
        let here = [self.shoe?.watched.commitment, ceremony?.next.commitment].compactMap(\.self).filter { $0 != shoe.commitment }
        contributions.removeAll { $0.table == shoe.table && $0.shoe <= shoe.shoe && !here.contains($0.server) }
    }

    /// A secret used twice would make the second shoe known.
    private mutating func noteSecret(of proof: ShoeProof) throws(ShoeFault) {
        let digest = SHA256.hash(proof.secret.bytes)
        if let used = secrets.first(where: { $0.digest == digest }) {
            // A player who changed tables and came back has the proof of one shoe twice.
            guard used.commitment == proof.commitment else { throw .secretReused }
            return
        }
        if secrets.count == Self.mostRemembered { secrets.removeFirst() }
        secrets.append(UsedSecret(digest: digest, commitment: proof.commitment))
    }

    private mutating func giveUp(_ over: FinishedShoe, _ reason: UnprovenReason) {
        guard over.shoe.fault == nil else { return }
        if reason == .restarted { countRejected() }
        found(.unproven(ShoeReport(watched: over.shoe.watched, gaps: over.shoe.gaps), reason))
    }
}

extension ShoeRules {
    /// The part of the house rules that determines the cards.
    public init(_ rules: HouseRules) {
        self.init(decks: rules.decks, isContinuous: rules.continuousShuffle)
    }
}

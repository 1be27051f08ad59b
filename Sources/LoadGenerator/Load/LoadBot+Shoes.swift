import ClientCore
import Referee
import Wire

/// A bot contributes to shoes and verifies them with the client's watch, which is shown a table when its ceremony changes and when a
/// round is settled, where all cards of the round lie. The crew's mirror judges each revision between.
extension LoadBot {
    func watchShoes(_ shown: ShownTable) {
        let isSettled = shown.glance.settled != 0 && shown.glance.round != watchedRound
        guard isNewToShoes || shown.glance.changesShoes || isSettled else { return }
        isNewToShoes = false
        if isSettled { watchedRound = shown.glance.round }
        let change = TableChange(table: shown.name, revision: shown.revision, old: nil, new: shown.snapshot)
        perform(
            shoes.take(change, epoch: shown.epoch, player: witness.player, at: Self.milliseconds, using: &contributions))
    }

    /// The answer to a request of the session, or a refusal of its own.
    func answered(_ id: Int, _ result: Result<Reply, Refusal>) {
        guard let request = shoeRequests.removeValue(forKey: id) else { return }
        perform(shoes.take(result, to: request, at: Self.milliseconds))
    }

    /// A request of the session has left for the server.
    func sent(_ request: Request) {
        guard case .number(let id) = request.id, let message = shoeRequests[id] else { return }
        perform(shoes.sent(message, at: Self.milliseconds))
    }

    func loggedIn(_ login: LoginReply) {
        perform(shoes.loggedIn(login, isMoving: session.status.isMoving, at: Self.milliseconds))
    }

    private func perform(_ actions: [ShoeWatch.Action]) {
        for action in actions {
            switch action {
            case .request where isEnding: break
            case .request(let message):
                // Known before its answer, which may be a refusal at once.
                drive { shoeRequests[$0.submit(message, at: Self.milliseconds, into: &$1)] = message }
            case .found(.verified): crew.figures.shoes.verified += 1
            case .found(.failed(let report, let fault)):
                crew.figures.shoes.failed += 1
                witness.accuseShoe("shoe \(report.shoe): \(fault)")
            case .found(.unproven): crew.figures.shoes.unproven += 1
            case .found: break
            }
        }
    }

    /// Whether a request about a shoe was overtaken by the table, or is made again later: no fault of anybody's.
    static func isOvertaken(_ refusal: Refusal) -> Bool {
        switch refusal.type {
        case "commit", "reveal": refusal.retryAfter != nil || refusal.code == "no_ceremony" || refusal.code == "not_seated"
        case "proof": refusal.retryAfter != nil || refusal.code == "no_proof" || refusal.code == "no_such_table"
        default: false
        }
    }
}

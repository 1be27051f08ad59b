import ClientCore
import ClientSession
import Referee
import TableModel
import Wire

/// Players contribute to shoes, and verify each: a commitment goes on across a restart, and a proof is right.
extension SimulatedPlayer {
    /// The part of a table that decides whether ``shoes`` has to see it.
    struct ShownShoes: Equatable {
        var epoch = ""
        var fair: FairShoe?
        var next: NextShoe?
        /// The round, once it is settled.
        var settled: Int?
    }

    /// Shows the watch the table where its ceremony has changed or a round is settled.
    func watchShoes(after message: ServerMessage) {
        switch message {
        case .ok(_, .sit):
            shoes.satDown()
            shownShoes = ShownShoes()
            return
        case .ok(_, .resume): return perform(shoes.resume(at: now))
        case .snapshot, .diff: break
        default: return
        }
        guard let world, session.status.link == .loggedIn, let place = world.referee.place(of: index),
            let table = world.referee.shown(to: index)
        else { return }
        let shown = ShownShoes(
            epoch: place.epoch, fair: table.fairShoe, next: table.nextShoe,
            settled: table.phase == .settled ? table.round?.number : nil)
        guard shown != shownShoes else { return }
        shownShoes = shown
        let change = TableChange(table: place.table, revision: place.revision, old: nil, new: table)
        perform(shoes.take(change, epoch: place.epoch, player: name, at: now, using: &contributions))
    }

    /// The answer to a request of the session's caller.
    func answered(_ id: Int, _ result: Result<Reply, Refusal>) {
        guard let request = shoeRequests.removeValue(forKey: id) else { return }
        perform(shoes.take(result, to: request, at: now))
    }

    /// A request of the session has left for the server.
    func noteSent(_ request: Request) {
        guard case .number(let id) = request.id, let message = shoeRequests[id] else { return }
        perform(shoes.sent(message, at: now))
    }

    /// The server refused a request for now.
    func notePostponed(_ refusal: Refusal) {
        guard case .number(let id) = refusal.id, let message = shoeRequests[id] else { return }
        shoes.postponed(message)
    }

    func noteLogin(_ login: LoginReply) {
        perform(shoes.loggedIn(login, isMoving: session.status.isMoving, at: now))
    }

    private func perform(_ actions: [ShoeWatch.Action]) {
        for action in actions {
            switch action {
            case .request(let message):
                // Without a connection the watch asks again on the next one.
                if link != nil, session.status.link == .loggedIn { submit(message, isOfShoes: true) }
            case .found(.verified): world?.verifiedShoes += 1
            case .found(.failed(let shoe, let fault)):
                world?.referee.accuseShoe(index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .found: break
            }
        }
    }
}

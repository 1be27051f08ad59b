import ClientCore
import TableModel
import Wire

/// The players contribute to shoes, and verify each: a commitment goes on across a kill, and a proof is right.
extension CrashRun {
    /// Shows a peer's watch the table where its ceremony has changed or a round is settled.
    func watchShoes(_ peer: CrashPeer) {
        guard peer.stage == .playing, let place = referee.place(of: peer.index), let table = referee.shown(to: peer.index)
        else { return }
        let shown = CrashPeer.ShownShoes(
            epoch: place.epoch, fair: table.fairShoe, next: table.nextShoe,
            settled: table.phase == .settled ? table.round?.number : nil)
        guard shown != peer.shownShoes else { return }
        peer.shownShoes = shown
        let change = TableChange(table: place.table, revision: place.revision, old: nil, new: table)
        perform(
            peer.shoes.take(
                change, epoch: place.epoch, player: peer.player.name, at: Self.now / 1000, using: &peer.contributions), peer)
    }

    /// The answer to a request of the peer's watch.
    func answered(_ id: RequestID?, _ result: Result<Reply, Refusal>, _ peer: CrashPeer) {
        guard let id, let request = peer.shoeRequests.removeValue(forKey: id) else { return }
        perform(peer.shoes.take(result, to: request, at: Self.now / 1000), peer)
    }

    /// Requests that the lost connection does not answer.
    func loseShoeRequests(_ peer: CrashPeer) {
        let lost = peer.shoeRequests
        (peer.shoeRequests, peer.shownShoes) = ([:], CrashPeer.ShownShoes())
        peer.shoes.connectionLost()
        for request in lost.values { lose(request, peer) }
    }

    private func lose(_ request: ClientMessage, _ peer: CrashPeer) {
        let refusal = Refusal(type: request.type, code: "not_connected", message: "The connection is lost.")
        perform(peer.shoes.take(.failure(refusal), to: request, at: Self.now / 1000), peer)
    }

    func noteLogin(_ login: LoginReply, _ peer: CrashPeer) {
        // The player's own moves are repeated on each connection.
        perform(peer.shoes.loggedIn(login, isMoving: true, at: Self.now / 1000), peer)
    }

    private func perform(_ actions: [ShoeWatch.Action], _ peer: CrashPeer) {
        for action in actions {
            switch action {
            case .request(let message):
                // Without a connection the watch asks again on the next one.
                guard peer.stage == .playing else {
                    lose(message, peer)
                    continue
                }
                let request = send(message, peer)
                if let id = request.id { peer.shoeRequests[id] = message }
                perform(peer.shoes.sent(message, at: Self.now / 1000), peer)
            case .found(.verified): report.shoes.verified += 1
            case .found(.unproven): report.shoes.unproven += 1
            case .found(.failed(let shoe, let fault)):
                report.shoes.failed += 1
                referee.accuseShoe(peer.index, "shoe \(shoe.shoe) of \(shoe.table): \(fault)")
            case .found: break
            }
        }
    }
}

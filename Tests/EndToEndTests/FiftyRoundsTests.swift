import ClientCore
import EventStreams
import Rules
import Sockets
import TableModel
import TestKit
import Testing
import Wire

/// A player with a script for a head: bets, and answers by a rule of thumb.
final class ScriptedPlayer: @unchecked Sendable {  // touched on the client's loop alone
    let client: GameClient
    private let thumb: (@Sendable (Choice, Int) -> Action)?
    private let server: RunningServer
    private var subscription: AnyCancellable?
    private var isMoving = false
    private var movedAt = -1
    private(set) var compared = 0
    /// Tables with items that the server has not.
    private(set) var unknown = 0
    private(set) var differing: [Int] = []
    private(set) var refusals: [String] = []

    /// - Parameters:
    ///   - port: where to connect; nil: to the server.
    ///   - thumb: nil: watches.
    init(
        _ name: String, _ server: RunningServer, _ loop: Loop, port: Int? = nil, thumb: (@Sendable (Choice, Int) -> Action)? = nil
    ) {
        var options = GameClient.Options(host: "127.0.0.1", port: port ?? server.port, name: name)
        options.initialPlacement = thumb == nil ? .watch(table: "main") : .sit(table: "main", seat: nil)
        client = GameClient(options: options, loop: loop)
        self.thumb = thumb
        self.server = server
    }

    func start() {
        client.loop.perform { [self] in
            subscription = client.updates.sink { [weak self] update in self?.take(update) }
        }
        client.start()
    }

    private func take(_ update: ClientUpdate) {
        switch update.event {
        case .table(let change):
            // The server notes a revision when it has sent it; the first snapshot is of one that it noted earlier.
            if let truth = server.snapshot(change.table, change.revision) {
                compared += 1
                // All but what a proxy has added.
                let known = change.new.entries.filter { if case .other = $0 { false } else { true } }
                if truth != TableSnapshot(known) { differing.append(change.revision) }
                if known.count < change.new.entries.count { unknown += 1 }
            }
            move(update.state)
        case .outOfSync: differing.append(update.state.revision)
        default: break
        }
    }

    private func move(_ state: ClientState) {
        guard let thumb, !isMoving, state.revision > movedAt, let seat = state.seat, let table = state.snapshot else { return }
        let message: ClientMessage
        if let choice = table.choice(seat) {
            let total = table.total(HandIdentifier(seat: seat, number: choice.hand))?.points ?? 21
            message = .act(thumb(choice, total), seat: nil, hand: nil, amount: nil, turn: choice.turn)
        } else if let round = table.round, round.phase == .waiting || round.phase == .betting, hasNoBet(table, seat) {
            message = (table.player(seat)?.chips ?? 0) >= 10 ? .bet(amount: 10, seat: nil, round: round.number) : .leave
        } else {
            return
        }
        isMoving = true
        client.send(message) { [weak self] result in
            guard let self else { return }
            isMoving = false
            switch result {
            case .success(.applied("leave", _)): client.send(.sit(table: "main", seat: nil))
            case .success: movedAt = client.state.revision
            case .failure(let refusal): refusals.append(refusal.code)
            }
        }
    }

    private func hasNoBet(_ table: TableSnapshot, _ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return table.bet(hand) == nil || table.result(hand) != nil
    }
}

@Test(.ownThread) func threeClientsAndTwoBotsPlayFiftyRounds_andEveryViewEqualsTheServers() async throws {
    let server = try RunningServer(seed: 5, ceremonies: true)
    let loop = Loop(label: "test.clients")
    let players = [
        ScriptedPlayer("Stands", server, loop) { choice, _ in choice.allows(.stand) ? .stand : .decline },
        ScriptedPlayer("Hits", server, loop) { choice, total in
            choice.allows(.decline) ? .decline : total < 15 ? .hit : .stand
        },
        ScriptedPlayer("Splits", server, loop) { choice, total in
            for action in [Action.split, .double, .insurance] where choice.allows(action) { return action }
            return total < 17 ? .hit : .stand
        },
    ]
    for player in players { player.start() }
    let report = await server.play(bots: 2, rounds: 50)
    #expect(report.errors == [] && report.rounds == 100)
    #expect(server.rounds >= 50)
    let ledger = server.ledger
    #expect(ledger.imbalance == 0 && ledger.tables > 0, "\(ledger)")
    let views = loop.performAndWait { players.map { ($0.compared, $0.differing, $0.refusals) } }
    for (compared, differing, refusals) in views {
        #expect(compared > 300 && differing.isEmpty)
        #expect(refusals.allSatisfy { $0 == "betting_closed" || $0 == "stale" }, "\(refusals)")
    }
    for player in players { player.client.stop() }
    await server.stop()
    loop.stop()
}

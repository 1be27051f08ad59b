import EventStreams
import Sockets
import Wire

/// Brings all past rounds of an account, page by page, newest first, over a connection of its own. Confined to its client's loop.
///
/// The login ends another session of the account, as each does. A seat and a hand in play stay.
public final class HistoryDownload {
    public enum Event: Sendable {
        /// The next ones, and the number of all so far.
        case rounds([PastRound], total: Int)
        /// All rounds have come, or as many as were wanted. `isCut`: the server has older ones that it does not send.
        case end(isCut: Bool)
        /// This device does not have the account.
        case unknownAccount
        /// In words: of a link without a full stop, of a refusal as the server sent them.
        case failed(String)
    }

    private let client: GameClient
    private let name: String
    private var wanted: Int
    private var total = 0
    private let report: @Sendable (Event) -> Void
    private var subscription, nameCheck: AnyCancellable?
    private var hasAsked = false
    private var isOver = false

    /// - Parameters:
    ///   - options: with the accounts of this device.
    ///   - limit: rounds at most.
    ///   - report: called on the loop's queue; nothing follows an end or a failure.
    public static func start(
        _ options: GameClient.Options, name: String, limit: Int, report: @escaping @Sendable (Event) -> Void
    ) -> LoopConfined<HistoryDownload> {
        let loop = Loop(label: "bj.client")
        var options = options
        // The login waits until it is clear that the account is here: otherwise it would make one.
        (options.name, options.initialPlacement, options.contributes, options.retries) = (nil, .nothing, false, 2)
        let download = HistoryDownload(GameClient(options: options, loop: loop), name, limit, report)
        let handle = LoopConfined(sending: download, on: loop)
        handle.perform { $0.start() }
        return handle
    }

    private init(_ client: GameClient, _ name: String, _ limit: Int, _ report: @escaping @Sendable (Event) -> Void) {
        (self.client, self.name, wanted, self.report) = (client, name, limit, report)
    }

    private func start() {
        subscription = client.updates.sink { [weak self] in self?.handle($0) }
        client.start()
    }

    private func handle(_ update: ClientUpdate) {
        guard !isOver else { return }
        switch update.event {
        case .link:
            switch update.state.link {
            case .connected where !hasAsked:
                hasAsked = true
                nameCheck = client.standing(of: name).receive(on: client.loop.queue).sink { [weak self] in self?.logIn($0) }
            case .ended(let reason): end(.failed(reason))
            // Another login would begin with the first page again.
            case .lost(let failure) where total > 0: end(.failed(failure.description))
            case .connecting, .connected, .loggedIn, .lost: break
            }
        case .reply(_, .login): ask(before: nil)
        case .refused(let refusal): end(.failed(refusal.message))
        case .history(let history): take(history)
        case .goodbye(_, let message): end(.failed(message))
        // Of a seat that the account has.
        default: break
        }
    }

    private func logIn(_ availability: NameAvailability) {
        switch availability {
        case .own: client.logIn(as: name)
        case .refused(let reason): end(.failed(reason))
        case .free, .taken, .elsewhere: end(.unknownAccount)
        }
    }

    private func ask(before time: Int64?) {
        client.send(.history(before: time, limit: min(wanted, WireLimits.historyPage)))
    }

    private func take(_ history: HandHistory) {
        let rounds = history.rounds.prefix(wanted)
        wanted -= rounds.count
        total += rounds.count
        if !rounds.isEmpty { report(.rounds(Array(rounds), total: total)) }
        if wanted == 0 { return end(.end(isCut: false)) }
        if history.isContinued { return }
        // A server of 1.0 sends its one answer to each question.
        guard let next = history.next else { return end(.end(isCut: history.isCut)) }
        ask(before: next)
    }

    private func end(_ event: Event) {
        guard !isOver else { return }
        isOver = true
        report(event)
        client.stop()
    }
}

import ClientCore
import Dispatch
import EventStreams

/// Connects the join form to keys, client and view. Confined to the session's loop.
final class JoinDialog {
    /// Debounce interval between the last key and the query to the server.
    private static let pause = DispatchQueue.SchedulerTimeType.Stride.milliseconds(250)

    private(set) var view: JoinView
    /// See ``JoinView/silentSeconds``.
    var silentSeconds: Int? {
        get { view.silentSeconds }
        set { view.silentSeconds = newValue }
    }
    private let client: GameClient
    private let form: JoinForm
    private var subscription: AnyCancellable?

    /// - Parameters:
    ///   - name: the initial text of the field.
    ///   - isSuggestion: whether the first character typed replaces it.
    ///   - table: the table to join, while its pass phrase is not known.
    ///   - changed: called when there is something new to draw.
    init(
        _ client: GameClient, server: SafeText, name: String, isSuggestion: Bool, table: String?, on queue: DispatchQueue,
        changed: @escaping () -> Void
    ) {
        self.client = client
        view = JoinView(server: server, name: name, isSuggestion: isSuggestion, table: table)
        form = JoinForm(on: queue, pause: Self.pause) { client.standing(of: $0) }
        form.name = name
        subscription = form.$nameState.sink { [weak self] state in
            guard let self else { return }
            view.found(state)
            proceed()
            changed()
        }
    }

    func press(_ key: Key) -> JoinView.Intent? {
        let intent = view.press(key)
        if form.name != view.name { form.name = view.name }
        proceed()
        return intent
    }

    func take(_ update: ClientUpdate) {
        view.take(update)
        form.isConnected = update.state.link == .connected
        // The list says whether the table has a pass phrase.
        if case .link = update.event, form.isConnected, view.table != nil { client.send(.lobby(follow: nil)) }
        // Another player took the name between the answer and the login.
        if case .refused(let refusal) = update.event, refusal.type == "login" { form.askAgain() }
        proceed()
    }

    private func proceed() {
        if let name = view.startJoining() { client.logIn(as: name, invite: view.code, consent: view.consent) }
    }
}

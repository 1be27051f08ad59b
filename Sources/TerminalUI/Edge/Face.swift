import ClientCore
import Dispatch
import EventStreams

/// A front end: draws the table and reads the player's commands. Confined to the session's loop.
protocol Face: AnyObject {
    /// Starts drawing and reading input.
    func open()
    /// Shows an update of the client.
    func take(_ update: ClientUpdate, from old: ClientState)
    /// Shows a sentence that does not come from the server.
    func say(_ sentence: Sentence)
    /// Shows the list of tables.
    /// - Parameters:
    ///   - reason: why the player is there; nil where they know.
    ///   - isAsked: whether the player asked for it: else no key that was meant for a table chooses one.
    func enterLobby(_ reason: SafeText?, isAsked: Bool)
    /// Shows the table.
    func leaveLobby()
    /// A table refused the player; not the first one, where the session goes on by watching.
    func moveRefused()
    /// Asks for the pass phrase of a table, and goes there with it.
    /// - Parameter isWrong: whether the last phrase was wrong.
    func askForPass(_ destination: TableMove.Destination, isWrong: Bool)
    /// Asks for another name, after the one given was refused.
    /// - Returns: false where nobody can be asked.
    func askForName(_ name: SafeText, _ update: ClientUpdate) -> Bool
    /// Control-C: asks before a hand in play is left.
    /// - Returns: false where there is nothing to ask, or it was asked.
    func asksBeforeLeaving() -> Bool
    /// Restores the terminal.
    func close()
}

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
    ///   - changed: called when there is something new to draw.
    init(
        _ client: GameClient, server: SafeText, name: String, isSuggestion: Bool, on queue: DispatchQueue,
        changed: @escaping () -> Void
    ) {
        self.client = client
        view = JoinView(server: server, name: name, isSuggestion: isSuggestion)
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
        // Another player took the name between the answer and the login.
        if case .refused(let refusal) = update.event, refusal.type == "login" { form.askAgain() }
        proceed()
    }

    private func proceed() {
        if let name = view.startJoining() { client.logIn(as: name) }
    }
}

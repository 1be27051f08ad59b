import ClientCore
import Dispatch
import EventStreams

/// The form by which one joins, attached to keys, to the client and to a view. Used on the session's queue alone.
final class JoinDialog {
    /// How long the typing rests before the server is asked.
    private static let pause = DispatchQueue.SchedulerTimeType.Stride.milliseconds(250)

    private(set) var view: JoinView
    private let client: GameClient
    private let form: JoinForm
    private var subscription: AnyCancellable?

    /// - Parameters:
    ///   - name: what stands there before anything is typed.
    ///   - changed: called when there is something new to draw.
    init(_ client: GameClient, server: SafeText, name: String, on queue: DispatchQueue, changed: @escaping () -> Void) {
        self.client = client
        view = JoinView(server: server, name: name)
        form = JoinForm(on: queue, pause: Self.pause) { client.isFree($0) }
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
        // Between the answer and the login somebody else was quicker.
        if case .refused(let refusal) = update.event, refusal.type == "login" { form.askAgain() }
        proceed()
    }

    private func proceed() {
        if let name = view.startJoining() { client.logIn(as: name) }
    }
}

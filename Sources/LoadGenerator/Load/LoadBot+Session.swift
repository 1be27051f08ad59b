import ClientSession
import Measuring
import Wire

/// The shell around a bot's session: logs in, numbers requests, keeps the rate limit, connects again. The witness judges tables in a mirror
/// that bots share; the session sees none, so after a reconnect it asks for the whole table.
extension LoadBot {
    static func sessionOptions(_ name: String, number: Int, _ settings: LoadCrew.Settings) -> SessionOptions {
        var options = SessionOptions(name: name)
        // From the seed: a run that is repeated finds its accounts again.
        var random = SeededRandom(seed: settings.seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        options.credential = .secret(AccountSecret(using: &random))
        options.firstID = settings.firstID
        options.isBot = true
        options.contributes = true
        // A bot counts its attempts itself: refused names and seats are among them, and no login ends the row.
        options.retries = .max
        (options.firstPause, options.longestPause) = (1_000, 1_000)
        options.wish = .nothing
        // Refusals and lost bets are figures of the report, and moves are decided on again.
        options.repeatsRequests = false
        options.pingInterval = nil
        return options
    }

    /// The session's clock.
    static var milliseconds: Int64 { Microclock.now / 1_000 }

    func submit(_ message: ClientMessage) { drive { $0.submit(message, at: Self.milliseconds, into: &$1) } }

    /// - Parameter now: arrival time in microseconds.
    func receive(_ message: ServerMessage, at now: Int64) { drive { $0.receive(message, at: now / 1_000, into: &$1) } }

    /// Gives the session an input, and carries out the actions that it appends.
    func drive(_ input: (inout SessionStateMachine, inout [SessionAction]) -> Void) {
        var actions: [SessionAction] = []
        swap(&actions, &crew.actions)
        input(&session, &actions)
        for action in actions { perform(action) }
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &crew.actions)
    }

    private func perform(_ action: SessionAction) {
        switch action {
        case .connect: connect()
        case .send(let request):
            wakeUp()
            connection?.send(witness.line(of: request, at: crew.loop.now))
            sent(request)
        case .arm(let time): crew.tick(self, at: time * 1_000)
        // Nobody is logged in yet: then there is nobody to be logged out.
        case .answer(_, .failure(let refusal)) where refusal.type == "logout": connection?.close()
        case .answer(let id, let result): answered(id, result)
        // A connection that is lost is closed already, replies are read from the witness, and the secret is the bot's own.
        case .close, .publish, .findSecret, .makeSecret: break
        }
    }
}

import Wire

extension ClientKit {
    /// Hands everything on, changed by a function and brought in some way, until the client has played some rounds.
    struct PassingScript: Script {
        /// Rounds that the client has to play.
        let rounds: Int
        /// Whether a refusal is a failure.
        let isStrict: Bool
        let delivery: Delivery
        let change: Lines.Change
        /// Refusals that a clock may have caused.
        private var races = 0
        /// The requests under way, to name the one that is refused.
        private var asked: [(line: Int, text: [UInt8])] = []

        /// Refusals that a clock or another player can cause, however good the client.
        private static let raceCodes = [
            "nothing_to_decide", "not_your_turn", "already_answered", "not_asked", "betting_closed", "stale", "name_taken",
            "wait_for_shuffle", "no_ceremony",
        ]

        init(
            rounds: Int, isStrict: Bool = false, delivery: Delivery = .atOnce,
            change: @escaping Lines.Change = { line, _ in line }
        ) {
            self.rounds = rounds
            self.isStrict = isStrict
            self.delivery = delivery
            self.change = change
        }

        var hope: String { "\(rounds) rounds, played to their results" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch event {
            case .fromServer(let line, let message, _):
                if let reason = judge(message) { return [.finish(.failed(reason))] }
                return [.show(change(line, message))] + (scene.rounds >= rounds ? [.finish(.passed())] : [])
            case .fromClient(let line, let request, let number):
                // A pong gets no reply.
                if request.type != "pong" { asked.append((number, line)) }
                return [.pass]
            case .connected:
                asked = []
                return []
            case .alarm, .exited: return []
            }
        }

        private mutating func judge(_ message: ServerMessage) -> String? {
            switch message {
            case .ok:
                if !asked.isEmpty { asked.removeFirst() }
                return nil
            case .error(let refusal):
                let request = asked.isEmpty ? nil : asked.removeFirst()
                guard isStrict else { return nil }
                if Self.raceCodes.contains(refusal.code) {
                    races += 1
                    guard races > 5 else { return nil }
                }
                let place = request.map { "line \($0.line) is refused (\(refusal.code)): " + Lines.shown($0.text) }
                return place ?? "refused: \(refusal.code)"
            default: return nil
            }
        }
    }

    /// Holds everything back for a while after a bet.
    struct SilenceScript: Script {
        private enum State {
            case before
            case silent(connection: Int, held: [UInt8])
            case after(goal: Int)
        }

        private var state = State.before

        var hope: String {
            switch state {
            case .before: "a second bet"
            case .silent, .after: "that the client plays two more rounds after a silence"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch (event, state) {
            case (.fromClient, .before):
                guard case .bet = event.request, scene.rounds >= 1 else { return [.pass] }
                state = .silent(connection: scene.connection, held: [])
                return [.pass, .wake(after: 3000)]
            case (.fromServer(let line, _, _), .silent(let connection, let held)) where connection == scene.connection:
                state = .silent(connection: connection, held: held + line)
                return []
            case (.connected, .silent), (.alarm, .silent):
                guard case .silent(let connection, let held) = state else { return [] }
                state = .after(goal: scene.rounds + 2)
                return connection == scene.connection ? [.show(held)] : []
            case (.fromServer, .after(let goal)) where scene.rounds >= goal: return [.pass, .finish(.passed())]
            default: return [.pass]
            }
        }
    }

    /// Sends a `ping` where a heartbeat was asked for.
    struct HeartbeatScript: Script {
        private var hasHeartbeat = false
        private var isPinged = false

        var hope: String { isPinged ? "a 'pong'" : "two rounds" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch event.request {
            case .options(let options):
                if let seconds = options.heartbeat { hasHeartbeat = seconds > 0 }
            case .pong where isPinged: return [.pass, .finish(.passed())]
            default: break
            }
            guard case .fromServer = event else { return [.pass] }
            if hasHeartbeat, !isPinged, scene.rounds >= 1 {
                isPinged = true
                return [.pass, .show(ServerMessage.ping(time: scene.now).encoded())]
            }
            if !hasHeartbeat, scene.rounds >= 2 { return [.pass, .finish(.skipped("the client asks for no heartbeat"))] }
            return [.pass]
        }
    }
}

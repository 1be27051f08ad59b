import Wire

extension ClientKit {
    /// Sends the client away, and counts how often it comes again.
    struct EndingScript: Script {
        enum Reason {
            case otherVersions
            case draining
            case serverFull
            case shuttingDown
            case replaced
            case kicked
            case banned
        }

        /// How long the client is watched afterwards, in milliseconds.
        private static let watch: Int64 = 4000
        /// Most connections (or seat requests, where those are refused) within the time: more are a storm.
        private static let mostAttempts = 6

        private let reason: Reason
        /// Whether the client was sent away.
        private var isOver = false
        private var attempts = 0

        init(_ reason: Reason) { self.reason = reason }

        var hope: String { isOver ? "no storm" : "that the client connects and plays" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            // A client may also end, or wait, as soon as it has seen the versions.
            if reason == .otherVersions, !isOver {
                if case .exited = event { return [.finish(.passed())] }
                if case .fromServer = event { return over(refuse(event)) }
            }
            if isOver {
                switch event {
                case .alarm: return [.finish(.passed())]
                case .exited: return [.finish(.passed())]
                case .connected where reason != .draining && reason != .otherVersions:
                    attempts += 1
                    if let storm { return [.finish(.failed(storm))] }
                default: break
                }
            }
            switch reason {
            case .otherVersions, .draining: return refuse(event)
            case .serverFull: return keepOut(event)
            case .shuttingDown, .replaced, .kicked, .banned: return sendAway(event, scene)
            }
        }

        private var storm: String? {
            guard attempts > Self.mostAttempts else { return nil }
            return "\(attempts) attempts in less than \(Self.watch / 1000) seconds: pauses must grow"
        }

        /// Sends the ending once; then watches the client.
        private mutating func over(_ effects: [Effect]) -> [Effect] {
            guard !isOver else { return effects }
            isOver = true
            return effects + [.wake(after: Self.watch)]
        }

        /// Says hello, and refuses the login.
        private mutating func refuse(_ event: Event) -> [Effect] {
            switch event {
            case .fromServer(let line, let message, _):
                return [
                    .show(
                        Lines.hello(line, message) { hello in
                            if reason == .draining { hello.isDraining = true } else { hello.versions = 2...3 }
                        })
                ]
            case .fromClient(_, let request, _):
                switch event.request {
                case .login, .sit:
                    attempts += 1
                    if let storm { return [.finish(.failed(storm))] }
                    let refusal =
                        reason == .draining
                        ? Lines.refusal(of: request, "draining", "The server is about to stop.", isRetryable: true)
                        : Lines.refusal(of: request, "unsupported_version", "Versions 2 to 3.", versions: 2...3)
                    return over([.show(refusal)])
                default: return [.pass]
                }
            default: return []
            }
        }

        private mutating func keepOut(_ event: Event) -> [Effect] {
            guard case .connected = event else { return [] }
            return over([
                .show(Lines.refusal(of: nil, "server_full", "No more connections.", isRetryable: true, isFatal: true)), .hangUp,
            ])
        }

        private mutating func sendAway(_ event: Event, _ scene: Scene) -> [Effect] {
            if isOver {
                switch (event, reason) {
                case (.connected, .shuttingDown): return [.hangUp]
                case (.connected, .banned):
                    return [.show(Lines.refusal(of: nil, "banned", "Not from here.", isFatal: true)), .hangUp]
                case (.fromClient(let line, _, let number), .replaced), (.fromClient(let line, _, let number), .kicked):
                    guard case .login = event.request else { return [.pass] }
                    let code = reason == .kicked ? "kicked" : "replaced"
                    return [.finish(.failed("line \(number) comes back at once after '\(code)': " + Lines.shown(line)))]
                default: return [.pass]
                }
            }
            guard event.begins(.playing, scene), scene.rounds >= 1 else { return [.pass] }
            let goodbye =
                switch reason {
                case .shuttingDown: Lines.goodbye("shutting_down", "The server stops.")
                case .replaced: Lines.goodbye("replaced", "You are here on another connection.")
                case .banned: Lines.goodbye("banned", "Not from here.")
                default: Lines.goodbye("kicked", "The host has sent you away.")
                }
            return over([.pass, .show(goodbye), .hangUp])
        }
    }
}

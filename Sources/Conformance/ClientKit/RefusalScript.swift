import Wire

extension ClientKit {
    /// Refuses one request.
    struct RefusalScript: Script {
        enum Reason {
            case rateLimited
            case unknownCode
            /// The server refuses it by itself, since the hand has stood meanwhile.
            case late
        }

        private enum State {
            case before
            /// The request has to come again, and not before this.
            case refused(notBefore: Int64)
            case after(goal: Int)
        }

        /// Milliseconds.
        private static let pause: Int64 = 800

        private let reason: Reason
        private var state = State.before

        init(_ reason: Reason) { self.reason = reason }

        var hope: String {
            switch state {
            case .before: reason == .late ? "a second decision" : "a second bet"
            case .refused: "the bet again, after it was refused as retryable"
            case .after: "two more rounds after a refusal"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch state {
            case .before:
                guard case .fromClient(_, let request, _) = event, let message = event.request, scene.rounds >= 1,
                    scene.waiting == 0
                else { return [.pass] }
                return refuse(request, message, scene)
            case .refused(let moment):
                guard case .fromClient(let line, _, let number) = event, case .bet = event.request else { return [.pass] }
                guard scene.now >= moment else {
                    let early = "line \(number) comes \(moment - scene.now) ms sooner than 'retryAfter' says: "
                    return [.finish(.failed(early + Lines.shown(line)))]
                }
                state = .after(goal: scene.rounds + 2)
                return [.pass]
            case .after(let goal):
                guard case .fromServer = event, scene.rounds >= goal else { return [.pass] }
                return [.pass, .finish(.passed())]
            }
        }

        private mutating func refuse(_ request: Request, _ message: ClientMessage, _ scene: Scene) -> [Effect] {
            switch (reason, message) {
            case (.rateLimited, .bet):
                state = .refused(notBefore: scene.now + Self.pause)
                return [
                    .show(
                        Lines.refusal(
                            of: request, "rate_limited", "Too many requests.", retryAfter: Int(Self.pause), isRetryable: true))
                ]
            case (.unknownCode, .bet):
                state = .refused(notBefore: scene.now)
                return [.show(Lines.refusal(of: request, "x_dealer_yawns", "The dealer yawns.", isRetryable: true))]
            case (.late, .act(_, let seat, _, _, _)) where scene.peer.view?.snapshot.phase == .playing:
                state = .after(goal: scene.rounds + 2)
                let field = seat.map { ",\"seat\":\($0)" } ?? ""
                return [.ask(Array("{\"type\":\"act\",\"id\":\"bj-kit\",\"action\":\"stand\"\(field)}\n".utf8)), .pass]
            default: return [.pass]
            }
        }
    }
}

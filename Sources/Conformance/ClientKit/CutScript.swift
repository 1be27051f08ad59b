import TableModel
import Wire

extension ClientKit {
    /// Ends the connection at some moment, and sees how the client comes back.
    struct CutScript: Script {
        enum Moment {
            /// Within the line that deals the cards.
            case midLine
            case afterRound
            /// Within a hand, after the `bye` of a server that restarts.
            case restart
            /// When the server has answered, before the client sees it.
            case betUnanswered
            case actUnanswered
            /// Before the server sees it.
            case betLost
        }

        /// A request that the client has no reply to.
        private struct Open {
            var id: RequestID?
            var message: ClientMessage
            var line: Int
        }

        /// How far the client has come back.
        private struct Return {
            var goal: Int
            var hasAsked = false
            /// Whether the client was shown the table since.
            var hasSeen = false
        }

        private enum State {
            case before
            /// The request has been handed on; its reply will not be.
            case asking(Open)
            case away(Open?)
            case back(Open?, Return)
        }

        private let moment: Moment
        private var state = State.before
        private var connections = 0

        init(_ moment: Moment) { self.moment = moment }

        var hope: String {
            switch state {
            case .before, .asking: "a second round"
            case .away: "that the client comes back after its connection was cut"
            case .back(_, let back) where !back.hasAsked: "that the client logs in again and asks for the table"
            case .back: "two more rounds on the new connection"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch state {
            case .before: return begin(event, scene)
            case .asking(let open):
                // Only the client's one request is under way: the next reply is its own.
                guard case .fromServer(_, let message, _) = event, ServerKit.Peer.isReply(message) else { return [.pass] }
                state = .away(open)
                return [.cut]
            case .away(let open):
                if case .exited = event { return [.finish(.failed("\(scene.ending) when its connection was lost"))] }
                guard case .connected = event else { return [] }
                state = .back(open, Return(goal: scene.rounds + 2))
                return []
            case .back(let open, var back):
                let effects = comeBack(event, scene, open, &back)
                if case .back = state { state = .back(open, back) }
                return effects
            }
        }

        private mutating func begin(_ event: Event, _ scene: Scene) -> [Effect] {
            guard scene.rounds >= 1 else { return [.pass] }
            if case .fromServer(let line, _, _) = event {
                switch moment {
                case .midLine where event.begins(.playing, scene):
                    state = .away(nil)
                    return [.show(Array(line.prefix(line.count / 2))), .hangUp]
                case .restart where event.begins(.playing, scene):
                    state = .away(nil)
                    return [.show(Lines.goodbye("restart", "The server restarts.")), .hangUp]
                case .afterRound where event.begins(.settled, scene):
                    state = .away(nil)
                    return [.pass, .hangUp]
                default: return [.pass]
                }
            }
            guard case .fromClient(_, let request, let number) = event, let message = event.request, scene.waiting == 0 else {
                return [.pass]
            }
            let open = Open(id: request.id, message: message, line: number)
            switch (moment, message) {
            case (.betUnanswered, .bet), (.actUnanswered, .act):
                state = .asking(open)
                return [.pass]
            case (.betLost, .bet):
                state = .away(open)
                return [.cut]
            default: return [.pass]
            }
        }

        private mutating func comeBack(_ event: Event, _ scene: Scene, _ open: Open?, _ back: inout Return) -> [Effect] {
            switch event {
            case .connected:
                // It has given the connection up by itself, and tries again.
                connections += 1
                guard connections < 10 else { return [.finish(.failed("ten connections, and not back yet"))] }
                back.hasAsked = false
                back.hasSeen = false
                return []
            case .fromServer(_, let message, _):
                switch message {
                case .snapshot, .diff, .ok(_, .resume): back.hasSeen = true
                default: break
                }
                return scene.rounds >= back.goal ? [.pass, .finish(.passed())] : [.pass]
            case .fromClient(let line, let request, let number):
                let place = "line \(number) "
                if event.asksForTheTable { back.hasAsked = true }
                if case .login(_, nil, _, _, _, _) = event.request {
                    return [.finish(.failed(place + "logs in without the secret of its account: " + Lines.shown(line)))]
                }
                guard let message = event.request, message.isPlay else { return [.pass] }
                if let reason = judge(message, request.id, open, back, scene) {
                    return [.finish(.failed(place + reason + ": " + Lines.shown(line)))]
                }
                return [.pass]
            case .exited: return [.finish(.failed("\(scene.ending) after its connection was lost"))]
            case .alarm: return []
            }
        }

        /// The fault of a bet or a decision on the new connection, or nil.
        private func judge(
            _ message: ClientMessage, _ id: RequestID?, _ open: Open?, _ back: Return, _ scene: Scene
        ) -> String? {
            if let open, open.message == message {
                if id != nil, id == open.id { return nil }
                let under = id == nil ? "without an id" : "under another id"
                guard back.hasSeen else { return "repeats line \(open.line) \(under)" }
                if case .bet = message, !scene.hands.isEmpty, scene.peer.view?.snapshot.phase == .playing {
                    return "repeats the bet of line \(open.line) \(under), though it is on the table"
                }
            }
            return back.hasAsked ? nil : "plays before the table was asked for"
        }
    }
}

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
                case .snapshot, .diff, .ok(_, .watch): back.hasSeen = true
                default: break
                }
                return scene.rounds >= back.goal ? [.pass, .finish(.passed())] : [.pass]
            case .fromClient(let line, let request, let number):
                let place = "line \(number) "
                if event.asksForTheTable { back.hasAsked = true }
                if case .login(_, nil, _, _, _, _, _) = event.request {
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
            case (.late, .act(_, let seat, _, _, let turn)) where scene.peer.view?.snapshot.phase == .playing:
                state = .after(goal: scene.rounds + 2)
                let field = seat.map { ",\"seat\":\($0)" } ?? ""
                return [
                    .ask(Array("{\"type\":\"act\",\"id\":\"bj-kit\",\"action\":\"stand\",\"turn\":\(turn)\(field)}\n".utf8)),
                    .pass,
                ]
            default: return [.pass]
            }
        }
    }

    /// Adds items of kinds that no version has: they come, change and go, and every check value includes them.
    ///
    /// The additions depend on the revision alone, so a client may go on from any revision that it was shown.
    struct UnknownKindsScript: Script {
        /// The last revision whose check value the client was shown on this connection.
        private var checkedRevision: Int?

        var hope: String { "four rounds at a table with unknown items" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch event {
            case .connected:
                checkedRevision = nil
                return []
            case .fromServer(let line, let message, let before):
                return show(line, message, before, scene) + (scene.rounds >= 4 ? [.finish(.passed())] : [])
            case .fromClient(let line, _, let number):
                switch event.request {
                case .watch:
                    guard let checkedRevision else { return [.pass] }
                    let reason = "asks for the table after a right check value, which includes unknown kinds"
                    return [.finish(.failed("line \(number) \(reason), at revision \(checkedRevision): " + Lines.shown(line)))]
                default: return [.pass]
                }
            case .exited: return [.finish(.failed("\(scene.ending) at items of unknown kinds"))]
            case .alarm: return []
            }
        }

        private mutating func show(
            _ line: [UInt8], _ message: ServerMessage, _ before: ServerKit.Peer.View?, _ scene: Scene
        ) -> [Effect] {
            switch message {
            case .snapshot(let table, let epoch, let revision, let snapshot, let chat):
                let wider = Self.extended(snapshot, revision)
                return [
                    .show(
                        ServerMessage.snapshot(table: table, epoch: epoch, revision: revision, wider, chat: chat).encoded())
                ]
            case .diff(let from, let to, let check, _, _):
                guard let before, let view = scene.peer.view else { return [.pass] }
                let (old, new) = (Self.extended(before.snapshot, from), Self.extended(view.snapshot, to))
                if check != nil { checkedRevision = to }
                let diff = ServerMessage.diff(from: from, to: to, check: check.map { _ in new.check }, old.difference(to: new))
                return [.show(diff.encoded())]
            default: return [.show(line)]
            }
        }

        /// The table with what a later version might show at this revision.
        private static func extended(_ table: TableSnapshot, _ revision: Int) -> TableSnapshot {
            var contents = ["sky": revision % 2 == 0 ? "\"clear\"" : "true"]
            if revision % 5 < 4 { contents["wind.speed"] = "[\(revision),{\"from\":\"Zo\u{eb}\"},null,1.5]" }
            if revision % 3 > 0 { contents["tipJar"] = "{\"chips\":\(revision / 3),\"of\":[]}" }
            return TableSnapshot(
                table.entries + contents.compactMap { name, content in OtherName(name.utf8).map { .other($0, content) } })
        }
    }
}

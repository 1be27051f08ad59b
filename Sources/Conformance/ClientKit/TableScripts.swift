import TableModel
import Wire

extension ClientKit {
    /// Progress of a scenario about the table: before the fault, waiting for the repair, waiting for further play.
    private enum Course {
        case before
        case wrong
        case mended(goal: Int)
    }

    /// Withholds the diff that settles a round; the next one doesn't fit.
    struct GapScript: Script {
        private var course = Course.before
        /// Where the diff was withheld, until the next one has come.
        private var isHeld = false

        var hope: String {
            switch course {
            case .before: "two rounds"
            case .wrong: "'watch' after a diff whose 'from' is not the revision before"
            case .mended: "two more rounds after 'watch'"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch course {
            case .before:
                if isHeld {
                    guard case .fromServer(_, .diff, _) = event else { return [.pass] }
                    course = .wrong
                } else if event.begins(.settled, scene), scene.rounds >= 2 {
                    isHeld = true
                    return []
                }
                return [.pass]
            case .wrong:
                if case .connected = event { course = .mended(goal: scene.rounds + 2) }
                if event.asksForTheTable { course = .mended(goal: scene.rounds + 2) }
                if case .fromClient(let line, _, let number) = event, event.request?.isPlay == true {
                    return [
                        .finish(
                            .failed("line \(number) plays on a table of which a diff is missing: " + Lines.shown(line)))
                    ]
                }
                return [.pass]
            case .mended(let goal): return goal <= scene.rounds ? [.pass, .finish(.passed())] : [.pass]
            }
        }
    }

    /// Makes one diff of two.
    struct CollapsedScript: Script {
        /// The table before the withheld diff, and the lines behind that diff.
        private var held: (view: ServerKit.Peer.View, behind: [UInt8])?
        private var merged = 0

        var hope: String { merged > 0 ? "two more rounds after a diff that has what two would have" : "two rounds" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            if case .connected = event { held = nil }
            guard case .fromServer(let line, let message, let before) = event else { return [.pass] }
            if let (view, behind) = held {
                guard case .diff = message, let now = scene.peer.view else {
                    held = (view, behind + line)
                    return []
                }
                held = nil
                merged += 1
                let diff = ServerMessage.diff(
                    from: view.revision, to: now.revision, check: now.snapshot.check, view.snapshot.difference(to: now.snapshot))
                return [.show(diff.encoded() + behind)]
            }
            if event.begins(.settled, scene), scene.rounds >= 2, merged < 2, let before {
                held = (before, [])
                return []
            }
            return merged == 2 && scene.rounds >= 5 ? [.pass, .finish(.passed())] : [.pass]
        }
    }

    /// Says a snapshot where a diff would deal the cards.
    struct SnapshotScript: Script {
        private var goal: Int?

        var hope: String { goal == nil ? "a second round" : "two more rounds after a snapshot in place of a diff" }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            if let goal { return scene.rounds >= goal ? [.pass, .finish(.passed())] : [.pass] }
            guard event.begins(.playing, scene), scene.rounds >= 1, let view = scene.peer.view else { return [.pass] }
            goal = scene.rounds + 2
            return [
                .show(
                    ServerMessage.snapshot(table: view.table, epoch: view.epoch, revision: view.revision, view.snapshot).encoded()
                )
            ]
        }
    }

    /// Says a wrong check value with the diff that settles a round.
    struct WrongCheckScript: Script {
        private var course = Course.before

        var hope: String {
            switch course {
            case .before: "two rounds"
            case .wrong: "'watch' after a wrong check value, or a bet of a client that doesn't check"
            case .mended: "two more rounds after 'watch'"
            }
        }

        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect] {
            switch course {
            case .before:
                guard event.begins(.settled, scene), scene.rounds >= 2, let view = scene.peer.view,
                    case .fromServer(_, .diff(let from, let to, _, let difference, _), _) = event
                else { return [.pass] }
                course = .wrong
                let wrong = view.snapshot.check ^ 0x5A5A_5A5A
                return [.show(ServerMessage.diff(from: from, to: to, check: wrong, difference).encoded())]
            case .wrong:
                if case .connected = event { course = .mended(goal: scene.rounds + 2) }
                if event.asksForTheTable { course = .mended(goal: scene.rounds + 2) }
                if case .exited = event {
                    return [.finish(.failed("\(scene.ending) at a wrong check value, which 'watch' mends"))]
                }
                if event.request?.isPlay == true { return [.finish(.passed(note: "does not look at check values"))] }
                return [.pass]
            case .mended(let goal): return goal <= scene.rounds ? [.pass, .finish(.passed())] : [.pass]
            }
        }
    }

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
            "not_your_turn", "already_answered", "not_asked", "betting_closed", "stale", "name_taken",
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
            case .fromClient(let line, _, let number):
                asked.append((number, line))
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
}

import TableModel
import Wire

/// Tests a client: a proxy between it and a real server acts like a network, or like a newer, slower or stopping server.
///
/// Each ``Scenario`` is one event and the reaction it demands. Only the bytes that the client sends are judged.
public enum ClientKit {}

extension ClientKit {
    /// The result of a scenario.
    public enum Verdict: Equatable, Sendable {
        /// The client passed. A note names a possible improvement.
        case passed(note: String? = nil)
        case failed(String)
        /// The client does not use the feature in question.
        case skipped(String)
    }

    /// One thing that happens to a client.
    public struct Scenario: Sendable {
        public let name: String
        /// One sentence: the event and the expected reaction.
        public let summary: String
        let makeScript: @Sendable () -> any Script

        init(_ name: String, _ summary: String, _ makeScript: @escaping @Sendable () -> any Script) {
            self.name = name
            self.summary = summary
            self.makeScript = makeScript
        }
    }

    /// The scenarios whose names match one of the patterns, in which `*` is any text; all without patterns.
    public static func only(_ patterns: [String]) -> [Scenario] {
        guard !patterns.isEmpty else { return scenarios }
        return scenarios.filter { scenario in patterns.contains { ServerKit.TranscriptSet.fits(scenario.name, $0) } }
    }
}

extension ClientKit {
    /// Input of a script, in order.
    enum Event {
        /// The client has opened a connection.
        case connected
        /// A line from the server, which the scene's peer has taken already; the view before it.
        case fromServer([UInt8], ServerMessage, before: ServerKit.Peer.View?)
        /// A line from the client, and its number in the trial, from 1.
        case fromClient([UInt8], Request, line: Int)
        /// The time that was asked for is over.
        case alarm
        /// The client's process has ended.
        case exited
    }

    /// Output of a script: performed in order, on the connection of the event.
    enum Effect {
        /// Hands the event's line on as it is.
        case pass
        /// Sends bytes to the client.
        case show([UInt8])
        /// Sends a request of the kit to the server, in the client's name; its reply is shown to nobody.
        case ask([UInt8])
        /// Ends the connection on both sides; unsent bytes are lost.
        case cut
        /// Ends the connection after sending everything shown.
        case hangUp
        /// Raises ``Event/alarm`` of the connection after a delay in milliseconds.
        case wake(after: Int64)
        case finish(Verdict)
    }

    /// Context of an event.
    struct Scene {
        /// Milliseconds.
        var now: Int64
        /// Counted from 1: the client's connections.
        var connection: Int
        /// Rounds that the client has played to their result.
        var rounds: Int
        /// The server's lines on this connection, including those withheld from the client.
        var peer: ServerKit.Peer
        /// Requests that the server has not answered yet.
        var waiting: Int
        /// How the client's process has ended, in words.
        var ending = ""

        /// The hands that the client has on the table.
        var hands: [HandIdentifier] {
            guard let snapshot = peer.view?.snapshot, let name = peer.login?.name else { return [] }
            return snapshot.seats(of: name).flatMap { snapshot.hands(ofSeat: $0) }
        }
    }

    /// A scenario as a value: events in, effects out, no I/O.
    protocol Script {
        /// How bytes reach the client.
        var delivery: Delivery { get }
        /// The next thing that the client has to do, for people.
        var hope: String { get }
        mutating func handle(_ event: Event, _ scene: Scene) -> [Effect]
    }

    /// How bytes reach the client.
    enum Delivery: Equatable {
        case atOnce
        /// Pieces of these sizes in turn, one per interval in milliseconds.
        case pieces([Int], every: Int64)
        /// One piece per interval in milliseconds, with everything that came meanwhile.
        case gathered(Int64)
    }

    // MARK: Scenarios

    /// Every scenario, in the order in which they are played.
    public static let scenarios = plain + hellos + unknowns + deliveries + tables + shoes + cuts + refusals + endings

    private static let plain = [
        Scenario(
            "plain/rounds", "Nothing happens: the client logs in, sits, bets, answers what it is asked, and is refused nothing."
        ) {
            PassingScript(rounds: 3, isStrict: true)
        }
    ]

    private static let hellos = [
        Scenario("hello/unknown-fields", "'hello' and its limits have fields that nobody knows: they are ignored.") {
            PassingScript(rounds: 1) { line, message in
                guard case .hello = message else { return line }
                return Lines.withUnknownFields(Lines.replacing("\"limits\":{", with: "\"limits\":{\"x-sparks\":3,", in: line))
            }
        },
        Scenario("hello/unknown-features", "The server has features that nobody knows: they are ignored.") {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.features += ["time-travel", "x-\u{e9}"] } }
        },
        Scenario("hello/no-features", "The server has none of the features: the client plays without them.") {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.features = [] } }
        },
        Scenario("hello/other-limits", "Lines of 512 bytes, ids of 32, names of 24: the client keeps within them.") {
            PassingScript(rounds: 2) {
                Lines.hello($0, $1) { hello in (hello.limits.line, hello.limits.id, hello.limits.name) = (512, 32, 24) }
            }
        },
        Scenario("hello/more-versions", "The server speaks versions 1 to 7: the client says one that it speaks itself, or none.")
        {
            PassingScript(rounds: 1) { Lines.hello($0, $1) { $0.versions = 1...7 } }
        },
        Scenario("hello/other-versions", "The server speaks versions 2 and 3 only: the client ends, or waits, without a storm.") {
            EndingScript(.otherVersions)
        },
    ]

    private static let unknowns = [
        Scenario("unknown/fields", "Every message has fields that nobody knows: they are ignored.") {
            PassingScript(rounds: 2) { line, _ in Lines.withUnknownFields(line) }
        },
        Scenario(
            "unknown/types", "Messages of types that nobody knows come between all others, also between a request and its reply."
        ) {
            PassingScript(rounds: 2) { line, message in
                if case .hello = message { return line + Lines.unknownMessages }
                return Lines.unknownMessages + line + Lines.unknownMessages
            }
        },
        Scenario(
            "unknown/kinds",
            "The table has items of kinds that nobody knows: they are kept and counted in the check value."
        ) {
            UnknownKindsScript()
        },
        Scenario("unknown/talk", "Chat and notes come between other messages, with letters of many scripts.") {
            PassingScript(rounds: 2, change: Lines.withTalk)
        },
        Scenario("unknown/error-code", "A bet is refused with a code that nobody knows, and retryable: the client bets again.") {
            RefusalScript(.unknownCode)
        },
    ]

    private static let deliveries = [
        Scenario("bytes/split", "Lines come in pieces: each ends and begins anywhere, also within a letter.") {
            PassingScript(rounds: 3, delivery: .pieces([61, 2, 211, 1, 127, 3, 31, 509, 17], every: 3), change: Lines.withTalk)
        },
        Scenario("bytes/trickle", "A byte at a time.") { PassingScript(rounds: 1, delivery: .pieces([1], every: 1)) },
        Scenario("bytes/joined", "Many lines come in one piece.") {
            PassingScript(rounds: 2, delivery: .gathered(60), change: Lines.withTalk)
        },
        Scenario("bytes/long-lines", "Diffs of 60,000 bytes, by a field that nobody knows.") {
            PassingScript(rounds: 2) { line, message in
                guard case .diff = message else { return line }
                let padding = "{\"x-padding\":\"" + String(repeating: "pad ", count: 15_000) + "\","
                return Array(padding.utf8) + line.dropFirst()
            }
        },
        Scenario("slow/replies", "Everything comes half a second late: nothing is asked twice.") {
            PassingScript(rounds: 1, isStrict: true, delivery: .gathered(500))
        },
        Scenario("slow/silence", "The server says nothing for three seconds: the client waits, or comes back, and plays on.") {
            SilenceScript()
        },
    ]

    private static let tables = [
        Scenario("table/gap", "A diff is missing: the client asks for the table ('watch') before it bets again.") {
            GapScript()
        },
        Scenario("table/collapsed", "One diff has what two would have: it is applied like any other.") { CollapsedScript() },
        Scenario("table/snapshot", "In the middle of a hand comes a snapshot in place of a diff: it is the table from then on.") {
            SnapshotScript()
        },
        Scenario("table/wrong-check", "A check value is wrong once: a client that checks asks for the table again.") {
            WrongCheckScript()
        },
    ]

    private static let shoes = [
        Scenario("fair/contributes", "The client commits to a contribution, reveals it under its list, and it is in the shoe.") {
            FairScript()
        },
        Scenario("fair/left-out", "The closed list is without the client: it reveals nothing.") { FairScript(.leftOut) },
        Scenario("fair/second-list", "After the reveal comes another list under one commitment: nothing is revealed again.") {
            FairScript(.secondList)
        },
        Scenario("fair/repeated-commitment", "A commitment that was used comes again: the client does not commit to it.") {
            FairScript(.repeatedCommitment)
        },
    ]

    private static let cuts = [
        Scenario("cut/mid-line", "The connection ends within a line: the client comes back as the same player and plays on.") {
            CutScript(.midLine)
        },
        Scenario("cut/half-closed", "The server's side of the connection ends after a round: the client comes back and plays on.")
        {
            CutScript(.afterRound)
        },
        Scenario(
            "cut/bet-unanswered", "The connection ends after a bet, before its reply: it is asked again under its id, or not."
        ) {
            CutScript(.betUnanswered)
        },
        Scenario("cut/restart", "The server restarts within a hand: the client comes back to it.") { CutScript(.restart) },
        Scenario("cut/bet-lost", "A bet is lost with the connection: the client comes back and bets.") { CutScript(.betLost) },
        Scenario("cut/act-unanswered", "The connection ends after a decision, before its reply: nothing is decided twice.") {
            CutScript(.actUnanswered)
        },
    ]

    private static let refusals = [
        Scenario("refused/rate-limited", "A bet is refused with 'retryAfter': it is asked again, and not sooner.") {
            RefusalScript(.rateLimited)
        },
        Scenario("refused/late", "A decision comes too late and is refused: the client plays on.") { RefusalScript(.late) },
    ]

    private static let endings = [
        Scenario("end/draining", "The server is draining and takes nobody: the client ends, or asks again with pauses.") {
            EndingScript(.draining)
        },
        Scenario("end/server-full", "The server is full: the client ends, or comes again with pauses.") {
            EndingScript(.serverFull)
        },
        Scenario("end/shutting-down", "The server stops within a hand: the client ends, or comes again with pauses.") {
            EndingScript(.shuttingDown)
        },
        Scenario("end/replaced", "The player has come back elsewhere: the client does not take the player back.") {
            EndingScript(.replaced)
        },
        Scenario("end/kicked", "The host sends the player home: the client does not come back at once.") {
            EndingScript(.kicked)
        },
        Scenario("end/banned", "The host bans the address: the client ends, or comes again with pauses.") {
            EndingScript(.banned)
        },
    ]
}

extension ClientKit.Script {
    var delivery: ClientKit.Delivery { .atOnce }
}

extension ClientKit.Event {
    /// The diff that has brought the table into a phase.
    func begins(_ phase: RoundPhase, _ scene: ClientKit.Scene) -> Bool {
        guard case .fromServer(_, .diff, let before) = self, let view = scene.peer.view else { return false }
        return view.snapshot.phase == phase && before?.snapshot.phase != phase
    }

    /// The request, where it could be read.
    var request: ClientMessage? {
        if case .fromClient(_, let request, _) = self { try? request.message.get() } else { nil }
    }

    /// Whether the client asks for the table.
    var asksForTheTable: Bool {
        switch request {
        case .watch, .sit: true
        default: false
        }
    }
}

extension ClientMessage {
    /// Whether it plays: a bet or a decision.
    var isPlay: Bool {
        switch self {
        case .bet, .act: true
        default: false
        }
    }
}

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
        case .resume, .watch, .sit: true
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

import CommandLineKit
import Referee
import Sockets
import Wire

/// Plays one script against a server; a referee like every honest bot. Confined to its loop.
public final class ReplaySession {
    /// The result of a script.
    public struct Outcome: Sendable {
        public var name: String
        /// The first difference from the script, with its line; nil when there is none.
        public var failure: String?
        /// Whether the server could not be reached at all.
        public var isUnreachable = false
        public var violations: [Violation]
        /// The scripts of the violations.
        public var scripts: [String]
        /// Lines that were read.
        public var lines: Int
    }

    private let script: ReplayScript
    private let player: String
    private let host: String
    private let port: Int
    private let loop: Loop
    private let timeout: Int64
    private let room = WitnessRoom()
    private let witness: Witness
    /// The value of `$secret`, of this session alone.
    private let secret: AccountSecret
    private var completion: ((Outcome) -> Void)?
    private var position = 0
    private var connection: Connection?
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    /// Lines that no step has asked for yet.
    private var unread = FirstInFirstOut<JSONTree>()
    private var timer: LoopTimer?
    private var hasConnected = false

    /// Lines that wait for a step; a script that expects nothing need not keep more.
    private static let mostUnread = 10_000

    /// - Parameters:
    ///   - player: the value of `$name`.
    ///   - timeout: longest wait of a step, in milliseconds.
    ///   - completion: called once, on the loop.
    public init(
        _ script: ReplayScript, player: String, host: String, port: Int, loop: Loop, timeout: Int64 = 30_000,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.script = script
        self.player = player
        self.host = host
        self.port = port
        self.loop = loop
        self.timeout = timeout
        self.completion = completion
        witness = Witness(room: room, name: player)
        var generator = SystemRandomNumberGenerator()
        secret = AccountSecret(using: &generator)
    }

    public func start() {
        timer = loop.makeTimer { [weak self] in self?.timeIsUp() }
        connect()
    }

    private func connect() {
        framer = LineFramer(limit: WireLimits.eventBytes)
        unread = FirstInFirstOut()
        witness.reconnected(at: loop.now)
        Connector.connect(host: host, port: port, loop: loop) { [self] result in
            switch result {
            case .success(let connection):
                hasConnected = true
                connection.handler = self
                self.connection = connection
                timer?.arm(at: loop.now + timeout)
                proceed()
            case .failure(let error): finish("\(error)")
            }
        }
    }

    /// Takes as many steps as can be taken now.
    private func proceed() {
        while completion != nil, let connection {
            guard position < script.steps.count else { return finish(nil) }
            switch script.steps[position].step {
            case .send(let text): send(text, connection)
            case .expect(let pattern):
                var isThere = false
                while !isThere, let line = unread.popFirst() { isThere = line.matches(pattern) }
                guard isThere else { return }
            case .untilBetting: guard isMine(witness.shown?.facts.mayBet) else { return }
            case .untilAsked: guard isMine(witness.shown?.facts.asked) else { return }
            case .wait(let time):
                timer?.arm(at: loop.now + time)
                return
            case .cut:
                connection.handler = nil
                connection.abort()
                self.connection = nil
                advance()
                return connect()
            }
            advance()
        }
    }

    private func advance() {
        position += 1
        timer?.arm(at: loop.now + timeout)
    }

    private func isMine(_ seats: UInt8?) -> Bool {
        guard let seats, let seat = witness.seat else { return false }
        return seats & (1 << UInt8(seat)) != 0
    }

    private func send(_ text: String, _ connection: Connection) {
        let line = Array(text.replacing("$name", with: player).replacing("$secret", with: secret.digits).utf8)
        // A blank line is none: it is not answered.
        if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) { witness.sent(line, at: loop.now) }
        connection.send(line + [0x0A])
    }

    private func timeIsUp() {
        guard position < script.steps.count else { return finish(nil) }
        if case .wait = script.steps[position].step {
            advance()
            return proceed()
        }
        finish("line \(script.steps[position].line): waited \(timeout) ms for \(script.steps[position].step.words)")
    }

    private func finish(_ failure: String?) {
        guard let completion else { return }
        self.completion = nil
        timer?.disarm()
        connection?.close()
        completion(
            Outcome(
                name: script.name, failure: failure, isUnreachable: !hasConnected, violations: room.violations.map(\.violation),
                scripts: room.violations.map(\.script), lines: room.lines))
    }
}

extension ReplaySession: ConnectionHandler {
    public func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        let now = loop.now
        framer.append(bytes) { line in
            _ = witness.take(line, at: now)
            if unread.count < Self.mostUnread, let tree = try? JSONTree(parsing: line) {
                unread.append(tree)
            }
            return true
        }
        proceed()
    }

    public func connection(_ connection: Connection, endedBy reason: EndReason) {
        self.connection = nil
        guard position < script.steps.count else { return finish(nil) }
        if case .wait = script.steps[position].step, position == script.steps.count - 1 { return finish(nil) }
        finish(
            "line \(script.steps[position].line): the connection ended (\(reason)) before \(script.steps[position].step.words)")
    }
}

extension ReplayScript.Step {
    /// For people.
    var words: String {
        switch self {
        case .send(let text): "sending \(text)"
        case .expect(let pattern): "a line with \(pattern)"
        case .untilBetting: "the betting"
        case .untilAsked: "being asked"
        case .wait(let time): "\(time) ms to pass"
        case .cut: "the cut"
        }
    }
}

/// One session, line by line: what to send, what to expect. The form in which transcripts of violations are saved.
///
///     # a comment
///     > {"type":"login","name":"$name","id":1}     sends a line; $name and $secret are put in
///     < {"type":"ok","to":"login"}                  waits for a line that has at least these members; "*" is any value
///     until betting                                 waits until this player may bet
///     until asked                                   waits until this player is asked something
///     wait 250ms
///     cut                                           ends the connection abruptly, and makes another one
public struct ReplayScript: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case send(String)
        case expect(JSONTree)
        case untilBetting
        case untilAsked
        /// Milliseconds.
        case wait(Int64)
        case cut
    }

    /// The file's name, for errors.
    public var name: String
    /// The steps with their lines, from 1.
    var steps: [(line: Int, step: Step)]

    public static func == (a: ReplayScript, b: ReplayScript) -> Bool {
        a.name == b.name && a.steps.map(\.line) == b.steps.map(\.line) && a.steps.map(\.step) == b.steps.map(\.step)
    }

    /// Reads a script.
    /// - Throws: an error that names the line and the expectation.
    public init(parsing text: String, name: String) throws(FileError) {
        self.name = name
        steps = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            guard !trimmed.isEmpty, trimmed.first != "#" else { continue }
            let position = JSONTree.Position(line: index + 1, column: 1 + line.count - trimmed.count)
            steps.append((index + 1, try Self.step(trimmed, at: position, of: name)))
        }
    }

    private static func step(_ text: Substring, at position: JSONTree.Position, of file: String) throws(FileError) -> Step {
        let word = text.prefix { $0 != " " }
        let rest = text.dropFirst(word.count).drop { $0 == " " }
        func error(_ expected: String) -> FileError {
            FileError(
                file: file, position: position, problem: "\(JSONTree.string(String(text.prefix(60)))) is not \(expected)")
        }
        switch word {
        case ">": return .send(String(rest))
        case "<":
            var start = position
            start.column += text.count - rest.count
            return .expect(try JSONTree(parsing: rest.utf8, file: file, from: start))
        case "until" where rest == "betting": return .untilBetting
        case "until" where rest == "asked": return .untilAsked
        case "wait":
            guard let time = Distribution.Span.milliseconds(in: String(rest)), time <= 3_600_000 else {
                throw error("'wait' with a time such as 250ms")
            }
            return .wait(Int64(time))
        case "cut" where rest.isEmpty: return .cut
        default: throw error("one of: > LINE, < PATTERN, until betting, until asked, wait TIME, cut, or # a comment")
        }
    }
}

extension JSONTree {
    /// Whether a value has at least the members of a pattern. `"*"` matches any value; arrays must contain all elements.
    func matches(_ pattern: JSONTree) -> Bool {
        switch (pattern.content, content) {
        case (.string("*"), _): true
        case (.number, .number): number == pattern.number
        case (.object(let members), .object): members.allSatisfy { self[$0.key]?.matches($0.value) ?? false }
        case (.array(let patterns), .array(let elements)):
            patterns.count == elements.count && zip(elements, patterns).allSatisfy { $0.matches($1) }
        default: self == pattern
        }
    }
}

import Rules
import TableModel
import Wire

/// A way to do harm to a server.
public enum HostileKind: String, CaseIterable, Encodable, CodingKeyRepresentable, Sendable {
    /// Sends requests as fast as they are taken.
    case flood
    /// Sends lines that are longer than allowed, or have no end.
    case oversizedLine = "oversized-line"
    /// Sends lines that are no requests, or hardly.
    case malformedLine = "malformed-line"
    /// Asks for a lot, and reads hardly any of it.
    case slowReader = "slow-reader"
    /// Connects and says nothing, or a byte now and then.
    case halfOpen = "half-open"
    /// Logs in under one new name after the other, or another's, and drops the connection.
    case loginChurn = "login-churn"
    /// Talks without end at a table where others play.
    case chatFlood = "chat-flood"
    /// Plays, lets clocks run out, and answers questions that are over.
    case lateAnswers = "late-answers"
    /// Takes a seat, sits out, and pings to keep it; gets up and sits down again.
    case seatSquatter = "seat-squatter"
    /// Connects, says a part of something, and is gone.
    case connectionChurn = "connection-churn"
}

/// The habit of a hostile client as a value: a step says what to send or to hang up. It knows no socket and no clock, so that a load run
/// and the simulator share it: their shells connect, ask for steps, and pass on what the server says.
package struct HostileHabit: Sendable {
    package enum Step {
        case send([UInt8])
        case hangUp(abruptly: Bool)
    }

    /// Where things are.
    package struct Ground: Sendable {
        /// Tables that honest players play at.
        var tables: [String]
        /// Tables where hostile clients take seats.
        var playground: [String]
        /// An honest player's name is this and a number below the count.
        var honest: (prefix: String, count: Int)

        package init(tables: [String], playground: [String], honest: (prefix: String, count: Int)) {
            (self.tables, self.playground, self.honest) = (tables, playground, honest)
        }
    }

    package let kind: HostileKind
    private let ground: Ground
    private let name: String
    private let secret: AccountSecret
    package private(set) var random: SeededRandom
    /// Steps of the connection, and of all.
    private var (steps, total) = (0, 0)
    private var (lastID, names) = (0, 0)
    /// The round and the last question that it was shown.
    private var (round, turn) = (0, 0)

    package init(_ kind: HostileKind, _ ground: Ground, name: String, random: SeededRandom) {
        var random = random
        secret = AccountSecret(using: &random)
        (self.kind, self.ground, self.name, self.random) = (kind, ground, name, random)
    }

    /// Microseconds between two steps.
    package var pause: Int {
        switch kind {
        case .flood, .slowReader, .chatFlood, .connectionChurn: 10_000
        case .oversizedLine, .malformedLine, .loginChurn: 60_000
        case .halfOpen, .lateAnswers, .seatSquatter: 1_000_000
        }
    }

    /// A new connection has been made.
    package mutating func connected() { steps = 0 }

    /// Takes note of a message.
    package mutating func note(_ message: ServerMessage) {
        switch message {
        case .snapshot(_, _, _, let snapshot, _):
            round = snapshot.round?.number ?? 0
            turn = snapshot.seats.compactMap { snapshot.choice($0)?.turn }.last ?? turn
        case .diff(_, _, _, let difference, _):
            for entry in difference.entries {
                switch entry {
                case .round(let number): round = number
                case .choice(_, let choice): turn = choice.turn
                // No number that a request names.
                default: break
                }
            }
        // Shows no table.
        default: break
        }
    }

    /// - Parameter room: bytes that the connection takes now, about.
    package mutating func step(room: Int) -> Step {
        defer { (steps, total) = (steps + 1, total + 1) }
        let isFirst = steps == 0
        switch kind {
        case .flood: return .send((isFirst ? lines([login]) : []) + repeated(room, every: 10))
        case .slowReader: return .send((isFirst ? lines([.watch(table: table(ground.tables))]) : []) + repeated(room, every: 1))
        case .oversizedLine:
            let isEnded = random.below(2) == 0
            return .send([UInt8](repeating: UInt8(ascii: "x"), count: 1024 + random.below(20_000)) + (isEnded ? [0x0A] : []))
        case .malformedLine: return .send(malformedLine + [0x0A])
        case .halfOpen: return .send(isFirst || name.utf8.last.map { $0 % 2 == 0 } == true ? [] : [UInt8(ascii: "{")])
        case .loginChurn:
            if steps == 2 { return .hangUp(abruptly: random.below(2) == 0) }
            return .send(isFirst ? lines([newLogin, sit, .bet(amount: 10, seat: nil, round: 0)]) : lines([.leave]))
        case .chatFlood:
            guard !isFirst else { return .send(lines([login, .watch(table: table(ground.tables))])) }
            return .send(lines([.chat(text: String(repeating: "buy chips ", count: 1 + random.below(18)) + "!")]))
        case .lateAnswers:
            return .send(lines(isFirst ? [login, sit] : lateAnswers))
        case .seatSquatter:
            return .send(
                lines(isFirst ? [login, sit, .sitOut()] : steps % 8 == 0 ? [.leave, sit, .sitOut()] : [.ping, .sitOut()]))
        case .connectionChurn:
            guard isFirst else { return .hangUp(abruptly: random.below(2) == 0) }
            let words =
                lines([newLogin, sit, .watch(table: table(ground.tables)), .chat(text: "come and see")])
                + repeated(2000, every: 9)
            return .send(Array(words.prefix(1 + random.below(words.count))))
        }
    }

    // MARK: Requests

    private mutating func lines(_ messages: [ClientMessage]) -> [UInt8] {
        messages.flatMap { message in
            lastID += 1
            return Request(id: .number(lastID), message).encoded()
        }
    }

    /// Requests that fit, whole lines: pings, and one for the lobby now and then.
    private mutating func repeated(_ room: Int, every count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<50 where bytes.count + 64 < room { bytes += lines([number % count == 0 ? .lobby(follow: nil) : .ping]) }
        return bytes
    }

    private var login: ClientMessage { .login(name: name, secret: secret, isBot: true, version: WireLimits.version) }

    /// A login under a new name; a third of them guess the secret of an honest player.
    private var newLogin: ClientMessage {
        mutating get {
            names += 1
            let isGuess = ground.honest.count > 0 && random.below(3) == 0
            let name = isGuess ? "\(ground.honest.prefix)\(random.below(ground.honest.count))" : "\(name)q\(names)"
            return .login(name: name, secret: AccountSecret(using: &random), isBot: true, version: WireLimits.version)
        }
    }

    private var sit: ClientMessage { mutating get { .sit(table: table(ground.playground), seat: nil) } }

    private mutating func table(_ names: [String]) -> String? { names.randomElement(using: &random) }

    /// Bets, decides once in nine seconds (and asks again for a seat), and repeats what is over: rounds, turns and hands.
    private var lateAnswers: [ClientMessage] {
        mutating get {
            if steps % 9 == 0 { return [sit, .act(.stand, seat: nil, hand: nil, amount: nil, turn: turn)] }
            lastID -= random.below(min(3, lastID))
            return [
                .bet(amount: 10 + random.below(2) * 5, seat: nil, round: max(0, round - random.below(2))),
                .act(.double, seat: 7, hand: 4, amount: 5, turn: max(0, turn - random.below(2))),
                .watch(table: nil, known: KnownTable(epoch: "00000000", revision: steps)),
            ]
        }
    }

    // MARK: Malformed lines

    /// A line of the corpus; every second time round one byte of it is another one, and a line of chance ends the round.
    private var malformedLine: [UInt8] {
        mutating get {
            let (index, turn) = (total % (Self.corpus.count + 1), total / (Self.corpus.count + 1))
            guard index < Self.corpus.count else {
                return (0..<random.below(800)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            var line = Self.corpus[index]
            if turn % 2 == 1, !line.isEmpty { line[random.below(line.count)] = UInt8(truncatingIfNeeded: random.next()) }
            return line
        }
    }

    /// Lines that have broken parsers.
    private static let corpus: [[UInt8]] =
        [
            "{", "}", "[]", "null", "0", "\"login\"", #"{"type":}"#, #"{"type":"login"}"#, #"{"type":"login","name":""}"#,
            #"{"type":"login","name":1e999}"#, #"{"type":"bet","amount":-1}"#, #"{"type":"bet","amount":99999999999999999999}"#,
            #"{"type":"bet","amount":9223372036854775807,"round":0}"#,
            #"{"type":"act","action":"hit","turn":-9223372036854775808}"#,
            #"{"type":"bet","amount":1.5}"#, #"{"type":"bet","amount":"10"}"#, #"{"type":"sit","seat":0}"#,
            #"{"type":"act","action":"cheat"}"#, #"{"type":"ping","type":"ping"}"#, #"{"type":"ping","id":{}}"#,
            #"{"type":"ping","id":null,}"#, "{'type':'ping'}", #"{"type":"\ud800"}"#, #"{"type":"\u0000"}"#, "nul", "tru", "+1",
            #"{"type":"ping"}{"type":"ping"}"#, "GET / HTTP/1.1", "\u{FEFF}{\"type\":\"ping\"}", #"{"type":"ping"} // now"#,
            #"{"type":"options","silence":1e400}"#, String(repeating: "\n", count: 1000), String(repeating: "[", count: 2000),
            String(repeating: #"{"a":"#, count: 500) + "1" + String(repeating: "}", count: 500),
            #"{"type":"ping","x":""# + String(repeating: #"\u00e9"#, count: 400) + #""}"#,
            "{" + (0..<200).map { "\"k\($0)\":0" }.joined(separator: ",") + "}",
        ].map { Array($0.utf8) } + [
            [0xFF, 0xFE, 0x00], [0x7B, 0x22, 0xC3, 0x28, 0x22, 0x7D], [0xED, 0xA0, 0x80], [0x00], [0x1B, 0x5B, 0x41],
        ]
}

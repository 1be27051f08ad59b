import Rules
import Wire

/// Spends a connection's allowance at once and connects again: budgets that belong to a connection are no bound for it.
struct ReconnectFlood: HostileBehaviour {
    private var isSpent = true
    private var number = 0
    var pause: Int64 { 20_000 }
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        guard isSpent || !peer.isConnected else {
            // The last step's answers are read by now, as far as they have come.
            peer.cut(abruptly: true)
            isSpent = true
            return
        }
        peer.cut(abruptly: true)
        peer.connect()
        isSpent = false
        number += 1
        peer.login(as: number)
        if let table = peer.ground.tables.randomElement(using: &peer.random) {
            peer.ask(.watch(table: table))
            for _ in 0..<5 { peer.ask(.chat(text: "come and see \(number)")) }
            for _ in 0..<4 { peer.ask(.watch(table: table, pass: "guess \(peer.random.next())")) }
        }
        for _ in 0..<50 { peer.ask(.ping) }
    }
}

/// Sends line ends and nothing between them.
struct BlankLines: HostileBehaviour {
    var pause: Int64 { 10_000 }
    private static let ends = [UInt8](repeating: 0x0A, count: 16_384)

    mutating func step(_ peer: HostilePeer) {
        if peer.backlog < Self.ends.count { peer.send(Self.ends) }
    }
}

/// Sends requests whose numbers are the largest and smallest that there are, before its login and after it.
struct ExtremeNumbers: HostileBehaviour {
    private var next = 0
    var pause: Int64 { 60_000 }

    static let numbers = [
        "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "9007199254740993", "-1", "0", "-0", "1e400", "-1e400", "1e-400", "1.5", "2147483648", "4294967296", "1000000000000",
        "1000000000001", String(repeating: "9", count: 300),
    ]

    /// One request for each numeric field, with `#` for the number.
    static let requests = [
        #"{"type":"pong","time":#}"#, #"{"type":"login","name":"$","version":#}"#, #"{"type":"sit","seat":#}"#,
        #"{"type":"sit","table":"@","seat":#}"#, #"{"type":"bet","amount":#,"round":#}"#,
        #"{"type":"bet","amount":10,"round":0,"seat":#}"#,
        #"{"type":"act","action":"double","turn":#,"amount":#}"#, #"{"type":"act","action":"insure","turn":1,"amount":#}"#,
        #"{"type":"act","action":"hit","turn":1,"seat":#}"#, #"{"type":"act","action":"hit","turn":1,"hand":#}"#,
        #"{"type":"resume","table":"@","epoch":"0","rev":#}"#, #"{"type":"options","heartbeat":#}"#, #"{"type":"ping","id":#}"#,
    ]

    mutating func step(_ peer: HostilePeer) {
        // Strangers, watchers and players in turn: each round over all requests begins with another of these.
        let rounds = Self.requests.count * Self.numbers.count
        if next % rounds == rounds / 3 { peer.login() }
        if next % rounds == 2 * rounds / 3 {
            peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
        }
        let request = Self.requests[next % Self.requests.count]
        let number = Self.numbers[next / Self.requests.count % Self.numbers.count]
        next += 1
        let table = peer.ground.playground.randomElement(using: &peer.random) ?? "main"
        let line = request.map { character in
            switch character {
            case "#": number
            case "$": peer.name
            case "@": table
            default: String(character)
            }
        }
        peer.send(Array(line.joined().utf8) + [0x0A])
    }
}

/// Holds as many connections as it gets, and connects again at once where one was ended: no byte is read or sent on any.
struct DescriptorHog: HostileBehaviour {
    /// A socket that can be kept in an array.
    private final class Held {
        private let socket: RawSocket?
        var isMade: Bool { socket != nil }

        init(_ socket: consuming RawSocket?) { self.socket = socket }
    }

    private var held: [Held] = []
    private var next = 0
    /// Connections of one bot at a time: it must not take the descriptors of the process that measures.
    static let most = 32
    /// Attempts to connect at each step.
    private static let attempts = 4
    var pause: Int64 { 20_000 }
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        for _ in 0..<Self.attempts {
            let entry = Held(peer.makeSocket(receiveBuffer: 4096))
            guard entry.isMade else { return }
            if held.count < Self.most {
                held.append(entry)
            } else {
                // The oldest goes without a word from it, so that the other side learns of it late.
                held[next % Self.most] = entry
                next += 1
            }
        }
    }
}

/// Sends lines that are no requests, or hardly.
struct MalformedSender: HostileBehaviour {
    private var next = 0
    var pause: Int64 { 80_000 }

    /// Lines that have broken parsers.
    static let corpus: [[UInt8]] =
        [
            "{", "}", "[]", "null", "0", "\"login\"", "{\"type\":}", "{\"type\":\"login\"}", "{\"type\":\"login\",\"name\":\"\"}",
            "{\"type\":\"login\",\"name\":1e999}", "{\"type\":\"bet\",\"amount\":-1}",
            "{\"type\":\"bet\",\"amount\":99999999999999999999}",
            "{\"type\":\"bet\",\"amount\":1.5}", "{\"type\":\"bet\",\"amount\":\"10\"}", "{\"type\":\"sit\",\"seat\":0}",
            "{\"type\":\"act\",\"action\":\"cheat\"}", "{\"type\":\"ping\",\"type\":\"ping\"}", "{\"type\":\"ping\",\"id\":{}}",
            "{\"type\":\"ping\",\"id\":null,}", "{'type':'ping'}", "{\"type\":\"\\ud800\"}", "{\"type\":\"\\u0000\"}", "nul",
            "tru", "+1",
            "{\"type\":\"ping\"}{\"type\":\"ping\"}", "GET / HTTP/1.1", "\u{FEFF}{\"type\":\"ping\"}",
            "{\"type\":\"ping\"} // now",
            String(repeating: "[", count: 2000),
            String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500),
            "{\"type\":\"ping\",\"x\":\"" + String(repeating: "\\u00e9", count: 400) + "\"}",
            "{" + (0..<200).map { "\"k\($0)\":0" }.joined(separator: ",") + "}",
        ].map { Array($0.utf8) } + [
            [0xFF, 0xFE, 0x00], [0x7B, 0x22, 0xC3, 0x28, 0x22, 0x7D], [0xED, 0xA0, 0x80], [0x00], [0x1B, 0x5B, 0x41],
        ]

    mutating func step(_ peer: HostilePeer) {
        var line = Self.corpus[next % Self.corpus.count]
        // Every second time round, one byte of it is another one.
        if next / Self.corpus.count % 2 == 1, !line.isEmpty {
            line[peer.random.below(line.count)] = UInt8(truncatingIfNeeded: peer.random.next())
        }
        next += 1
        peer.send(line + [0x0A])
    }
}

/// Sends lines that are longer than allowed, or have no end.
struct OversizedSender: HostileBehaviour {
    var pause: Int64 { 50_000 }

    mutating func step(_ peer: HostilePeer) {
        let isEnded = peer.random.below(2) == 0
        peer.send([UInt8](repeating: UInt8(ascii: "x"), count: 1024 + peer.random.below(7000)) + (isEnded ? [0x0A] : []))
    }
}

/// Repeats requests with the same id, in the same words and in others, and answers questions of yesterday.
struct StaleRequester: HostileBehaviour {
    private var turn = 0

    mutating func begin(_ peer: HostilePeer) {
        turn = 0
        peer.login()
        peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
    }

    mutating func step(_ peer: HostilePeer) {
        turn += 1
        let id = 1_000_000 + turn / 3
        switch turn % 6 {
        case 0, 1: peer.ask(.bet(amount: 10, seat: nil, round: 0), id: id)
        case 2: peer.ask(.bet(amount: 15, seat: nil, round: 0), id: id)
        case 3: peer.ask(.act(.hit, seat: nil, hand: 1, amount: nil, turn: 1), id: id)
        case 4: peer.ask(.act(.double, seat: 7, hand: 4, amount: 5, turn: 1), id: id)
        default: peer.ask(.resume(table: nil, epoch: "00000000", revision: turn), id: id)
        }
    }
}

/// Sends requests as fast as they are taken.
struct RequestFlood: HostileBehaviour {
    var pause: Int64 { 10_000 }

    mutating func begin(_ peer: HostilePeer) { peer.login() }

    mutating func step(_ peer: HostilePeer) {
        for _ in 0..<50 where peer.backlog < 16_384 { peer.ask(peer.random.below(10) == 0 ? .lobby(follow: nil) : .ping) }
    }
}

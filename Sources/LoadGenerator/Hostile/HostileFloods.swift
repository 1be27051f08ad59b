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
        #"{"type":"sit","table":"@","seat":#}"#, #"{"type":"bet","amount":#}"#, #"{"type":"bet","amount":10,"seat":#}"#,
        #"{"type":"act","action":"double","amount":#}"#, #"{"type":"act","action":"insure","amount":#}"#,
        #"{"type":"act","action":"hit","seat":#}"#, #"{"type":"act","action":"hit","hand":#}"#,
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

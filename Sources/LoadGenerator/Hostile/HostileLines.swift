import Rules
import Wire

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
        case 0, 1: peer.ask(.bet(amount: 10, seat: nil), id: id)
        case 2: peer.ask(.bet(amount: 15, seat: nil), id: id)
        case 3: peer.ask(.act(.hit, seat: nil, hand: 1, amount: nil), id: id)
        case 4: peer.ask(.act(.double, seat: 7, hand: 4, amount: 5), id: id)
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

import Rules
import Wire

/// Talks without end, at a table where others play.
struct ChatFlood: HostileBehaviour {
    var pause: Int64 { 10_000 }

    mutating func begin(_ peer: HostilePeer) {
        peer.login()
        guard let table = peer.ground.tables.randomElement(using: &peer.random) else { return }
        peer.ask(.watch(table: table))
    }

    mutating func step(_ peer: HostilePeer) {
        peer.ask(.chat(text: String(repeating: "buy chips ", count: 1 + peer.random.below(18)) + "!"))
    }
}

/// Takes a seat, bets, and lets every clock run out.
struct IdleSeat: HostileBehaviour {
    var pause: Int64 { 1_000_000 }

    mutating func begin(_ peer: HostilePeer) {
        peer.login()
        peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
    }

    mutating func step(_ peer: HostilePeer) { peer.ask(.bet(amount: 10, seat: nil)) }
}

/// Sits down and gets up again.
struct JoinLeave: HostileBehaviour {
    private var isSeated = false

    mutating func begin(_ peer: HostilePeer) {
        isSeated = false
        peer.login()
    }

    mutating func step(_ peer: HostilePeer) {
        if isSeated {
            peer.ask(.leave)
        } else {
            peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
            if peer.random.below(2) == 0 { peer.ask(.bet(amount: 10, seat: nil)) }
        }
        isSeated.toggle()
    }
}

/// Tries the names of others, with tokens that it makes up.
struct LoginGuesser: HostileBehaviour {
    var pause: Int64 { 60_000 }

    mutating func step(_ peer: HostilePeer) {
        // Whoever got in, under a name that was free, has guessed nothing: it goes and tries again.
        if peer.forgetToken() { return peer.cut(abruptly: false) }
        let token = (0..<4).map { _ in String(peer.random.next() & 0xFFFF_FFFF | 1 << 32, radix: 16).dropFirst() }.joined()
        let name = "\(peer.ground.honestPrefix)\(peer.random.below(peer.ground.honestBots))"
        peer.ask(.login(name: name, token: peer.random.below(3) == 0 ? nil : token, isBot: false, version: WireLimits.version))
    }
}

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

/// Tries the names of others, with secrets that it makes up.
struct LoginGuesser: HostileBehaviour {
    var pause: Int64 { 60_000 }

    mutating func step(_ peer: HostilePeer) {
        // A login under a free name is no guess: try again.
        if peer.forgetLogin() { return peer.cut(abruptly: false) }
        let secret = AccountSecret(using: &peer.random)
        let name = "\(peer.ground.honestPrefix)\(peer.random.below(peer.ground.honestBots))"
        peer.ask(.login(name: name, secret: peer.random.below(3) == 0 ? nil : secret, isBot: false, version: WireLimits.version))
    }
}

/// Plays a hand under one new name after the other and drops the connection, so that the list of players fills.
struct NameSquatter: HostileBehaviour {
    private enum Stage { case away, playing }
    private var stage = Stage.away
    private var number = 0
    var pause: Int64 { 250_000 }
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        guard stage == .playing, peer.isConnected else {
            peer.connect()
            number += 1
            peer.login(as: number)
            peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
            peer.ask(.bet(amount: 10, seat: nil))
            stage = .playing
            return
        }
        // The seat makes the server keep the account, whether or not a hand was dealt.
        peer.ask(.act(.stand, seat: nil, hand: nil, amount: nil))
        peer.ask(.leave)
        peer.flush()
        peer.cut(abruptly: false)
        stage = .away
    }
}

/// Takes a seat where anybody may sit, sits out, and pings to keep it.
struct SeatBlocker: HostileBehaviour {
    var pause: Int64 { 1_000_000 }

    mutating func begin(_ peer: HostilePeer) {
        peer.login()
        peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
        peer.ask(.sitOut)
    }

    mutating func step(_ peer: HostilePeer) {
        peer.ask(.ping)
        peer.ask(.sitOut)
    }
}

/// Plays, and decides once in nine seconds: before a usual clock ends, long after anybody else.
struct SlowDecider: HostileBehaviour {
    private var steps = 0
    var pause: Int64 { 1_000_000 }

    mutating func begin(_ peer: HostilePeer) {
        steps = 0
        peer.login()
        peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
    }

    mutating func step(_ peer: HostilePeer) {
        steps += 1
        peer.ask(.bet(amount: 10, seat: nil))
        if steps % 9 == 0 { peer.ask(.act(.stand, seat: nil, hand: nil, amount: nil)) }
    }
}

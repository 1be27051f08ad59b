import Fairness
import Rules
import TableModel
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

    mutating func step(_ peer: HostilePeer) { peer.bet() }
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
            if peer.random.below(2) == 0 { peer.bet() }
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
            peer.bet()
            stage = .playing
            return
        }
        // The seat makes the server keep the account, whether or not a hand was dealt.
        peer.act(.stand)
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
        peer.bet()
        if steps % 9 == 0 { peer.act(.stand) }
    }
}

/// The seat of a contributor in bad faith, with a bet on each round.
private struct Seat {
    private var steps = 0

    mutating func begin(_ peer: HostilePeer) {
        steps = 0
        peer.login(contributes: true)
        peer.ask(.sit(table: peer.ground.playground.randomElement(using: &peer.random), seat: nil))
    }

    /// Bets, stands, and declines insurance, so that shoes are used up.
    mutating func play(_ peer: HostilePeer) {
        steps += 1
        switch steps % 3 {
        case 0: peer.bet()
        case 1: peer.act(.decline)
        default: peer.act(.stand)
        }
    }
}

extension HostilePeer {
    /// A commitment to fresh bytes, by the rules.
    fileprivate func makeContribution(to next: NextShoe) -> (secret: ShoeSecret, commitment: Digest) {
        let secret = ShoeSecret(using: &random)
        return (secret, secret.contribution(table: table, shoe: next.shoe, player: name, to: next.commitment))
    }
}

/// Commits to a contribution to each shoe, and never reveals it.
struct Withholder: HostileBehaviour {
    private var seat = Seat()
    private var last: Digest?

    mutating func begin(_ peer: HostilePeer) { seat.begin(peer) }

    mutating func step(_ peer: HostilePeer) {
        seat.play(peer)
        guard let next = peer.next, next.stage == .open, next.commitment != last else { return }
        last = next.commitment
        peer.ask(.commit(server: next.commitment, contribution: peer.makeContribution(to: next).commitment))
    }
}

/// Commits twice to each shoe, to different contributions, and reveals another one.
struct DoubleCommitter: HostileBehaviour {
    private var seat = Seat()

    mutating func begin(_ peer: HostilePeer) { seat.begin(peer) }

    mutating func step(_ peer: HostilePeer) {
        seat.play(peer)
        guard let next = peer.next else { return }
        switch next.stage {
        case .open:
            for _ in 0..<2 {
                peer.ask(.commit(server: next.commitment, contribution: peer.makeContribution(to: next).commitment))
            }
        case .revealing(let contributors):
            let list = contributors.listDigest(server: next.commitment)
            peer.ask(.reveal(list: list, contribution: peer.makeContribution(to: next).secret))
        case .mixed: break
        }
    }
}

/// Reveals before the list is closed, under lists that there are not, and what others committed to.
struct EarlyRevealer: HostileBehaviour {
    private var seat = Seat()
    private var last: (server: Digest, secret: ShoeSecret)?

    mutating func begin(_ peer: HostilePeer) { seat.begin(peer) }

    mutating func step(_ peer: HostilePeer) {
        seat.play(peer)
        guard let next = peer.next else { return }
        if next.stage == .open, last?.server != next.commitment {
            let (secret, commitment) = peer.makeContribution(to: next)
            last = (next.commitment, secret)
            peer.ask(.commit(server: next.commitment, contribution: commitment))
        }
        guard let secret = last?.secret else { return }
        let nobody: [Contributor] = []
        peer.ask(.reveal(list: nobody.listDigest(server: next.commitment), contribution: secret))
        peer.ask(.reveal(list: next.commitment, contribution: ShoeSecret(using: &peer.random)))
        peer.ask(.proof(table: peer.table, shoe: next.shoe))
    }
}

/// Commits to shoes that there are not, as fast as it is taken. Sits out, so that no round waits for its bet.
struct CommitFlood: HostileBehaviour {
    private var seat = Seat()
    var pause: Int64 { 10_000 }

    mutating func begin(_ peer: HostilePeer) {
        seat.begin(peer)
        peer.ask(.sitOut)
    }

    mutating func step(_ peer: HostilePeer) {
        for number in 0..<50 where peer.backlog < 16_384 {
            let any = ShoeSecret(using: &peer.random)
            let server = number % 2 == 0 ? peer.next?.commitment ?? SHA256.hash(any.bytes) : SHA256.hash(any.bytes)
            peer.ask(.commit(server: server, contribution: SHA256.hash(any.bytes)))
        }
    }
}

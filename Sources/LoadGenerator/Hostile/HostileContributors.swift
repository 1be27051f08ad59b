import Fairness
import TableModel
import Wire

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
        case 0: peer.ask(.bet(amount: 10, seat: nil))
        case 1: peer.ask(.act(.decline, seat: nil, hand: nil, amount: nil))
        default: peer.ask(.act(.stand, seat: nil, hand: nil, amount: nil))
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

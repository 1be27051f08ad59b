import Measuring

/// The behaviour of a hostile bot, called at intervals for its next harm. Its peer is connected then, unless the behaviour
/// connects by itself.
protocol HostileBehaviour {
    /// How long to wait before it is asked again, in microseconds.
    var pause: Int64 { get }
    /// How it connects; nil when it does so itself.
    var receiveBuffer: Int32? { get }
    /// A new connection has been made.
    mutating func begin(_ peer: HostilePeer)
    mutating func step(_ peer: HostilePeer)
}

extension HostileBehaviour {
    var pause: Int64 { 100_000 }
    var receiveBuffer: Int32? { 0 }
    mutating func begin(_ peer: HostilePeer) {}
}

/// A hostile bot: a peer and its behaviour.
final class HostileBot {
    let kind: HostileKind
    private let peer: HostilePeer
    private var behaviour: any HostileBehaviour
    private var due: Int64 = 0

    init(kind: HostileKind, number: Int, ground: HostilePeer.Ground, namePrefix: String, seed: UInt64) {
        self.kind = kind
        let random = SeededRandom(seed: seed, stream: 1 << 48 | UInt64(number))
        peer = HostilePeer(ground: ground, name: "\(namePrefix)x\(number)", number: number, random: random)
        behaviour = kind.behaviour
    }

    var tally: HostileTally { peer.tally }

    func step(at now: Int64) {
        peer.exchange()
        guard now >= due else { return }
        due = now + behaviour.pause
        if !peer.isConnected, let size = behaviour.receiveBuffer {
            peer.connect(receiveBuffer: size)
            // A bot cut off at once reconnects after a delay.
            due = now + max(behaviour.pause, 200_000)
            if peer.isConnected { behaviour.begin(peer) }
            return
        }
        behaviour.step(peer)
        peer.flush()
    }

    func end() { peer.cut(abruptly: false) }
}

extension HostileKind {
    fileprivate var behaviour: any HostileBehaviour {
        switch self {
        case .slowReader: SlowReader()
        case .dripSender: DripSender()
        case .halfOpen: HalfOpen()
        case .malformed: MalformedSender()
        case .oversized: OversizedSender()
        case .stale: StaleRequester()
        case .requestFlood: RequestFlood()
        case .chatFlood: ChatFlood()
        case .reconnectStorm: ReconnectStorm()
        case .cutConnection: CutConnection()
        case .idleSeat: IdleSeat()
        case .joinLeave: JoinLeave()
        case .loginGuessing: LoginGuesser()
        case .reconnectFlood: ReconnectFlood()
        case .nameSquatter: NameSquatter()
        case .seatBlocker: SeatBlocker()
        case .slowDecider: SlowDecider()
        case .descriptorHog: DescriptorHog()
        case .blankLines: BlankLines()
        case .extremeNumbers: ExtremeNumbers()
        case .withholder: Withholder()
        case .doubleCommitter: DoubleCommitter()
        case .earlyRevealer: EarlyRevealer()
        case .commitFlood: CommitFlood()
        }
    }
}

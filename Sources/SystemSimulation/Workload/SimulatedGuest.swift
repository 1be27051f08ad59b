import Measuring
import Referee
import Sockets
import Wire

/// A guest who sits down at any table that needs no pass phrase, gets up by hanging up, and comes again.
///
/// Each one comes to the first loop, and the table may be on another: the seat is claimed for the way.
final class SimulatedGuest: NetworkClient {
    private weak var world: SystemWorld?
    private let number: Int
    private var random: SeededRandom
    private var link: VirtualLink?
    private var framer = LineFramer(limit: 1 << 20)
    private var visits = 0
    /// Milliseconds of a visit and of the pause after it, at most.
    private static let stay = 500

    init(number: Int, seed: UInt64, world: SystemWorld) {
        self.number = number
        self.world = world
        random = SeededRandom(seed: seed, stream: 200_000 + UInt64(number))
    }

    func come() {
        guard let world else { return }
        visits += 1
        framer = LineFramer(limit: 1 << 20)
        link = world.machine.network.connect(self, from: "127.0.1.\(1 + number)")
        let visit = visits
        later { [weak self] in self?.go(visit) }
    }

    private func later(_ action: @escaping () -> Void) {
        world?.machine.after(Int64(100 + random.below(Self.stay)) * 1000, action)
    }

    private func go(_ visit: Int) {
        guard let link, let world, visit == visits else { return }
        world.machine.network.close(link, withReset: random.below(2) == 0)
        ended()
    }

    // MARK: The network

    func connected() {
        guard let link, let world else { return }
        let requests = [
            Request(
                id: .number(1),
                .login(name: "guest\(number)-\(visits)", secret: nil, isBot: true, version: WireLimits.version)),
            Request(id: .number(2), .sit(table: nil, seat: nil)),
        ]
        let bytes = requests.flatMap { $0.encoded() }
        // Fewer bytes than the smallest buffer.
        _ = world.machine.network.send(from: link, bytes[...])
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        let connection = link
        _ = framer.append(bytes) { line in
            guard let message = try? ServerMessage(line: line) else {
                world?.violations.append("a guest got \(String(decoding: line, as: UTF8.self))")
                return false
            }
            if let fault = LineFault(line, message) { world?.violations.append("a guest got \(fault)") }
            switch message {
            case .ok(.number(2), _): world?.noteSeat(refusal: nil)
            // Without a login, as while draining, the login's refusal says why.
            case .error(let refusal) where refusal.code != ErrorCode.notLoggedIn.rawValue: world?.noteSeat(refusal: refusal)
            default: break
            }
            return link === connection
        }
    }

    func writable() {}

    func ended() {
        guard link != nil else { return }
        link = nil
        later { [weak self] in self?.come() }
    }
}

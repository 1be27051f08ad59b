import LoadGenerator
import Sockets
import Wire

/// A hostile client on the virtual network: the habits of load runs, with a slow reader that reads nothing until the end.
final class HostileClient: NetworkClient {
    private weak var machine: VirtualMachine?
    /// Receives the number of bytes that waited for a peer that did not read, and the most that may wait.
    private let overflow: (_ bytes: Int, _ bound: Int) -> Void
    private(set) var link: VirtualLink?
    private var habit: HostileHabit
    private let host: String
    private var random: SeededRandom
    private var framer = LineFramer(limit: 1 << 20)
    private var outbound: [UInt8] = []
    /// Steps left.
    private var left: Int
    private var isConnected = false
    /// Whether it does nothing more.
    private(set) var isGone = false
    /// Bytes received on this connection: those that had waited, and what followed them.
    private var heard = 0
    /// Microseconds in which the server works off all requests, unless its threads or its disk stand still.
    private static let rest: Int64 = 2_000_000
    /// The largest bound on a connection's queue, and a last message.
    private static let queueBytes = 256 * 1024 + 4096

    private var isDeaf: Bool { habit.kind == .slowReader }

    init(
        _ machine: VirtualMachine, _ habit: HostileHabit, random: SeededRandom, host: String,
        overflow: @escaping (_ bytes: Int, _ bound: Int) -> Void
    ) {
        (self.machine, self.habit, self.random, self.host, self.overflow) = (machine, habit, random, host, overflow)
        left = habit.pause == 10_000 ? 100 : 40
        act()
    }

    func connected() {
        isConnected = true
        habit.connected()
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        guard isDeaf, let link else {
            framer.append(bytes) { line in
                if let message = try? ServerMessage(line: line) { habit.note(message) }
                return true
            }
            return
        }
        heard += bytes.count
        let bound = link.toClient.capacity + Self.queueBytes
        if heard > bound { overflow(heard, bound) }
    }

    func writable() { flush() }

    func ended() { (link, isConnected) = (nil, false) }

    func leave() {
        isGone = true
        hangUp(abruptly: random.below(2) == 0)
    }

    private func hangUp(abruptly: Bool) {
        if let link { machine?.network.close(link, withReset: abruptly) }
        ended()
    }

    private func act() {
        guard let machine, !isGone else { return }
        guard left > 0 else { return isDeaf ? listen() : leave() }
        left -= 1
        machine.after(Int64(1000 + random.below(habit.pause))) { [weak self] in self?.act() }
        guard let link else {
            (framer, outbound, heard) = (LineFramer(limit: 1 << 20), [], 0)
            link = machine.network.connect(self, from: host)
            if isDeaf, let link { machine.network.setReading(false, link) }
            return
        }
        guard isConnected, outbound.isEmpty else { return }
        switch habit.step(room: max(1600, link.toServer.room)) {
        case .send(let bytes):
            outbound = bytes
            flush()
        case .hangUp(let isAbrupt): hangUp(abruptly: isAbrupt)
        }
    }

    private func flush() {
        guard let machine, let link, !outbound.isEmpty else { return }
        outbound.removeFirst(machine.network.send(from: link, outbound[...]))
    }

    /// Reads what waited for it, once the server has no more requests of it.
    private func listen() {
        machine?.after(Self.rest) { [weak self] in
            guard let self, let link, !isGone else { return }
            guard link.toServer.unread + link.toServer.inFlightBytes == 0 else { return leave() }
            machine?.network.setReading(true, link)
            machine?.after(Self.rest) { [weak self] in self?.leave() }
        }
    }
}

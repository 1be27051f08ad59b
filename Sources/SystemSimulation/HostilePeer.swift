import LoadGenerator

/// A peer that keeps to no protocol.
final class HostilePeer: NetworkClient {
    enum Habit: Int, CaseIterable {
        /// Bytes of chance.
        case garbage
        /// A line without an end.
        case endlessLine
        /// Requests as fast as they are taken, answers unread.
        case deafFlood
        /// The same, with answers read.
        case flood
        /// Nothing at all.
        case silence
        /// One byte now and then.
        case trickle
        /// Comes and goes.
        case visitor
    }

    private weak var machine: VirtualMachine?
    /// Receives the number of bytes that waited for a peer that did not read, and the most that may wait.
    private let overflow: (_ bytes: Int, _ bound: Int) -> Void
    private(set) var link: VirtualLink?
    private let habit: Habit
    private var random: SeededRandom
    private var left: Int
    /// Bytes received since it reads.
    private var heard = 0
    /// Microseconds in which the server works off all requests, unless its threads or its disk stand still.
    private static let rest: Int64 = 2_000_000
    /// The largest bound on a connection's queue, and a last message.
    private static let queueBytes = 256 * 1024 + 4096

    init(
        _ machine: VirtualMachine, habit: Habit, random: SeededRandom, host: String,
        overflow: @escaping (_ bytes: Int, _ bound: Int) -> Void
    ) {
        (self.machine, self.habit, self.random, self.overflow) = (machine, habit, random, overflow)
        left = habit == .deafFlood ? 100 : 40
        link = machine.network.connect(self, from: host)
        if habit == .deafFlood, let link { machine.network.setReading(false, link) }
    }

    func connected() { act() }

    func received(_ bytes: UnsafeRawBufferPointer) {
        guard habit == .deafFlood, let link else { return }
        heard += bytes.count
        let bound = link.toClient.capacity + Self.queueBytes
        if heard > bound { overflow(heard, bound) }
    }

    func writable() { act() }

    func ended() { link = nil }

    func leave() {
        if let link { machine?.network.close(link, withReset: random.below(2) == 0) }
        link = nil
    }

    private func act() {
        guard let machine, let link else { return }
        guard left > 0 else { return habit == .deafFlood ? listen() : leave() }
        left -= 1
        let bytes: [UInt8]
        switch habit {
        case .garbage: bytes = (0..<random.below(800)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case .endlessLine: bytes = [UInt8](repeating: 97, count: 20_000)
        case .deafFlood, .flood:
            // A line cut where the buffer is full would join the next.
            guard link.toServer.room > 1600 else {
                bytes = []
                break
            }
            bytes = Array(String(repeating: #"{"type":"lobby","id":"x"}"# + "\n", count: 60).utf8)
        case .silence: bytes = []
        case .trickle: bytes = [123]
        case .visitor:
            if left < 37 { return leave() }
            bytes = Array((#"{"type":"login","name":"v\#(random.below(1000))"}"# + "\n" + #"{"type":"watch"}"# + "\n").utf8)
        }
        if !bytes.isEmpty { _ = machine.network.send(from: link, bytes[...]) }
        machine.after(Int64(1000 + random.below(pause))) { [weak self] in self?.act() }
    }

    /// Microseconds between two actions, at most.
    private var pause: Int {
        switch habit {
        case .silence, .trickle: 2_000_000
        case .deafFlood: 10_000
        case .garbage, .endlessLine, .flood, .visitor: 60_000
        }
    }

    /// Reads what waited for it, once the server has no more requests of it.
    private func listen() {
        machine?.after(Self.rest) { [weak self] in
            guard let self, let link else { return }
            guard link.toServer.unread + link.toServer.inFlightBytes == 0 else { return leave() }
            machine?.network.setReading(true, link)
            machine?.after(Self.rest) { [weak self] in self?.leave() }
        }
    }
}

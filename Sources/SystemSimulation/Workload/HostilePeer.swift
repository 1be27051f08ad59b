import Measuring

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
    private(set) var link: VirtualLink?
    private let habit: Habit
    private var random: SeededRandom
    private var left: Int

    init(_ machine: VirtualMachine, habit: Habit, random: SeededRandom, host: String) {
        (self.machine, self.habit, self.random) = (machine, habit, random)
        left = 40
        link = machine.network.connect(self, from: host)
        if habit == .deafFlood, let link { machine.network.setReading(false, link) }
    }

    func connected() { act() }

    func received(_ bytes: UnsafeRawBufferPointer) {}

    func writable() { act() }

    func ended() { link = nil }

    func leave() {
        if let link { machine?.network.close(link, withReset: random.below(2) == 0) }
        link = nil
    }

    private func act() {
        guard let machine, let link, left > 0 else { return leave() }
        left -= 1
        let bytes: [UInt8]
        switch habit {
        case .garbage: bytes = (0..<random.below(800)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case .endlessLine: bytes = [UInt8](repeating: 97, count: 20_000)
        case .deafFlood, .flood:
            bytes = Array(String(repeating: #"{"type":"lobby","id":"x"}"# + "\n", count: 60).utf8)
        case .silence: bytes = []
        case .trickle: bytes = [123]
        case .visitor:
            if left < 37 { return leave() }
            bytes = Array((#"{"type":"login","name":"v\#(random.below(1000))"}"# + "\n" + #"{"type":"watch"}"# + "\n").utf8)
        }
        if !bytes.isEmpty { _ = machine.network.send(from: link, bytes[...]) }
        machine.after(Int64(1000 + random.below(habit == .trickle || habit == .silence ? 2_000_000 : 60_000))) { [weak self] in
            self?.act()
        }
    }
}

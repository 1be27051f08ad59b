import Fairness
import Journal
import LoadGenerator
import Sockets

/// The machine of a simulated server: virtual time, its loops' work, its network and its disk, in the thread that calls ``step()``.
final class VirtualMachine: @unchecked Sendable {  // one thread uses it: the one that runs the simulation
    /// Work of a loop, or of the background queues, in order.
    private struct WorkQueue {
        var work: [() -> Void] = []
        var isScheduled = false
        /// Microseconds: a stalled thread runs nothing before.
        var stalledUntil: Int64 = 0
    }

    /// Microseconds.
    private(set) var time: Int64 = 1_000_000_000
    /// Milliseconds between 1970 and the start of `time`, as the wall clock says; it may jump.
    var wallOffset = VirtualMachine.wallClockStart
    static let wallClockStart: Int64 = 1_700_000_000_000
    var random: SeededRandom
    var trace = EventTrace()
    let network: VirtualNetwork
    private var events = EventQueue()
    private var queues: [WorkQueue] = []
    /// Counts server processes; work of earlier ones is never run.
    private(set) var process = 0
    private(set) var currentLoop = -1
    /// Called when a drained or suspended server has stopped.
    var stopped: (() -> Void)?
    /// Called when the journal of the server's process has failed.
    var journalFailed: ((JournalError) -> Void)?
    /// Microseconds of the disk's operations.
    var diskDelay: (StorageError.Operation) -> UInt64 = { _ in 100 }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed, stream: 1)
        network = VirtualNetwork(seed: seed)
        network.machine = self
    }

    // MARK: Time

    /// Adds an event of the simulation.
    func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        events.add(at: time + max(0, microseconds), process: nil, action)
    }

    private func afterInProcess(_ microseconds: Int64, _ action: @escaping () -> Void) {
        events.add(at: time + max(0, microseconds), process: process, action)
    }

    /// Runs the next event.
    /// - Returns: false if there is none.
    func step() -> Bool {
        guard let event = events.take() else { return false }
        if let owner = event.process, owner != process { return true }
        time = max(time, event.time)
        event.action()
        return true
    }

    /// The server's process has ended: nothing of it runs any more.
    func endProcess() {
        process += 1
        queues = []
        events.removeAll(exceptOf: process)
        network.endProcess()
    }

    /// The simulation is over: releases what refers to the machine.
    func end() {
        endProcess()
        network.end()
        events.removeAll()
        (stopped, journalFailed, diskDelay, trace.printer) = (nil, nil, { _ in 0 }, nil)
    }

    // MARK: Loops

    /// Stalls a loop's thread, or every one.
    func stall(loop index: Int?, for microseconds: Int64) {
        for queue in queues.indices where index == nil || queue == index.map({ $0 + 1 }) {
            queues[queue].stalledUntil = time + microseconds
        }
    }

    private func schedule(_ queue: Int) {
        guard !queues[queue].isScheduled else { return }
        queues[queue].isScheduled = true
        let delay = Int64(random.below(60))
        afterInProcess(max(delay, queues[queue].stalledUntil - time)) { [weak self] in self?.run(queue) }
    }

    private func run(_ queue: Int) {
        queues[queue].isScheduled = false
        guard !queues[queue].work.isEmpty else { return }
        guard queues[queue].stalledUntil <= time else { return schedule(queue) }
        let work = queues[queue].work.removeFirst()
        perform(work, on: queue - 1)
        if queues.indices.contains(queue), !queues[queue].work.isEmpty { schedule(queue) }
    }

    private func perform(_ work: () -> Void, on loop: Int) {
        let former = currentLoop
        currentLoop = loop
        work()
        currentLoop = former
    }
}

extension VirtualMachine: SimulatedSystem {
    var monotonic: Int64 { time / 1000 }
    var wallClock: Int64 { wallOffset + time / 1000 }

    func enqueue(onLoop index: Int, _ work: @escaping () -> Void) {
        while queues.count <= index + 1 { queues.append(WorkQueue()) }
        queues[index + 1].work.append(work)
        schedule(index + 1)
    }

    func enqueue(after milliseconds: Int64, _ work: @escaping () -> Void) {
        // Alarms are late by a little, as a machine's are.
        afterInProcess(milliseconds * 1000 + Int64(random.below(400)), work)
    }

    func runNow(onLoop index: Int, _ body: () -> Void) {
        precondition(currentLoop != index, "a loop does not wait for itself")
        while queues.indices.contains(index + 1), !queues[index + 1].work.isEmpty {
            perform(queues[index + 1].work.removeFirst(), on: index)
        }
        perform(body, on: index)
    }
    var sockets: any SimulatedSockets { network }
}

extension VirtualMachine: WriterScheduler {
    var microseconds: UInt64 { UInt64(time) }

    func schedule(after microseconds: UInt64, _ work: @escaping () -> Void) { afterInProcess(Int64(microseconds), work) }

    func duration(of operation: StorageError.Operation) -> UInt64 { diskDelay(operation) }
}

/// Events by virtual time, then by the order in which they were added: a binary heap.
struct EventQueue {
    struct Event {
        /// Microseconds.
        let time: Int64
        fileprivate let order: UInt64
        /// The server process that it belongs to; nil for the simulation's own. Events of an ended process have no effect.
        let process: Int?
        let action: () -> Void

        fileprivate func precedes(_ other: Event) -> Bool { (time, order) < (other.time, other.order) }
    }

    private var events: [Event] = []
    private var added: UInt64 = 0

    var isEmpty: Bool { events.isEmpty }

    /// The time of the next event, in microseconds.
    var next: Int64? { events.first?.time }

    mutating func add(at time: Int64, process: Int?, _ action: @escaping () -> Void) {
        added += 1
        events.append(Event(time: time, order: added, process: process, action: action))
        var child = events.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard events[child].precedes(events[parent]) else { return }
            events.swapAt(child, parent)
            child = parent
        }
    }

    mutating func take() -> Event? {
        guard let first = events.first else { return nil }
        let last = events.removeLast()
        guard !events.isEmpty else { return first }
        events[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < events.count && events[child].precedes(events[least]) {
                least = child
            }
            guard least != parent else { return first }
            events.swapAt(least, parent)
            parent = least
        }
    }

    /// Drops the events of processes that have ended.
    mutating func removeAll() { events = [] }

    mutating func removeAll(exceptOf process: Int) {
        let left = events.filter { $0.process == nil || $0.process == process }
        events = []
        for event in left { add(at: event.time, process: event.process, event.action) }
    }
}

/// Events in order: a digest of all of them, and on demand a line for each.
struct EventTrace {
    enum Kind: UInt8, CaseIterable {
        case connect, accept, refuse, send, arrive, receive, clientSend, finish, reset, vanish, write, sync, start, crash, fault,
            quiet
    }

    private var hash = SHA256()
    private var buffer: [UInt8] = []
    private(set) var count = 0
    /// Receives a line for each event; nil for none.
    var printer: ((String) -> Void)?

    init() { buffer.reserveCapacity(4096) }

    /// - Parameters:
    ///   - time: microseconds.
    ///   - subject: a connection, a file, a fault.
    mutating func note(_ kind: Kind, at time: Int64, _ subject: Int, _ value: UInt64 = 0, text: @autoclosure () -> String = "") {
        count += 1
        buffer.append(kind.rawValue)
        for word in [UInt64(bitPattern: time), UInt64(bitPattern: Int64(subject)), value] {
            for shift in stride(from: 0, to: 64, by: 8) { buffer.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        if buffer.count > 4000 { flush() }
        guard let printer else { return }
        let milliseconds = "\(time / 1000).\(String(1000 + time % 1000).dropFirst())"
        printer("\(milliseconds) \(kind) \(subject) \(text())")
    }

    private mutating func flush() {
        hash.update(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// The digest of everything so far.
    var digest: String {
        var copy = self
        copy.flush()
        return copy.hash.finish().hex
    }

    /// A 64-bit hash of bytes (FNV-1a over words): cheap, and the same in every process.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var index = 0
        while index + 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x0000_0100_0000_01b3
            hash ^= hash >> 29
            index += 8
        }
        while index < bytes.count {
            hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3
            index += 1
        }
        return hash ^ UInt64(bytes.count)
    }
}

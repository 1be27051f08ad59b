import Fairness
import Journal
import LoadGenerator
import Sockets

/// The machine of simulated servers: virtual time, its network and its disk, in the thread that calls ``step()``.
final class VirtualMachine {
    /// Microseconds.
    private(set) var time: Int64 = 1_000_000_000
    /// Milliseconds between 1970 and the start of `time`, as the wall clock says; it may jump.
    var wallOffset = VirtualMachine.wallClockStart
    static let wallClockStart: Int64 = 1_700_000_000_000
    var random: SeededRandom
    var trace = EventTrace()
    let network: VirtualNetwork
    private var events = Agenda<Event>()

    private struct Event {
        /// The process that it belongs to; nil for the simulation's own.
        let process: VirtualProcess?
        let action: () -> Void
    }

    private var processCount: Int32 = 0
    /// Microseconds of the disk's operations.
    var diskDelay: (StorageError.Operation) -> UInt64 = { _ in 100 }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed, stream: 1)
        network = VirtualNetwork(seed: seed)
        network.machine = self
    }

    var monotonic: Int64 { time / 1000 }
    var wallClock: Int64 { wallOffset + time / 1000 }

    func startProcess() -> VirtualProcess {
        processCount += 1
        return VirtualProcess(self, number: processCount)
    }

    /// Adds an event of the simulation.
    func after(_ microseconds: Int64, _ action: @escaping () -> Void) { add(after: microseconds, of: nil, action) }

    fileprivate func add(after microseconds: Int64, of process: VirtualProcess?, _ action: @escaping () -> Void) {
        events.add(Event(process: process, action: action), at: time + max(0, microseconds))
    }

    /// Runs the next event.
    /// - Returns: false if there is none.
    func step() -> Bool {
        guard let (moment, event) = events.take(until: .max) else { return false }
        if let process = event.process {
            if process.isEnded { return true }
            if process.pausedUntil > max(time, moment) {
                // In their order, since they are taken in it.
                events.add(event, at: process.pausedUntil)
                return true
            }
        }
        time = max(time, moment)
        event.process?.replyDelay = 0
        event.action()
        return true
    }

    fileprivate func ended(_ process: VirtualProcess) {
        events.removeAll { $0.process === process }
        network.endProcess(process)
    }

    /// The simulation is over: releases what refers to the machine.
    func end() {
        network.end()
        events = Agenda()
        (diskDelay, trace.printer) = ({ _ in 0 }, nil)
    }
}

/// A process on a machine: its loops' work and its sockets. Nothing of it runs while it is paused, or once it has ended.
final class VirtualProcess: @unchecked Sendable {  // one thread uses it: the one that runs the simulation
    /// Work of a loop, or of the background queues, in order.
    private struct WorkQueue {
        var work: [() -> Void] = []
        var isScheduled = false
        /// Microseconds: a stalled thread runs nothing before.
        var stalledUntil: Int64 = 0
    }

    let machine: VirtualMachine
    let number: Int32
    private var queues: [WorkQueue] = []
    private(set) var currentLoop = -1
    private(set) var isEnded = false
    /// Microseconds.
    var pausedUntil: Int64 = 0
    /// Whether another process has replaced it, so that no connection is relayed to it.
    var isSuperseded = false
    /// Microseconds of a call of its registry; called after a change that has come into effect.
    var (registryDelay, rowChanged): (() -> Int64, () -> Void) = ({ 0 }, {})
    /// Microseconds for which the calls of the current event block.
    fileprivate var replyDelay: Int64 = 0

    fileprivate init(_ machine: VirtualMachine, number: Int32) { (self.machine, self.number) = (machine, number) }

    var isPaused: Bool { pausedUntil > machine.time }
    /// Its address among the servers.
    var host: String { "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)" }
    /// Called when its journal has failed; when its server has stopped; to give up a storage that others share.
    var (journalFailed, stopped, released): (((JournalError) -> Void)?, (() -> Void)?, (() -> Void)?) = (nil, nil, nil)

    /// Ends the process; the system closes its connections.
    func end() {
        isEnded = true
        queues = []
        (journalFailed, stopped, released) = (nil, nil, nil)
        (registryDelay, rowChanged) = ({ 0 }, {})
        machine.ended(self)
    }

    /// Adds an event of the process.
    func after(_ microseconds: Int64, _ action: @escaping () -> Void) { machine.add(after: microseconds, of: self, action) }

    // MARK: Loops

    /// A call of background work that blocks: what the work hands to loops after it comes later, and so does the work after it.
    func block(for microseconds: Int64) {
        replyDelay += microseconds
        if !queues.isEmpty { queues[0].stalledUntil = max(queues[0].stalledUntil, machine.time + replyDelay) }
    }

    /// Stalls a loop's thread, or every one.
    func stall(loop index: Int?, for microseconds: Int64) {
        for queue in queues.indices where index == nil || queue == index.map({ $0 + 1 }) {
            queues[queue].stalledUntil = machine.time + microseconds
        }
    }

    private func schedule(_ queue: Int) {
        guard !queues[queue].isScheduled else { return }
        queues[queue].isScheduled = true
        let delay = Int64(machine.random.below(60))
        after(max(delay, queues[queue].stalledUntil - machine.time)) { [weak self] in self?.run(queue) }
    }

    private func run(_ queue: Int) {
        queues[queue].isScheduled = false
        guard !queues[queue].work.isEmpty else { return }
        guard queues[queue].stalledUntil <= machine.time else { return schedule(queue) }
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

extension VirtualProcess: SimulatedSystem {
    var monotonic: Int64 { machine.monotonic }
    var wallClock: Int64 { machine.wallClock }

    func enqueue(onLoop index: Int, _ work: @escaping () -> Void) {
        if replyDelay > 0 {
            return after(replyDelay) { [self] in
                replyDelay = 0
                enqueue(onLoop: index, work)
            }
        }
        while queues.count <= index + 1 { queues.append(WorkQueue()) }
        queues[index + 1].work.append(work)
        schedule(index + 1)
    }

    func enqueue(after milliseconds: Int64, _ work: @escaping () -> Void) {
        // Alarms are late by a little, as a machine's are.
        after(milliseconds * 1000 + Int64(machine.random.below(400)), work)
    }

    func runNow(onLoop index: Int, _ body: () -> Void) {
        precondition(currentLoop != index, "a loop does not wait for itself")
        while queues.indices.contains(index + 1), !queues[index + 1].work.isEmpty {
            perform(queues[index + 1].work.removeFirst(), on: index)
        }
        perform(body, on: index)
    }
    var sockets: any SimulatedSockets { self }

    func makePoller(onLoop index: Int, owner: any PollerOwner) -> any Poller {
        SimulatedPoller(of: self, loop: index, owner: owner)
    }

    func makeAlarm(onLoop index: Int, fired: @escaping @Sendable () -> Void) -> any LoopAlarm {
        SimulatedAlarm(self, loop: index, fired)
    }
}

extension VirtualProcess: SimulatedSockets {
    var network: VirtualNetwork { machine.network }

    func listen(port: Int) -> Int32 { network.listen(self, port: port) }
    func makeSocket(family: Int32) -> Int32 { network.makeSocket(of: self) }
    func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 { network.connect(descriptor, to: address) }
    func pendingError(_ descriptor: Int32) -> Int32 { network.pendingError(descriptor) }
    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 { network.accept(listener, &peer) }
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { network.send(descriptor, bytes) }
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int { network.receive(descriptor, buffer) }
    func shutdownWriting(_ descriptor: Int32) { network.shutdownWriting(descriptor) }
    func resetOnClose(_ descriptor: Int32) { network.resetOnClose(descriptor) }
    func close(_ descriptor: Int32) { network.close(descriptor) }
    func configureStream(_ descriptor: Int32) {}
    func makeRoom(_ descriptor: Int32) {}
}

extension VirtualProcess: VirtualWriting {
    var microseconds: UInt64 { UInt64(machine.time) }

    func schedule(after microseconds: UInt64, _ work: @escaping () -> Void) { after(Int64(microseconds), work) }

    func duration(of operation: StorageError.Operation) -> UInt64 { machine.diskDelay(operation) }
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
}

import Journal
import Measuring
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

    func listen(port: Int) -> Int32 { network.listen(port: port) }
    func accept(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 { network.accept(listener, &peer) }
    func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { network.send(descriptor, bytes) }
    func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int { network.receive(descriptor, buffer) }
    func shutdownWriting(_ descriptor: Int32) { network.shutdownWriting(descriptor) }
    func resetOnClose(_ descriptor: Int32) { network.resetOnClose(descriptor) }
    func close(_ descriptor: Int32) { network.close(descriptor) }
    func observe(_ descriptor: Int32, _ changed: (() -> Void)?) { network.observe(descriptor, changed) }
    func readiness(of descriptor: Int32) -> SocketReadiness { network.readiness(of: descriptor) }
}

extension VirtualMachine: WriterScheduler {
    var microseconds: UInt64 { UInt64(time) }

    func schedule(after microseconds: UInt64, _ work: @escaping () -> Void) { afterInProcess(Int64(microseconds), work) }

    func duration(of operation: StorageError.Operation) -> UInt64 { diskDelay(operation) }
}

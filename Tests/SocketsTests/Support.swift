import Foundation
import Synchronization
import TestKit
import Testing

@testable import Sockets

extension PollerKind: CaseIterable {
    /// Waits of an hour: a wait that nothing ends hangs its test.
    public static var allCases: [PollerKind] {
        #if os(Linux)
            [.epoll(idleWait: 0), .epoll(idleWait: 3_600_000), .sources]
        #else
            [.sources]
        #endif
    }
}

/// A loop with a listener on a free port, which keeps what it accepts. It stops when the test is done with it.
final class TestServer: @unchecked Sendable {  // everything but `loop` and `port` is touched on the loop's queue alone
    let group: [Loop]
    /// The one that listens.
    let loop: Loop
    private(set) var port = 0
    private(set) var peers: [Recorder] = []
    private var listener: Listener?
    private let arrivals = Arrivals<Recorder>()

    /// - Parameters:
    ///   - limits: with so long a linger that a busy machine makes no difference.
    ///   - accepted: sets each new connection up.
    init(
        limits: ConnectionLimits = ConnectionLimits(linger: 60_000), group: [Loop] = Loop.group(count: 1, label: "test.server"),
        accepted setUp: @escaping @Sendable (Recorder) -> Void = { _ in }
    ) throws {
        self.group = group
        loop = group[0]
        port = try loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop, limits: limits) { [weak self] connection in
                // A test may be over before everybody was let in.
                guard let self else { return }
                let peer = Recorder(connection)
                peers.append(peer)
                setUp(peer)
                arrivals.yield(peer)
            }
            self.listener = listener
            return listener.address.port
        }
    }

    /// The next connection accepted.
    func next() async throws -> Recorder { try await arrivals.next() }

    /// A blocking client, and the server's side of its connection.
    func raw(receiveBuffer: Int32? = nil) async throws -> (client: RawPeer, peer: Recorder) {
        (try #require(RawPeer(port: port, receiveBuffer: receiveBuffer)), try await next())
    }

    /// Both sides of a connection on the server's loop.
    func pair() async throws -> (client: Recorder, peer: Recorder) {
        (try await connect(to: port, loop: loop), try await next())
    }

    /// How many of the failures are still to come.
    var failuresLeft: Int { loop.performAndWait { failures.count } }
    private var failures: [Int32] = []

    /// Has the system refuse to accept anybody for these reasons, one after the other, before it accepts again.
    func failToAccept(with codes: [Int32]) {
        loop.performAndWait {
            failures = codes
            listener?.acceptNext = { [weak self] descriptor, peer in
                guard let self, !failures.isEmpty else { return Descriptor.accept(descriptor, &peer) }
                errno = failures.removeFirst()
                return -1
            }
        }
    }

    func closeListener() { loop.performAndWait { listener?.close() } }

    deinit { for loop in group { loop.stop() } }
}

/// Keeps what a connection hears, and lets a test wait for it.
final class Recorder: ConnectionHandler, @unchecked Sendable {  // touched on its connection's loop alone
    let connection: Connection
    private(set) var received: [UInt8] = []
    private(set) var end: EndReason?
    /// Told of each chunk.
    var onBytes: (([UInt8]) -> Void)?
    var onEnd: (() -> Void)?
    var onDrain: (() -> Void)?
    /// The last word to a peer that is cut off.
    var goodbye: [UInt8]?
    private(set) var drains = 0
    private var waiters: [(isDone: () -> Bool, resume: () -> Void)] = []

    init(_ connection: Connection) {
        self.connection = connection
        connection.handler = self
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
        onBytes?(Array(bytes))
        check()
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        if end != nil { Issue.record("told twice of its end") }
        end = reason
        onEnd?()
        check()
    }

    func connectionHasDrained(_ connection: Connection) {
        drains += 1
        onDrain?()
        check()
    }

    func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]? { goodbye }

    private func check() {
        let done = waiters.filter { $0.isDone() }
        waiters.removeAll { $0.isDone() }
        for waiter in done { waiter.resume() }
    }

    private func wait(until isDone: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { continuation in
            connection.loop.perform { [self] in
                waiters.append((isDone, { continuation.resume() }))
                check()
            }
        }
    }

    /// Waits for so many bytes, or for the end.
    func bytes(_ count: Int) async -> [UInt8] {
        await wait { [self] in received.count >= count || end != nil }
        return connection.loop.performAndWait { received }
    }

    /// Waits until it has drained so often, or for the end.
    func drains(_ count: Int) async -> Int {
        await wait { [self] in drains >= count || end != nil }
        return connection.loop.performAndWait { drains }
    }

    func ending() async -> EndReason {
        await wait { [self] in end != nil }
        return connection.loop.performAndWait { end ?? .closed }
    }

    func send(_ bytes: [UInt8]) { connection.loop.perform { [self] in connection.send(bytes) } }
    func close() { connection.loop.perform { [self] in connection.close() } }
}

extension Descriptor {
    /// How many bytes could be read now.
    static func waitingInput(_ descriptor: Int32) -> Int32 {
        var byte: UInt8 = 0
        return Int32(clamping: max(0, recv(descriptor, &byte, 1, Int32(MSG_PEEK))))
    }
}

/// Connects to a port of this machine.
func connect(to port: Int, host: String = "127.0.0.1", loop: Loop, limits: ConnectionLimits = ConnectionLimits()) async throws
    -> Recorder
{
    let results = Arrivals<Result<Recorder, SocketError>>()
    loop.perform {
        Connector.connect(host: host, port: port, loop: loop, limits: limits) { results.yield($0.map(Recorder.init)) }
    }
    return try await results.next().get()
}

/// Bytes in which each place differs from its neighbours, so that a loss or a swap shows.
func pattern(_ count: Int) -> [UInt8] {
    // The standard library writes the count of what it makes so, also of nothing, which all threads share.
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        var place = 0
        while place < count {
            buffer[place] = UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8)
            place &+= 1
        }
        initialized = count
    }
}

/// What is yielded on a loop, awaited in a test.
struct Arrivals<Value: Sendable>: Sendable {
    private let values: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (values, continuation) = AsyncStream.makeStream(of: Value.self) }

    func yield(_ value: Value) { continuation.yield(value) }

    /// The next one. To be called by one task at a time.
    func next() async throws -> Value {
        for await value in values { return value }
        throw CancellationError()
    }
}

/// A barrier that a test advances by hand.
final class TestBarrier: DurabilityBarrier, Sendable {
    /// The position of the ticks that end from now on.
    let tick = Atomic<UInt64>(0)
    let reached = Atomic<UInt64>(0)
    /// The last position released.
    let released = Atomic<UInt64>(0)
    let isAwaited = Atomic<Bool>(false)

    /// Has a loop's ticks wait.
    func install(on loop: Loop) { loop.performAndWait { loop.install(self) } }

    /// Runs work in a tick with a position of its own.
    func tick<Result: Sendable>(_ position: UInt64, on loop: Loop, _ work: @Sendable () -> Result) -> Result {
        loop.performAndWait {
            tick.store(position, ordering: .relaxed)
            return work()
        }
    }

    func move(to position: UInt64, _ loop: Loop) {
        reached.store(position, ordering: .sequentiallyConsistent)
        loop.barrierAdvanced()
    }

    func endTick() -> TickEnd {
        TickEnd(position: tick.load(ordering: .relaxed), isAwaited: isAwaited.load(ordering: .relaxed))
    }
    var position: UInt64 { reached.load(ordering: .sequentiallyConsistent) }
    func released(upTo position: UInt64) { released.store(position, ordering: .relaxed) }
}

/// The timers that went off, in order.
final class TimerJournal<Timer>: @unchecked Sendable {  // touched on its loop alone
    var entries: [String] = []
    var timers: [Timer] = []
    var done: (() -> Void)?

    /// Runs a scenario on a loop with each kind of poller until it calls `done`; returns the entries of each.
    static func run(_ scenario: @escaping @Sendable (Loop, TimerJournal) -> Void) async -> [[String]] {
        var entries: [[String]] = []
        for kind in PollerKind.allCases {
            let loop = Loop.group(count: 1, label: "test.timers", kind: kind)[0]
            let journal = TimerJournal()
            await withCheckedContinuation { continuation in
                loop.perform {
                    journal.done = { continuation.resume() }
                    scenario(loop, journal)
                }
            }
            entries.append(loop.performAndWait { journal.entries })
            loop.stop()
        }
        return entries
    }
}

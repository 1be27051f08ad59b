import Dispatch
import Foundation
import TestKit
import Testing

@testable import Sockets

/// Loops that wait on their thread for an hour, so that whatever does not end a wait is not done at all.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct IdleWaitTests {
    private static let hour: Int64 = 3_600_000

    /// Touched on its loop alone.
    private final class Journal: @unchecked Sendable {
        var entries: [Int] = []
        var timer: LoopTimer?
    }

    @Test func workThatIsPosted_endsTheWait_andRunsInItsOrder() async {
        let loop = Loop(label: "test.patient", idleWait: Self.hour)
        let journal = Journal()
        for number in 0..<1000 {
            loop.perform { journal.entries.append(number) }
            if number % 100 == 99 { #expect(loop.performAndWait { journal.entries.count } == number + 1) }
        }
        #expect(loop.performAndWait { journal.entries } == Array(0..<1000))
        loop.stop()
    }

    @Test func workFromManyThreads_isAllDone() async {
        let loop = Loop(label: "test.patient", idleWait: Self.hour)
        let journal = Journal()
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        await withCheckedContinuation { continuation in
                            loop.perform {
                                journal.entries.append(task * 500 + number)
                                continuation.resume()
                            }
                        }
                    }
                }
            }
        }
        #expect(loop.performAndWait { Set(journal.entries) } == Set(0..<4000))
        loop.stop()
    }

    @Test func aBarrierThatAdvances_endsTheWait_andWhatItHeldIsSent() async throws {
        let group = Loop.group(count: 2, label: "test.patient", idleWait: Self.hour)
        let server = try TestServer(group: group) { peer in peer.onBytes = { [weak peer] in peer?.connection.send($0) } }
        let client = try await SocketsTests.connect(to: server.port, loop: group[1])
        let barrier = TestBarrier()
        barrier.install(on: server.loop)
        for round in 1...1000 {
            barrier.tick.store(UInt64(round), ordering: .sequentiallyConsistent)
            client.connection.loop.perform { client.connection.send([UInt8(truncatingIfNeeded: round)]) }
            // Some moves come before the answer is held, some meet a loop that is about to wait, some one that waits.
            for _ in 0..<round % 40 { sched_yield() }
            barrier.move(to: UInt64(round), server.loop)
            #expect(await client.bytes(round).count == round)
        }
    }

    @Test func aTimerThatIsArmedBeforeTheWait_endsIt() async {
        let loop = Loop(label: "test.patient", idleWait: Self.hour)
        let journal = Journal()
        await withCheckedContinuation { continuation in
            loop.perform {
                journal.timer = loop.makeTimer { continuation.resume() }
                journal.timer?.arm(at: loop.now + 20)
            }
        }
        loop.stop()
    }

    @Test func messagesGoToAndFro_withoutTheQueueBeingFree() async throws {
        let group = Loop.group(count: 2, label: "test.patient", idleWait: Self.hour)
        let server = try TestServer(group: group) { peer in peer.onBytes = { [weak peer] in peer?.connection.send($0) } }
        let client = try await SocketsTests.connect(to: server.port, loop: group[1])
        for round in 1...200 {
            client.connection.loop.perform { client.connection.send([UInt8(truncatingIfNeeded: round)]) }
            #expect(await client.bytes(round).count == round)
        }
    }

    @Test func aLoopThatIsStopped_waitsNoLonger_andThePeerSeesTheEnd() async throws {
        let server = try TestServer(group: Loop.group(count: 1, label: "test.patient", idleWait: Self.hour))
        let other = Loop(label: "test.other")
        let client = try await SocketsTests.connect(to: server.port, loop: other)
        server.loop.stop()
        #expect(await client.ending() == .peerClosed)
        other.stop()
    }

    @Test func aLoopThatNobodyHolds_isGone_alsoWhileItWaits() async {
        weak var gone: Loop?
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        do {
            let loop = Loop(label: "test.patient", idleWait: Self.hour)
            gone = loop
            loop.queue.setSpecific(key: DispatchSpecificKey<DeinitProbe>(), value: DeinitProbe(continuation))
            loop.performAndWait { _ = loop.makeTimer {} }
        }
        // The queue goes with the loop, and its probe with the queue.
        for await _ in stream {}
        #expect(gone == nil)
    }
}

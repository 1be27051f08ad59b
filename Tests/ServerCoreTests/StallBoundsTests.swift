import Testing

@testable import ServerCore

/// Memory of a loop while its disk is behind: peers that come and go meanwhile cannot make it grow.
struct StallBoundsTests {
    @Test func logLines_leaveInOrder_withTheirTicks_andTheFirstWithoutRoomDoesNotWait() {
        var held = HeldLines()
        func line(_ number: Int) -> LogLine { LogLine(time: Int64(number), level: .info, event: "gone", fields: []) }
        for number in 1...HeldLines.capacity {
            let isHeld = held.append(line(number))
            #expect(isHeld)
            if number == 2 || number == 5 {
                let isWaiting = held.endTick(at: UInt64(number))
                #expect(isWaiting)
            }
        }
        let overflows = !held.append(line(0))
        #expect(overflows)
        let times = [1, 4, 10].map { position in held.release(upTo: position).map(\.time) }
        #expect(times == [[], [1, 2], [3, 4, 5]], "the others' tick has not ended")
        _ = held.endTick(at: 10)
        let isWaiting = held.endTick(at: 11)
        let rest = held.release(upTo: 10)
        #expect(!isWaiting && rest.map(\.time) == Array(6...Int64(HeldLines.capacity)))
    }

    @Test func timers_areHeldOnce_inOrder_andForgottenWithTheirConnections() {
        var held = OrderedQueue<TimerID>()
        for id in 1...3 { held.append(.connection(UInt64(id))) }
        held.append(.table(7))
        held.append(.connection(2))
        held.remove(.connection(1))
        #expect(Array(held.elements) == [.connection(2), .connection(3), .table(7)])
        held.append(.connection(1))
        #expect(Array(held.elements) == [.connection(2), .connection(3), .table(7), .connection(1)])
        for id in 10..<2_000 {
            held.append(.connection(UInt64(id)))
            held.remove(.connection(UInt64(id)))
        }
        #expect(held.count == 4 && Array(held.elements).count == 4)
    }
}

struct CheckpointerTests {
    /// Sealed bytes, the newest checkpoint's length, and the pause since the last pass.
    @Test(
        arguments: [
            (0, 0, nil, false), (4 << 20, 0, nil, true), (4 << 20, 1000, 2000, false), (4 << 20, 1000, 10_000, true),
            (16 << 20, 1000, 2000, true), (16 << 20, 36_000_000, 10_000, false), (32 << 20, 36_000_000, nil, false),
            (36 << 20, 36_000_000, 2000, true),
        ] as [(Int, Int, Int64?, Bool)])
    func aCheckpoint_waitsForAsMuchJournalAsItsLength(_ sealed: Int, _ length: Int, _ pause: Int64?, _ isDue: Bool) {
        #expect(Checkpointer.isDue(sealed: sealed, checkpoint: length, pause: pause) == isDue)
    }
}

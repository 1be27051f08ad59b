import Testing

@testable import ServerCore

/// Memory of a loop while its disk is behind: peers that come and go meanwhile cannot make it grow.
struct StallBoundsTests {
    private func line(_ number: Int, _ level: LogLevel = .info) -> LogLine {
        LogLine(time: Int64(number), level: level, event: "gone", fields: [])
    }

    @Test func logLines_areBounded_countedAndReported_andAFloodHidesNoWarning() throws {
        var held = HeldLines()
        var ticks = 0
        for number in 0..<HeldLines.capacity {
            held.append(line(number))
            if number % 8 == 0, held.endTick(at: UInt64(number)) { ticks += 1 }
        }
        #expect(held.count == HeldLines.capacity / 2 && ticks == HeldLines.capacity / 2 / 8 + 1)
        for number in 0..<HeldLines.capacity { held.append(line(number, .warning)) }
        #expect(held.count == HeldLines.capacity)
        _ = held.endTick(at: 10_000)
        let first = held.release(upTo: 7)
        #expect(first.map(\.time) == [0])
        let rest = held.release(upTo: 10_000)
        let report = try #require(rest.last)
        #expect(rest.count == HeldLines.capacity && held.count == 0)
        #expect(rest.count { $0.level == .warning } == HeldLines.capacity / 2 + 1)
        #expect(report.text.hasSuffix("event=log_dropped lines=\(HeldLines.capacity) cause=storage_stalled"))
        // Each drop is reported once.
        held.append(line(1))
        _ = held.endTick(at: 10_001)
        let last = held.release(upTo: 10_001)
        #expect(last.count == 1)
    }

    @Test func logLines_leaveInOrder_withTheirTicks() {
        var held = HeldLines()
        for number in 1...4 {
            held.append(line(number))
            if number.isMultiple(of: 2) { _ = held.endTick(at: UInt64(number)) }
        }
        let times = [1, 3, 4].map { position in held.release(upTo: position).map(\.time) }
        let isWaiting = held.endTick(at: 5)
        #expect(times == [[], [1, 2], [3, 4]] && !isWaiting && held.count == 0)
    }

    @Test func timers_areHeldOnce_inOrder_andForgottenWithTheirConnections() {
        var held = HeldTimers()
        for id in 1...3 { held.insert(.connection(UInt64(id))) }
        held.insert(.table(7))
        held.insert(.connection(2))
        held.remove(.connection(1))
        #expect(held.inOrder == [.connection(2), .connection(3), .table(7)])
        held.insert(.connection(1))
        #expect(held.inOrder == [.connection(2), .connection(3), .table(7), .connection(1)])
        for id in 10..<2_000 {
            held.insert(.connection(UInt64(id)))
            held.remove(.connection(UInt64(id)))
        }
        #expect(held.entries < 100 && held.inOrder.count == 4)
    }
}

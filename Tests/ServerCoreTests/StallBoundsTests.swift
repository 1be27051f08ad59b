import Testing

@testable import ServerCore

/// Memory of a loop while its disk is behind: peers that come and go meanwhile cannot make it grow.
struct StallBoundsTests {
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

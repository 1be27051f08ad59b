import EventStreams
import Testing

@Suite struct DemandTests {
    private let some: [Subscribers.Demand] = [.none, .max(1), .max(7), .max(.max), .unlimited]

    @Test func sum_saturatesAtUnlimited_andUnlimitedStays() {
        for demand in some {
            #expect(demand + .none == demand)
            #expect(.unlimited + demand == .unlimited)
            #expect(.unlimited - demand == .unlimited)
            #expect(demand - .unlimited == (demand == .unlimited ? .unlimited : .none))
        }
        #expect(Subscribers.Demand.max(2) + .max(3) == .max(5))
        #expect(Subscribers.Demand.max(2) - .max(5) == .none)
        #expect(Subscribers.Demand.max(.max) + .max(.max) == .unlimited)
    }

    @Test func order_isThatOfNumbers_withUnlimitedAboveAll() {
        for (low, high) in zip(some, some.dropFirst()) {
            #expect(low < high)
            #expect(!(high < low))
        }
        #expect(Subscribers.Demand.unlimited.max == nil)
        #expect(Subscribers.Demand.unlimited.description == "unlimited")
        #expect(Subscribers.Demand.max(3).description == "max(3)")
    }

    @Test func demand_belowZero_traps() async {
        await #expect(processExitsWith: .failure) { _ = Subscribers.Demand.max(-1) }
    }
}

import EventStreams

/// Measures the cost per value through a stream.
enum StreamMeasurements {
    /// A sink's target with free writes, so that only the stream is measured.
    private final class Scale {
        let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() {
            total.initialize(to: 0)
        }

        deinit {
            total.deallocate()
        }
    }

    /// - Parameter values: values per run; of a hundred runs some go undisturbed.
    static func run(_ bench: Bench, values: Int = 100_000) {
        subjectToSink(values, bench)
        chain(values, bench)
        hundredSinks(values / 50, bench)
        currentValueToSink(values, bench)
        reentrant(values / 4, bench)
        erasedChain(values, bench)
        merged(values / 10, bench)
        handedOver(values / 10, bench)
    }

    private static func subjectToSink(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellable = subject.sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "subject to sink", limit: 20, values) { for value in 0..<$0 { subject.send(value) } }
    }

    private static func chain(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellable = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }.sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "map, filter, map, sink", limit: 40, values) { for value in 0..<$0 { subject.send(value &* 2) } }
    }

    private static func hundredSinks(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellables = (0..<100).map { _ in subject.sink { total.pointee &+= $0 } }
        defer { for cancellable in cancellables { cancellable.cancel() } }
        measure(bench, "one subject to 100 sinks", limit: 1_000, values) { for value in 0..<$0 { subject.send(value) } }
    }

    private static func currentValueToSink(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (CurrentValueSubject<Int, Never>(0), Scale())
        let total = scale.total
        let cancellable = subject.sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "current value to sink", limit: nil, values) { for value in 0..<$0 { subject.send(value) } }
    }

    /// Sends each value from within the previous one.
    private static func reentrant(_ values: Int, _ bench: Bench) {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.sink { if $0 > 0 { subject.send($0 &- 1) } }
        defer { cancellable.cancel() }
        measure(bench, "sent from within", limit: nil, values) { subject.send($0) }
    }

    private static func erasedChain(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellable = subject.map { $0 &* 3 }.eraseToAnyPublisher().filter { $0 & 1 == 0 }.eraseToAnyPublisher()
            .sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "map, erased, filter, erased, sink", limit: nil, values) {
            for value in 0..<$0 { subject.send(value &* 2) }
        }
    }

    private static func merged(_ values: Int, _ bench: Bench) {
        let (subject, other, scale) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellable = subject.merge(with: other).sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "merge, sink", limit: 150, values) { for value in 0..<$0 { subject.send(value) } }
    }

    /// The cost of `receive(on:)` itself, without a queue.
    private static func handedOver(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellable = subject.receive(on: ImmediateScheduler.shared).sink { total.pointee &+= $0 }
        defer { cancellable.cancel() }
        measure(bench, "receive(on:), sink", limit: 400, values) { for value in 0..<$0 { subject.send(value) } }
    }

    private static func measure(_ bench: Bench, _ name: String, limit: Double?, _ values: Int, _ send: (Int) -> Void) {
        bench.measure("stream: \(name)", runs: 100, calls: 1, per: values, limit: limit) { send(values) }
    }
}

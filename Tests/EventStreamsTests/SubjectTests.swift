import EventStreams
import Testing

@Suite struct SubjectTests {
    @Test func send_reachesTheSinkThroughOperators_inOrder() {
        let subject = PassthroughSubject<Int, Never>()
        var seen: [Int] = []
        let cancellable = subject.map { $0 * 2 }.filter { $0 > 2 }.sink { seen.append($0) }
        for number in 1...4 { subject.send(number) }
        cancellable.cancel()
        subject.send(5)
        #expect(seen == [4, 6, 8])
    }
}

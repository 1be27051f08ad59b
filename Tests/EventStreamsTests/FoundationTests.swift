import EventStreamsFoundation
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The parts that need Foundation. It imports `EventStreamsFoundation` alone, which re-exports `EventStreams`.
@Suite struct FoundationTests {
    /// Runs the thread's run loop until something has come about. A timer alone does not end a run, so each has a limit.
    private func run(until isOver: () -> Bool) {
        while !isOver() { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
    }

    @Test func timer_emitsAtEachInterval_onTheRunLoop_whileItHasSubscribers() {
        var seen: [Date] = []
        let cancellable = Timer.publish(every: 0.001, on: .current, in: .default).autoconnect().prefix(3)
            .sink { seen.append($0) }
        run { seen.count == 3 }
        #expect(seen == seen.sorted())
        cancellable.cancel()
    }

    @Test func runLoop_isAScheduler() {
        var seen: [Int] = []
        let cancellables = [
            Just(1).delay(for: .milliseconds(2), scheduler: RunLoop.current).sink { seen.append($0) },
            Just(2).receive(on: RunLoop.current).sink { seen.append($0) },
        ]
        #expect(seen.isEmpty)
        run { seen.count == 2 }
        #expect(seen.sorted() == [1, 2])
        var ticks = 0
        let timer = RunLoop.current.schedule(after: RunLoop.current.now, interval: .milliseconds(1)) { ticks += 1 }
        run { ticks >= 2 }
        timer.cancel()
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test func operationQueue_isAScheduler() async {
        let queue = OperationQueue()
        var seen: [Int] = []
        for await value in [1, 2, 3].publisher.receive(on: queue).delay(for: .milliseconds(1), scheduler: queue)
            .buffer(size: 3, prefetch: .byRequest, whenFull: .dropNewest).values
        {
            seen.append(value)
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func foundationTime_isAStrideOfSeconds() throws {
        let stride: RunLoop.SchedulerTimeType.Stride = .milliseconds(1_500)
        #expect(stride == 1.5)
        let start = RunLoop.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 10))
        #expect(start.advanced(by: stride).date == Date(timeIntervalSinceReferenceDate: 11.5))
        #expect(start.distance(to: start.advanced(by: 2)) == 2)
        let data = try JSONEncoder().encode(stride)
        #expect(try JSONDecoder().decode(RunLoop.SchedulerTimeType.Stride.self, from: data) == stride)
    }

    @Test func notifications_arePublished_untilCancelled() {
        let (center, name) = (NotificationCenter(), Notification.Name("seated"))
        final class Table: NSObject {}
        let (table, other) = (Table(), Table())
        var seen: [String] = []
        let cancellable = center.publisher(for: name, object: table).sink { seen.append($0.userInfo?["who"] as? String ?? "") }
        center.post(name: name, object: table, userInfo: ["who": "anna"])
        center.post(name: name, object: other, userInfo: ["who": "bert"])
        cancellable.cancel()
        center.post(name: name, object: table, userInfo: ["who": "carl"])
        #expect(seen == ["anna"])
        #expect(center.publisher(for: name, object: table) == center.publisher(for: name, object: table))
    }

    @Test func coders_areTopLevelCoders() {
        var seen: [[Int]] = []
        let cancellable = Just([1, 2]).encode(encoder: JSONEncoder()).decode(type: [Int].self, decoder: JSONDecoder())
            .replaceError(with: []).sink { seen.append($0) }
        #expect(seen == [[1, 2]])
        cancellable.cancel()
    }

    @Test func dataTask_emitsWhatItBrings_orFails() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Stub.self]
        let session = URLSession(configuration: configuration)
        let good = try #require(URL(string: "stub://server/tables"))
        for try await (data, response) in session.dataTaskPublisher(for: good).values {
            #expect(String(decoding: data, as: UTF8.self) == "/tables")
            #expect(response.url == good)
        }
        let bad = try #require(URL(string: "stub://server/refused"))
        await #expect(throws: URLError.self) {
            for try await _ in session.dataTaskPublisher(for: bad).values {}
        }
        session.invalidateAndCancel()
    }

    /// A server without a network: answers with the path, and refuses one.
    private final class Stub: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "stub" }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            guard let url = request.url, url.path != "/refused" else {
                client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
                return
            }
            let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(url.path.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }
}

#if !canImport(Combine)
    import EventStreams
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    extension URLSession {
        /// Emits a data task's result and finishes. Each subscriber has its own task, started by its first request and cancelled
        /// with the stream.
        public struct DataTaskPublisher: Publisher, Sendable {
            public typealias Output = (data: Data, response: URLResponse)
            public typealias Failure = URLError

            public let request: URLRequest
            public let session: URLSession

            public init(request: URLRequest, session: URLSession) {
                self.request = request
                self.session = session
            }

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == URLError {
                Deferred { [request, session] () -> AnyPublisher<Output, URLError> in
                    let task = TaskHold()
                    return Future<Output, URLError> { promise in
                        let data = session.dataTask(with: request) { data, response, error in
                            if let data, let response, error == nil { return promise(.success((data, response))) }
                            promise(.failure(error as? URLError ?? URLError(.unknown)))
                        }
                        task.hold(data)
                    }
                    .handleEvents(receiveCancel: { task.cancel() }, receiveRequest: { _ in task.start() })
                    .eraseToAnyPublisher()
                }
                .subscribe(subscriber)
            }
        }

        public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
            dataTaskPublisher(for: URLRequest(url: url))
        }

        public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
            DataTaskPublisher(request: request, session: self)
        }
    }

    /// A task created before its stream.
    private final class TaskHold {
        private var task: URLSessionDataTask?

        func hold(_ task: URLSessionDataTask) {
            self.task = task
        }

        func start() {
            task?.resume()
        }

        func cancel() {
            task?.cancel()
        }
    }
#endif

extension Publishers {
    /// Subscribes to upstream again after a failure.
    public struct Retry<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        /// The most retries; nil for no limit.
        public let retries: Int?

        public init(upstream: Upstream, retries: Int?) {
            self.upstream = upstream
            self.retries = retries
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let succession = Succession(to: subscriber)
            succession.start { [unowned succession, self] in attempt(in: succession, left: retries) }
        }

        private func attempt<S: Subscriber>(in succession: Succession<S>, left: Int?)
        where S.Input == Output, S.Failure == Failure {
            succession.follow(upstream) { [unowned succession] completion in
                if case .failure = completion, left != 0 {
                    attempt(in: succession, left: left.map { $0 - 1 })
                } else {
                    succession.complete(completion)
                }
            }
        }
    }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Subscribes again after a failure, at most `retries` times.
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Retry(upstream: self, retries: retries)
    }
}

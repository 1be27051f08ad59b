extension Publishers {
    /// Connects many subscribers to one upstream subscription through a subject.
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let createSubject: () -> SubjectType
        private let made = Guarded<SubjectType?>(nil)

        public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subject.subscribe(subscriber)
        }

        public func connect() -> any Cancellable {
            upstream.subscribe(subject)
        }

        /// Created lazily outside the lock; a concurrent duplicate is discarded.
        private var subject: SubjectType {
            if let subject = made.withLock({ $0 }) { return subject }
            let fresh = createSubject()
            return made.withLock { made in
                let subject = made ?? fresh
                made = subject
                return subject
            }
        }
    }

    /// Connects on the first subscriber and disconnects after the last.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        private struct State {
            var subscribers = 0
            var connection: (any Cancellable)?
        }

        public let upstream: Upstream
        private let state = Guarded(State())

        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let isFirst = state.withLock { state in
                state.subscribers += 1
                return state.subscribers == 1
            }
            upstream.handleEvents(receiveCompletion: { [self] _ in leave() }, receiveCancel: { [self] in leave() })
                .subscribe(subscriber)
            // The subscriber may have completed during subscription: then there is no need to connect.
            if isFirst, state.withLock({ $0.subscribers > 0 }) { connect() }
        }

        private func connect() {
            let connection = upstream.connect()
            let isWanted = state.withLock { state in
                guard state.subscribers > 0, state.connection == nil else { return false }
                state.connection = connection
                return true
            }
            // All subscribers left during the connect.
            if !isWanted { connection.cancel() }
        }

        private func leave() {
            let connection: (any Cancellable)? = state.withLock { state in
                state.subscribers -= 1
                guard state.subscribers == 0 else { return nil }
                defer { state.connection = nil }
                return state.connection
            }
            connection?.cancel()
        }
    }
}

extension Publisher {
    /// Feeds the subject made by the closure, from `connect()` on.
    public func multicast<S: Subject>(_ createSubject: @escaping () -> S) -> Publishers.Multicast<Self, S>
    where S.Output == Output, S.Failure == Failure {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }

    /// Feeds the subject, from `connect()` on.
    public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
    where S.Output == Output, S.Failure == Failure {
        multicast { subject }
    }

    /// Subscribes once, for the first subscriber, and multicasts to all. A late subscriber misses earlier values.
    public func share() -> AnyPublisher<Output, Failure> {
        multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher()
    }
}

extension ConnectablePublisher {
    /// Connects on the first subscriber.
    public func autoconnect() -> Publishers.Autoconnect<Self> {
        Publishers.Autoconnect(upstream: self)
    }
}

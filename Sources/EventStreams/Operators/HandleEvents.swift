extension Publishers {
    /// Emits upstream's values and calls observers on every event, up and down.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public var receiveSubscription: ((any Subscription) -> Void)?
        public var receiveOutput: ((Output) -> Void)?
        public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
        public var receiveCancel: (() -> Void)?
        public var receiveRequest: ((Subscribers.Demand) -> Void)?

        public init(
            upstream: Upstream,
            receiveSubscription: ((any Subscription) -> Void)? = nil,
            receiveOutput: ((Output) -> Void)? = nil,
            receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (() -> Void)? = nil,
            receiveRequest: ((Subscribers.Demand) -> Void)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Observer(self, to: subscriber))
        }
    }
}

extension Publishers.HandleEvents {
    private final class Observer<Downstream: Subscriber>: Subscriber, OverflowAccepting
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private typealias Events = (
            subscription: ((any Subscription) -> Void)?, output: ((Output) -> Void)?,
            completion: ((Subscribers.Completion<Failure>) -> Void)?, request: ((Subscribers.Demand) -> Void)?
        )

        private let events: Events
        private let downstream: Downstream
        private let wayUp: WayUp

        init(_ events: Publishers.HandleEvents<Upstream>, to downstream: Downstream) {
            self.events = (events.receiveSubscription, events.receiveOutput, events.receiveCompletion, events.receiveRequest)
            self.downstream = downstream
            wayUp = WayUp(onRequest: events.receiveRequest, onCancel: events.receiveCancel)
        }

        var acceptsOverflow: Bool { downstream.keepsOverflow }

        func receive(subscription: any Subscription) {
            guard wayUp.lifeline.attach(subscription) else { return }
            events.subscription?(subscription)
            downstream.receive(subscription: wayUp)
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            guard wayUp.lifeline.isLive else { return .none }
            events.output?(input)
            let more = downstream.receive(input)
            if more > .none { events.request?(more) }
            return more
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            guard wayUp.end() else { return }
            events.completion?(completion)
            downstream.receive(completion: completion)
        }
    }

    /// Downstream's subscription. Releases the closures at the end.
    private final class WayUp: Subscription, CustomStringConvertible {
        typealias Closures = (onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?)

        let lifeline = Lifeline()
        private let closures: Guarded<Closures>

        init(onRequest: ((Subscribers.Demand) -> Void)?, onCancel: (() -> Void)?) {
            closures = Guarded((onRequest, onCancel))
        }

        var description: String { lifeline.description }

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
            closures.withLock { $0.onRequest }?(demand)
            lifeline.request(demand)
        }

        func cancel() {
            let onCancel = takeClosures().onCancel
            lifeline.cancelIfLive(first: { onCancel?() })
        }

        func end() -> Bool {
            _ = takeClosures()
            return lifeline.end()
        }

        private func takeClosures() -> Closures {
            closures.withLock { closures in
                defer { closures = (nil, nil) }
                return closures
            }
        }
    }
}

extension Publisher {
    /// Calls the closures before each event is passed on. Demand returned by downstream with a value counts as a request.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}

// MARK: - Print and Breakpoint

extension Publishers {
    /// Emits upstream's values and prints a line for every event.
    public struct Print<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let prefix: String
        public let stream: (any TextOutputStream)?

        public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
            self.upstream = upstream
            self.prefix = prefix
            self.stream = stream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let printer = Printer(prefix: prefix, stream: stream)
            upstream
                .handleEvents(
                    receiveSubscription: { printer.print("receive subscription: (\($0))") },
                    receiveOutput: { printer.print("receive value: (\($0))") },
                    receiveCompletion: {
                        switch $0 {
                        case .finished: printer.print("receive finished")
                        case .failure(let error): printer.print("receive error: (\(error))")
                        }
                    },
                    receiveCancel: { printer.print("receive cancel") },
                    receiveRequest: { printer.print($0.max.map { "request max: (\($0))" } ?? "request unlimited") }
                )
                .subscribe(subscriber)
        }
    }
}

/// Writes lines to a text stream, one at a time, or to standard output.
private final class Printer {
    private let prefix: String
    // Serialises writes: the user's stream is called by one thread at a time, under no lock.
    private let lines = Mailbox<String>()
    private var stream: (any TextOutputStream)?

    init(prefix: String, stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : prefix + ": "
        self.stream = stream
    }

    func print(_ text: String) {
        guard lines.leave(prefix + text) else { return }
        var spare = ContiguousArray<String>()
        repeat { lines.drainBatch(&spare, write) } while !lines.passTurn()
    }

    private func write(_ line: String) {
        if stream == nil { Swift.print(line) } else { stream?.write(line + "\n") }
    }
}

extension Publishers {
    /// Emits upstream's values; traps into the debugger when a closure returns true.
    public struct Breakpoint<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let receiveSubscription: ((any Subscription) -> Bool)?
        public let receiveOutput: ((Output) -> Bool)?
        public let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?

        public init(
            upstream: Upstream, receiveSubscription: ((any Subscription) -> Bool)? = nil,
            receiveOutput: ((Output) -> Bool)? = nil,
            receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream
                .handleEvents(
                    receiveSubscription: { [receiveSubscription] in stop(if: receiveSubscription?($0)) },
                    receiveOutput: { [receiveOutput] in stop(if: receiveOutput?($0)) },
                    receiveCompletion: { [receiveCompletion] in stop(if: receiveCompletion?($0)) }
                )
                .subscribe(subscriber)
        }
    }
}

// Declared here because the module imports no C library.
@_silgen_name("raise") private func raiseSignal(_ number: Int32) -> Int32

/// Raises SIGTRAP, signal 5 on Linux and on Apple's systems.
private func stop(if isWanted: Bool?) {
    if isWanted == true { _ = raiseSignal(5) }
}

extension Publisher {
    /// Prints a line with the prefix for every event, up and down, to the text stream or standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }

    /// Raises SIGTRAP, which stops a debugger, when a closure returns true.
    public func breakpoint(
        receiveSubscription: ((any Subscription) -> Bool)? = nil, receiveOutput: ((Output) -> Bool)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
    ) -> Publishers.Breakpoint<Self> {
        Publishers.Breakpoint(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion)
    }

    /// Raises SIGTRAP on a failure.
    public func breakpointOnError() -> Publishers.Breakpoint<Self> {
        breakpoint(receiveCompletion: { if case .failure = $0 { true } else { false } })
    }
}

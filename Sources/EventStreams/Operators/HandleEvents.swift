extension Publisher {
    /// Calls the closures before each event is passed on, up and down. Demand returned by downstream with a value counts as a request.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> AnyPublisher<Output, Failure> {
        let events = (receiveSubscription, receiveOutput, receiveCompletion, receiveCancel, receiveRequest)
        return AnyPublisher { subscribe(Observer(events, to: $0)) }
    }

    /// Prints a line with the prefix for every event, up and down, to the text stream or standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let printer = Printer(prefix: prefix, stream: stream)
            handleEvents(
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

private final class Observer<Downstream: Subscriber>: Subscriber, OverflowAccepting {
    typealias Output = Downstream.Input
    typealias Failure = Downstream.Failure
    typealias Events = (
        subscription: ((any Subscription) -> Void)?, output: ((Output) -> Void)?,
        completion: ((Subscribers.Completion<Failure>) -> Void)?, cancel: (() -> Void)?, request: ((Subscribers.Demand) -> Void)?
    )

    private let events: Events
    private let downstream: Downstream
    private let wayUp: WayUp

    init(_ events: Events, to downstream: Downstream) {
        // Without `cancel`, which is released at the end.
        self.events = (events.subscription, events.output, events.completion, nil, events.request)
        self.downstream = downstream
        wayUp = WayUp(onRequest: events.request, onCancel: events.cancel)
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

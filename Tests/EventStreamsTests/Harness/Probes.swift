import EventStreams

struct Oops: Error, Equatable {
    var number = 0
}

/// What a subscriber saw, in words, so that publishers of every type can be held to one contract.
final class Log {
    enum Entry: Equatable {
        case subscription
        case value(String)
        case finished
        case failed
    }

    private(set) var entries: [Entry] = []
    /// Values received and values asked for, to see that the first never exceeds the second.
    var asked = Subscribers.Demand.none
    private(set) var received = 0
    private(set) var demandWasExceeded = false

    func add(_ entry: Entry) {
        entries.append(entry)
        guard case .value = entry else { return }
        received += 1
        if asked < .max(received) { demandWasExceeded = true }
    }

    var values: [String] {
        entries.compactMap { entry in
            guard case .value(let text) = entry else { return nil }
            return text
        }
    }

    var completions: [Entry] { entries.filter { $0 == .finished || $0 == .failed } }
}

/// The actions of a probe in its callbacks.
struct Habits {
    var onSubscription: (any Subscription) -> Void = { _ in }
    /// Given the number of the value, from one, and the subscription.
    var onValue: (Int, any Subscription) -> Subscribers.Demand = { _, _ in .none }
    /// Whether it keeps its subscription, for good: nobody but the stream lets go of anything.
    var keepsSubscription = true

    /// Asks for so much as soon as it can.
    static func asking(for demand: Subscribers.Demand, keepsSubscription: Bool = true) -> Habits {
        Habits(onSubscription: { $0.request(demand) }, keepsSubscription: keepsSubscription)
    }

    static func cancelling(atValue number: Int) -> Habits {
        Habits(onValue: { value, subscription in
            if value == number { subscription.cancel() }
            return .none
        })
    }
}

/// A subscriber that logs, and does in its callbacks what a test wants it to.
final class ProbeSubscriber<Input, Failure: Error>: Subscriber {
    let log: Log
    private let habits: Habits
    private(set) var subscription: (any Subscription)?

    init(_ log: Log, _ habits: Habits = Habits()) {
        self.log = log
        self.habits = habits
    }

    func receive(subscription: any Subscription) {
        log.add(.subscription)
        if habits.keepsSubscription { self.subscription = subscription }
        habits.onSubscription(Asking(subscription: subscription, log: log))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        log.add(.value("\(input)"))
        let more = habits.onValue(log.received, Asking(subscription: subscription, log: log))
        log.asked += more
        return more
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        log.add(completion.isFinished ? .finished : .failed)
    }

    func request(_ demand: Subscribers.Demand) {
        log.asked += demand
        subscription?.request(demand)
    }
}

extension Publisher {
    /// Subscribes with a probe that asks for nothing by itself.
    func probed(_ habits: Habits = Habits()) -> ProbeSubscriber<Output, Failure> {
        let probe = ProbeSubscriber<Output, Failure>(Log(), habits)
        subscribe(probe)
        return probe
    }
}

/// The values that a sink has seen, and the end. Cancels when it is released.
final class Recording<Output, Failure: Error> {
    private(set) var values: [Output] = []
    private(set) var endings: [Subscribers.Completion<Failure>] = []
    private var cancellable: AnyCancellable?

    init(of publisher: some Publisher<Output, Failure>) {
        cancellable = publisher.sink { [weak self] in
            self?.endings.append($0)
        } receiveValue: { [weak self] in
            self?.values.append($0)
        }
    }

    func cancel() { cancellable?.cancel() }
}

/// Notes what is asked for by a habit.
struct Asking: Subscription {
    let subscription: (any Subscription)?
    let log: Log

    func request(_ demand: Subscribers.Demand) {
        log.asked += demand
        subscription?.request(demand)
    }

    func cancel() {
        subscription?.cancel()
    }
}

extension Subscribers.Completion {
    var isFinished: Bool {
        if case .finished = self { true } else { false }
    }
}

final class ProbeSubscription: Subscription {
    private(set) var demand = Subscribers.Demand.none
    private(set) var cancellations = 0
    var onCancel: () -> Void = {}

    func request(_ demand: Subscribers.Demand) {
        self.demand += demand
    }

    func cancel() {
        cancellations += 1
        onCancel()
    }
}

/// An upstream that does whatever it is told, allowed or not.
final class ProbeSource: Publisher {
    typealias Output = Int
    typealias Failure = Oops

    private(set) var subscription = ProbeSubscription()
    private var subscriber: AnySubscriber<Int, Oops>?
    private let startsByItself: Bool

    init(startsByItself: Bool = true) {
        self.startsByItself = startsByItself
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Oops {
        self.subscriber = AnySubscriber(subscriber)
        if startsByItself { start() }
    }

    func start() {
        subscription = ProbeSubscription()
        subscription.onCancel = { [weak self] in self?.forget() }
        subscriber?.receive(subscription: subscription)
    }

    /// Sends a further subscription, which a subscriber must not take.
    func startAgain() -> ProbeSubscription {
        let second = ProbeSubscription()
        subscriber?.receive(subscription: second)
        return second
    }

    func send(_ value: Int) {
        _ = subscriber?.receive(value)
    }

    func send(completion: Subscribers.Completion<Oops>) {
        subscriber?.receive(completion: completion)
    }

    /// The subscriber as it was, for a source that goes on sending after the end.
    var stubborn: AnySubscriber<Int, Oops>? { subscriber }

    func forget() {
        subscriber = nil
    }
}

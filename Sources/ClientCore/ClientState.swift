import EventStreams
import Fairness
import Rules
import TableModel
import Wire

/// Everything that a client knows, all of it from the server.
///
/// The members of ``session`` are members of the state too: `state.link`, `state.login`, `state.position`.
@dynamicMemberLookup
public struct ClientState: Equatable, Sendable {
    public typealias Link = LinkState

    /// Connection, player and position.
    public var session = SessionStatus()
    /// The table as of ``revision``.
    public var snapshot: TableSnapshot?
    /// All rules of the table, if those in its snapshot are not complete here.
    var allRules: TableRules?
    /// The shoes verified so far.
    public package(set) var shoes = ShoeTally()
    package var lobby: [TableSummary] = []
    /// Why the file of accounts can't be used; the session ends with it.
    package var accountFault: String?

    public init() {}

    public subscript<Member>(dynamicMember member: WritableKeyPath<SessionStatus, Member>) -> Member {
        get { session[keyPath: member] }
        set { session[keyPath: member] = newValue }
    }

    /// The name of the table followed.
    public var table: String? { session.position?.table }
    /// The revision of ``snapshot``.
    public var revision: Int { session.position?.revision ?? 0 }

    /// The seats of this player at the table shown, in order.
    public var seats: [Int] { session.login.flatMap { login in snapshot?.seats(of: login.name) } ?? [] }

    /// The first of ``seats``.
    public var seat: Int? { seats.first }

    /// The rules of the table shown.
    public var rules: HouseRules? { knownRules?.rules }

    /// Rules of the table shown that this client does not know.
    public var otherRules: [TableRules.Other] { knownRules?.others ?? [] }

    private var knownRules: TableRules? {
        guard let shown = snapshot?.tableRules else { return nil }
        return allRules?.digest == shown.digest ? allRules : shown
    }

    /// Whether the digest of the table's rules differs from that of the rules known here: a later server has rules or defaults that
    /// this client does not have.
    var lacksRules: Bool {
        guard let shown = snapshot?.tableRules, allRules?.digest != shown.digest else { return false }
        return SHA256.hash(shown.rules.canonicalText.utf8).hex != shown.digest
    }
}

/// The cause of a ``ClientUpdate``.
public enum ClientEvent: Equatable, Sendable {
    /// The link changed; see `ClientState.link`.
    case link
    case reply(RequestID?, Reply)
    case refused(Refusal)
    /// The table changed, or is shown for the first time.
    case table(TableChange)
    /// A diff did not follow on what is shown: what is missing has been asked for.
    case outOfSync
    /// The server became silent or was heard again; see `ClientState.silentSince`.
    case silence
    /// The server refused a request for now: the client sends it again after `retryAfter`.
    case postponed(Refusal)
    /// The table differs from the server's: a whole one has been asked for.
    case isWrong
    /// The list of tables changed.
    case lobby
    /// A change of the list of tables did not follow: the list has been asked for.
    case lobbyOutOfSync
    case chat(ChatLine)
    /// The host acted on a player at the table.
    case notice(HostNotice)
    case note(String)
    /// The player's last rounds, which were asked for.
    case history(HandHistory)
    /// The player's balance and its changes, which were asked for.
    case statement(BalanceStatement)
    /// The expected values of a table's rules, which were asked for.
    case chart(ValueChart)
    /// The server asked for a sign of life, and was answered.
    case pinged
    case goodbye(code: String, message: String)
    /// No table is followed: it closed, or the player is no longer wanted there.
    case leftTable
    /// Something about the shuffle was found out. The state is that of the event before.
    case shoe(ShoeFinding)
    /// A message without effect: of an unknown type, or contained in a reply that was asked for.
    case skipped
}

/// A state, and the event that led to it: what subscribers of a client get.
public struct ClientUpdate: Equatable, Sendable {
    public var state: ClientState
    public var event: ClientEvent

    public init(state: ClientState, event: ClientEvent) {
        self.state = state
        self.event = event
    }
}

/// Publishes the seconds left until a deadline: at once, then at each second, and finishes at zero.
///
/// Each subscriber has a countdown of its own; all reach zero at the same deadline.
package struct TurnCountdown<Context: Scheduler>: Publisher {
    package typealias Output = Int
    package typealias Failure = Never

    /// Milliseconds left at creation, 0…86,400,000: no server's decision takes longer than a day.
    package let milliseconds: Int64
    package let scheduler: Context
    private let start: Context.SchedulerTimeType
    private static var longest: Int64 { 86_400_000 }

    /// - Parameters:
    ///   - deadline: in milliseconds on the server's clock.
    ///   - now: the server's time now.
    package init(deadline: Int64, now: Int64, scheduler: Context) {
        let (left, overflow) = deadline.subtractingReportingOverflow(now)
        milliseconds = overflow ? (deadline < now ? 0 : Self.longest) : Swift.min(Swift.max(0, left), Self.longest)
        self.scheduler = scheduler
        start = scheduler.now
    }

    package func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let seconds = Int((milliseconds + 999) / 1000)
        guard seconds > 0 else { return Just(0).receive(subscriber: subscriber) }
        let left = PassthroughSubject<Int, Never>()
        var shown = seconds
        // The first tick is at a whole number of seconds before the deadline, so that zero is shown at the deadline itself.
        let timer = scheduler.schedule(after: time(of: seconds - 1), interval: .seconds(1)) {
            shown -= 1
            // A process that was stopped has missed ticks.
            while shown > 0, scheduler.now >= time(of: shown - 1) { shown -= 1 }
            left.send(shown)
            if shown == 0 { left.send(completion: .finished) }
        }
        left
            .merge(with: Just(seconds))
            .handleEvents(receiveCompletion: { _ in timer.cancel() }, receiveCancel: { timer.cancel() })
            .subscribe(subscriber)
    }

    /// When a number of seconds is left.
    private func time(of seconds: Int) -> Context.SchedulerTimeType {
        start.advanced(by: .milliseconds(Int(milliseconds) - seconds * 1000))
    }
}

extension Publisher where Output == Int64?, Failure == Never {
    /// Publishes the seconds left until the latest deadline received, and nil while there is none.
    ///
    /// Deadlines are in milliseconds on the clock that `now` reads. A timer runs only while one is ahead.
    public func secondsLeft<S: Scheduler>(on scheduler: S, now: @escaping () -> Int64) -> some Publisher<Int?, Never> {
        removeDuplicates()
            .map { deadline -> AnyPublisher<Int?, Never> in
                guard let deadline else { return Just(nil).eraseToAnyPublisher() }
                return TurnCountdown(deadline: deadline, now: now(), scheduler: scheduler).map { $0 }.eraseToAnyPublisher()
            }
            .switchToLatest()
    }
}

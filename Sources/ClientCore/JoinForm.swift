import EventStreams
import Wire

/// The form by which a player joins: a name, checked while it is typed. It knows no screen and no network; both are attached to it.
///
/// The server is asked whether the name is free once the typing pauses, once for each name, and an answer to an older name is not waited
/// for any more. Confined to its scheduler.
public final class JoinForm {
    public enum NameState: Equatable, Sendable {
        case empty
        /// No name at all, for this reason.
        case invalid(String)
        case asking
        case free
        case taken
    }

    /// What is typed.
    @Published public var name = ""
    /// Whether the server can be asked.
    @Published public var isConnected = false
    /// What is known of the name as it stands now.
    @Published public private(set) var nameState = NameState.empty
    /// How often the server's answer was found to be out of date.
    @Published private var renewals = 0

    /// Whether the form may be sent.
    public var canJoin: Bool { nameState == .free }

    /// What was found out, and about which name: it says nothing about another one.
    private struct Finding {
        let name: String
        let state: NameState
    }

    /// - Parameters:
    ///   - pause: how long the typing rests before the server is asked.
    ///   - isFree: asks the server.
    public init<S: Scheduler>(
        on scheduler: S, pause: S.SchedulerTimeType.Stride, isFree: @escaping (String) -> Future<Bool, Never>
    ) {
        $name.removeDuplicates()
            .combineLatest($isConnected.removeDuplicates(), $renewals)
            .debounce(for: pause, scheduler: scheduler)
            .map { name, isConnected, _ in
                Self.states(of: name, isConnected, isFree).map { Finding(name: name, state: $0) }.receive(on: scheduler)
            }
            .switchToLatest()
            .combineLatest($name)
            .map { finding, name in finding.name == name ? finding.state : .asking }
            .removeDuplicates()
            .assign(to: &$nameState)
    }

    /// Asks about the same name once more: what was said of it is not true any longer.
    public func askAgain() { renewals += 1 }

    private static func states(
        of name: String, _ isConnected: Bool, _ isFree: (String) -> Future<Bool, Never>
    ) -> AnyPublisher<NameState, Never> {
        if let verdict = verdict(on: name) { return Just(verdict).eraseToAnyPublisher() }
        guard isConnected else { return Just(.asking).eraseToAnyPublisher() }
        return Just(.asking).merge(with: isFree(name).map { $0 ? NameState.free : .taken }).eraseToAnyPublisher()
    }

    /// What can be said of a name without asking anybody; nil when it has to be asked about.
    private static func verdict(on name: String) -> NameState? {
        guard !name.isEmpty else { return .empty }
        do throws(ProtocolError) {
            _ = try PlayerName(name)
            return nil
        } catch {
            return .invalid(error.message)
        }
    }
}

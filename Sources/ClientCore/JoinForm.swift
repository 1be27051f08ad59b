import EventStreams
import Wire

/// A name, checked while it is typed: the server is asked once the typing pauses, once for each name, and an answer to an older name is
/// dropped. No screen, no network of its own; confined to its scheduler.
public final class JoinForm {
    public enum NameState: Equatable, Sendable {
        case empty
        /// Not a valid name, for this reason.
        case invalid(String)
        case asking
        case free
        /// The player's own: its secret is kept here.
        case own
        case taken

        /// Whether the name may be logged in with.
        public var canJoin: Bool {
            switch self {
            case .free, .own: true
            case .empty, .invalid, .asking, .taken: false
            }
        }
    }

    /// A server's answer about a name: free, own or taken.
    public typealias Standing = NameState

    /// The name as typed.
    @Published public var name = ""
    /// Whether the server can be asked.
    @Published public var isConnected = false
    /// The state of ``name``.
    @Published public private(set) var nameState = NameState.empty
    /// Counts calls of ``askAgain()``.
    @Published private var renewals = 0

    /// Whether the form may be sent.
    public var canJoin: Bool { nameState.canJoin }

    /// The state of a name, which may no longer be the one typed.
    private struct Finding {
        let name: String
        let state: NameState
    }

    /// - Parameters:
    ///   - pause: idle time after which the server is asked.
    ///   - standing: asks the server; `taken` also where it gives no answer.
    public init<S: Scheduler>(
        on scheduler: S, pause: S.SchedulerTimeType.Stride, standing: @escaping (String) -> Future<Standing, Never>
    ) {
        $name.removeDuplicates()
            .combineLatest($isConnected.removeDuplicates(), $renewals)
            .debounce(for: pause, scheduler: scheduler)
            .map { name, isConnected, _ in
                Self.states(of: name, isConnected, standing).map { Finding(name: name, state: $0) }.receive(on: scheduler)
            }
            .switchToLatest()
            .combineLatest($name)
            .map { finding, name in finding.name == name ? finding.state : .asking }
            .removeDuplicates()
            .assign(to: &$nameState)
    }

    /// Asks about the same name again, after an answer proved to be out of date.
    public func askAgain() { renewals += 1 }

    private static func states(
        of name: String, _ isConnected: Bool, _ standing: (String) -> Future<Standing, Never>
    ) -> AnyPublisher<NameState, Never> {
        if let verdict = verdict(on: name) { return Just(verdict).eraseToAnyPublisher() }
        guard isConnected else { return Just(.asking).eraseToAnyPublisher() }
        return Just(.asking).merge(with: standing(name)).eraseToAnyPublisher()
    }

    /// The state of a name that needs no question; nil if the server has to be asked.
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

import ClientCore
import ClientSession
import Wire

/// Everything that the join screen depends on: what is typed, what is known of it, and the connection. A value; each change is a pure function.
public struct JoinView: Equatable, Sendable {
    public enum Step: Equatable, Sendable {
        case typing
        /// Enter was pressed before the answer came: joins when the name turns out to be free.
        case wanting
        /// The server has been asked for the login.
        case joining
    }

    /// What a key asks of others.
    public enum Intent: Equatable, Sendable { case quit, redraw }

    /// Where the server is.
    public let server: SafeText
    public private(set) var name: String
    public private(set) var link = ClientState.Link.connecting(attempt: 1)
    public private(set) var step = Step.typing
    /// Why the server refused the name that stands here.
    public private(set) var refusal: SafeText?
    private var finding = JoinForm.NameState.empty

    /// - Parameter name: what stands there before anything is typed.
    public init(server: SafeText, name: String = "") {
        self.server = server
        self.name = name
    }

    /// What is known of the name.
    public var nameState: JoinForm.NameState {
        // The form finds out a moment after the typing.
        name.isEmpty ? .empty : finding == .empty ? .asking : finding
    }

    /// Whether Enter would do anything.
    public var canWant: Bool { step == .typing && (nameState == .free || nameState == .asking) }

    public var hints: [KeyMap.Hint] {
        (canWant ? [KeyMap.Hint(key: "Enter", meaning: "join")] : []) + [KeyMap.Hint(key: "Esc", meaning: "quit")]
    }
}

extension JoinView {
    /// Longer ones can't be typed; names that are only a little too long can, so that the reason is seen.
    private static let longest = 2 * PlayerName.maximumBytes

    /// After a key.
    /// - Returns: what is to be done besides.
    public mutating func press(_ key: Key) -> Intent? {
        switch key {
        case .escape, .control("c"), .control("d"): return .quit
        case .control("l"): return .redraw
        case .enter: if canWant { step = .wanting }
        case .backspace, .delete: edit { if !$0.isEmpty { $0.removeLast() } }
        case .control("u"): edit { $0 = "" }
        case .character(let scalar): edit { if $0.utf8.count < Self.longest { $0.unicodeScalars.append(scalar) } }
        default: break
        }
        return nil
    }

    private mutating func edit(_ change: (inout String) -> Void) {
        // The name that is asked for stays on the screen until the answer.
        guard step != .joining else { return }
        change(&name)
        (step, refusal) = (.typing, nil)
    }

    /// After the form has found something out about the name.
    public mutating func found(_ state: JoinForm.NameState) {
        finding = state
        switch nameState {
        case .empty, .invalid, .taken: if step == .wanting { step = .typing }
        case .asking, .free: break
        }
    }

    /// After an update of the client.
    public mutating func take(_ update: ClientUpdate) {
        link = update.state.link
        guard case .refused(let refusal) = update.event, refusal.type == "login" else { return }
        // What was found out about the name before was not true any longer.
        (step, finding) = (.typing, .asking)
        self.refusal = "The server has refused the login. \(LinkNarrator.refusal(refusal))"
    }

    /// The name to log in with now, once: when joining is wanted, the name is free, and there is a connection.
    public mutating func startJoining() -> String? {
        guard step == .wanting, nameState == .free, link == .connected else { return nil }
        step = .joining
        return name
    }
}

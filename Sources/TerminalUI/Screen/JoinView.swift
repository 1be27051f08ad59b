import ClientCore
import ClientSession
import Wire

/// View state of the join screen: text, its status, the connection. A value; each change is a pure function.
struct JoinView: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case typing
        /// Enter was pressed before the answer: joins if the name turns out to be free.
        case wanting
        /// The login request has been sent.
        case joining
    }

    /// An effect of a key outside the view state.
    enum Intent: Equatable, Sendable { case quit, redraw }

    /// The server's address.
    let server: SafeText
    private(set) var name: String
    /// The code of the host for a new account, as typed; nil until the server asks for one.
    private(set) var code: String?
    /// Whether typing goes to the code, not to the name.
    private(set) var isTypingCode = false
    private(set) var link = ClientState.Link.connecting(attempt: 1)
    private(set) var step = Step.typing
    /// Reason for the server's refusal of the current name.
    private(set) var refusal: SafeText?
    private var finding = JoinForm.NameState.empty
    /// Whether the name is a suggestion: the first character typed replaces it.
    private(set) var isSuggestion: Bool

    /// - Parameters:
    ///   - name: the initial text.
    ///   - isSuggestion: whether typing replaces it.
    init(server: SafeText, name: String = "", isSuggestion: Bool = false) {
        self.server = server
        self.name = name
        self.isSuggestion = isSuggestion
    }

    /// Status of the name.
    var nameState: JoinForm.NameState {
        // The form's answer lags behind the typing.
        name.isEmpty ? .empty : finding == .empty ? .asking : finding
    }

    /// True when Enter has an effect.
    var canWant: Bool { step == .typing && code != "" && (nameState == .free || nameState == .asking) }

    var hints: [KeyMap.Hint] {
        (canWant ? [KeyMap.Hint(key: "Enter", meaning: "join")] : [])
            + (code == nil ? [] : [KeyMap.Hint(key: "Tab", meaning: isTypingCode ? "name" : "code")]) + [
                KeyMap.Hint(key: "Esc", meaning: "quit")
            ]
    }
}

extension JoinView {
    /// Bytes. Twice the limit: a name slightly too long can be typed, so that its reason is shown.
    private static let longest = 2 * PlayerName.maximumBytes

    /// Applies a key.
    /// - Returns: an effect for the caller, or nil.
    mutating func press(_ key: Key) -> Intent? {
        switch key {
        case .escape, .control("c"), .control("d"): return .quit
        case .control("l"): return .redraw
        case .enter: if canWant { step = .wanting }
        case .tab: if code != nil { isTypingCode.toggle() }
        case .backspace, .delete: edit { if !$0.isEmpty { $0.removeLast() } }
        case .control("u"): edit { $0 = "" }
        case .character(let scalar):
            if isSuggestion, !isTypingCode, step != .joining { name = "" }
            let longest = isTypingCode ? WireLimits.inviteBytes : Self.longest
            edit { if $0.utf8.count < longest { $0.unicodeScalars.append(scalar) } }
        default: break
        }
        return nil
    }

    private mutating func edit(_ change: (inout String) -> Void) {
        // The name of a pending login stays on the screen.
        guard step != .joining else { return }
        if isTypingCode, var text = code {
            change(&text)
            code = text
        } else {
            isSuggestion = false
            change(&name)
        }
        (step, refusal) = (.typing, nil)
    }

    /// Applies the form's answer about the name.
    mutating func found(_ state: JoinForm.NameState) {
        finding = state
        switch nameState {
        case .empty, .invalid, .taken: if step == .wanting { step = .typing }
        case .asking, .free: break
        }
    }

    /// Applies an update of the client.
    mutating func take(_ update: ClientUpdate) {
        link = update.state.link
        guard case .refused(let refusal) = update.event, refusal.type == "login" else { return }
        // The answer about the name was out of date.
        (step, finding) = (.typing, .asking)
        if refusal.code == ErrorCode.inviteNeeded.rawValue {
            self.refusal = code == nil ? "This house is closed: type a code of the host." : "This is no unused code of the host."
            (code, isTypingCode) = (code ?? "", true)
            return
        }
        self.refusal = "The server refused the login. \(LinkNarrator.refusal(refusal))"
    }

    /// The name to log in with; returned once, when Enter was pressed, the name is free and the connection is up.
    mutating func startJoining() -> String? {
        guard step == .wanting, nameState == .free, link == .connected else { return nil }
        step = .joining
        return name
    }
}

import ClientCore
import TableModel
import Wire

/// View state of the join screen: text, its status, the connection. A value; each change is a pure function. The server is asked about the name
/// once the typing pauses, and an answer about an older name is dropped.
struct JoinView: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case typing
        /// Enter was pressed before the answer: joins if the name turns out to be free.
        case wanting
        /// The login request has been sent.
        case joining
    }

    enum NameState: Equatable, Sendable {
        case empty
        /// Not a valid name, for this reason.
        case invalid(String)
        case asking
        case known(NameAvailability)

        /// Whether the name may be logged in with.
        var canJoin: Bool { self == .known(.free) || self == .known(.own) }
    }

    /// Milliseconds between the last key and the question to the server.
    private static let pause: Int64 = 250

    /// The server's address.
    let server: SafeText
    private var text: TextField
    var name: String { text.text }
    private(set) var link = LinkState.connecting(attempt: 1)
    private(set) var step = Step.typing
    /// Why the current name is not joined with.
    private(set) var refusal: SafeText?
    private(set) var nameState: NameState
    /// When the name is checked; nil while there is nothing new.
    private(set) var checkAt: Int64?
    /// Whether the name is a suggestion: the first character typed replaces it.
    private(set) var isSuggestion: Bool

    /// - Parameters:
    ///   - name: the initial text.
    ///   - isSuggestion: whether typing replaces it.
    init(server: SafeText, name: String = "", isSuggestion: Bool = false) {
        self.server = server
        text = TextField(text: name, limit: Self.longest)
        nameState = name.isEmpty ? .empty : .asking
        self.isSuggestion = isSuggestion
    }

    /// True when Enter has an effect.
    var canWant: Bool { step == .typing && (nameState.canJoin || nameState == .asking) }

    /// The player's account at another address of this house; nil for none.
    var elsewhere: (house: String, server: String)? {
        if case .known(.elsewhere(let house, let server)) = nameState { (house, server) } else { nil }
    }
}

extension JoinView {
    /// Bytes. Twice the limit: a name slightly too long can be typed, so that its reason is shown.
    private static let longest = 2 * PlayerName.maximumBytes

    /// Joins as soon as the name is known to be free.
    mutating func want() {
        if canWant { step = .wanting } else if nameState == .empty { refusal = "Type a name first." }
    }

    mutating func edit(_ key: Key, at now: Int64) {
        // The name of a pending login stays on the screen.
        guard step != .joining else { return }
        // The answer to the question below the name. Enter has no effect.
        if key == .control("y"), elsewhere != nil { step = .wanting }
        var edited = text
        if isSuggestion {
            switch key {
            case .character, .paste: edited = TextField(limit: text.limit)
            default: break
            }
        }
        guard edited.press(key) == .edited else { return }
        (text, isSuggestion, step, refusal) = (edited, false, .typing, nil)
        (nameState, checkAt) = (name.isEmpty ? .empty : .asking, now + Self.pause)
    }

    /// Checks the name, once it is time.
    /// - Returns: the name to ask the server about; nil for none.
    mutating func check(at now: Int64) -> String? {
        guard let time = checkAt, time <= now else { return nil }
        (checkAt, nameState) = (nil, name.isEmpty ? .empty : .asking)
        do throws(ProtocolError) {
            if !name.isEmpty { _ = try PlayerName(name) }
        } catch {
            (nameState, step) = (.invalid(error.message), .typing)
        }
        return nameState == .asking && link == .connected ? name : nil
    }

    /// Applies the server's answer about a name, which may no longer be the one typed.
    mutating func found(_ availability: NameAvailability, of name: String) {
        guard name == self.name, nameState == .asking, checkAt == nil else { return }
        nameState = .known(availability)
        if step == .wanting, !nameState.canJoin { step = .typing }
    }

    /// Applies an update of the client.
    mutating func take(_ update: ClientUpdate, at now: Int64) {
        if (link == .connected) != (update.state.link == .connected) { checkAt = now + Self.pause }
        link = update.state.link
        guard case .refused(let refusal) = update.event, refusal.type == "login" else { return }
        // The answer about the name was out of date.
        (step, nameState, checkAt) = (.typing, .asking, now + Self.pause)
        self.refusal = "The server refused the login. \(LinkNarrator.refusal(refusal))"
    }

    /// Logs in; returned once, when that is wanted, the name is free or may be used here, and the connection is up.
    mutating func startJoining() -> PlayerSession.Effect? {
        guard step == .wanting, nameState.canJoin || elsewhere != nil, link == .connected else { return nil }
        step = .joining
        if let (house, server) = elsewhere { return .adopt(name, house: house, server: server) }
        return .logIn(name)
    }
}

/// Draws the join form: a pure function of its view state.
struct JoinScreen {
    private static let label: SafeText = "  Name  "

    let view: JoinView
    let player: PlayerSession
    let size: ScreenSize

    var frame: Frame {
        // On a small terminal the field and its status come first.
        guard size.rows >= 10 else { return Frame(size: size, lines: field) }
        let footer = StyledText.lines(of: KeyMap(player).hints, columns: size.columns) + [status]
        let height = size.rows - 1 - footer.count
        var body = [StyledText(), StyledText(" Who plays?", .bold), StyledText()] + field + [StyledText()] + refusal
        while body.count < height { body.append(StyledText()) }
        return Frame(size: size, lines: [header] + body.prefix(height) + footer)
    }

    private var header: StyledText {
        let right = StyledText(view.server + " ", .inverse)
        return StyledText(" Blackjack", [.bold, .inverse]).fitted(to: size.columns - right.columns, filler: .inverse) + right
    }

    /// The name field and its status.
    private var field: [StyledText] {
        var line = StyledText(Self.label)
        line.append(.tail(of: view.name, columns: max(8, size.columns - Self.label.columns - 2)), .bold)
        if view.step != .joining { line.append(" ", .inverse) }
        return [line] + verdict
    }

    private var verdict: [StyledText] {
        let (words, style): (SafeText, Style) =
            switch (view.step, view.nameState) {
            case (.joining, _): ("joining ...", .dim)
            case (_, .empty): ("letters, digits, single spaces and . _ - '", .dim)
            case (_, .invalid(let reason)), (_, .known(.refused(let reason))): ("\(reason)", .yellow)
            case (.wanting, .asking): ("checking the name, then joining ...", .dim)
            case (_, .asking): ("checking the name ...", .dim)
            case (_, .known(.free)): ("free", .green)
            case (_, .known(.own)): ("yours: you have played here before", .green)
            case (_, .known(.elsewhere(_, let server))):
                (Wording.asksToAdopt(view.name, of: server, at: view.server), .yellow)
            case (_, .known(.taken)):
                ("taken; if it is yours, copy the account from your other device with 'bjclient accounts import'", .yellow)
            }
        return indented(words, by: Self.label.columns, style)
    }

    private var refusal: [StyledText] { view.refusal.map { indented($0, by: 2, .yellow) } ?? [] }

    private func indented(_ text: SafeText, by margin: Int, _ style: Style) -> [StyledText] {
        text.wrapped(to: max(1, size.columns - margin - 1)).map { StyledText(.spaces(margin)) + StyledText($0, style) }
    }

    private var status: StyledText {
        let isIdle = player.state.link == .connected && player.silentSeconds == nil
        let words = isIdle ? "connected" : player.outage ?? "connected"
        return StyledText(" \(words)", .inverse).fitted(to: size.columns, filler: .inverse)
    }
}

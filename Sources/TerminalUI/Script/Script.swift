import ClientCore
import Rules
import TableModel

/// A file of commands and expectations, one a line. A value.
///
///     # Waits for the bets, bets, and stands on whatever comes.
///     expect phase betting within 60s
///     bet 10
///     expect turn
///     stand
///     expect /You (win|lose|push)/
public struct Script: Equatable, Sendable {
    /// The condition of an expectation.
    enum Pattern: Equatable, Sendable {
        /// The phase of the round.
        case phase(String)
        /// A question to the player.
        case turn
        /// A seat.
        case seat
        /// A sentence of a kind: `dealer`, `result`, `chat`, …
        case event(String)
        /// A sentence with this text.
        case text(String)
        /// A sentence that matches a regular expression.
        case expression(Expression)
    }

    enum Step: Equatable, Sendable {
        case expect(Pattern, seconds: Int64?)
        case within(seconds: Int64)
        case command(PlainCommand)
    }

    /// An error in a line.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        public let line: Int
        public let reason: String
        public var description: String { "line \(line): \(reason)" }
    }

    struct Line: Equatable, Sendable {
        let number: Int
        /// As it is written, for messages.
        let text: String
        let step: Step
    }

    /// Bytes of a file.
    public static let limit = 1 << 20
    /// Seconds that an expectation or a command waits, if the script does not say.
    static let standardSeconds: Int64 = 30

    let lines: [Line]

    /// Parses a file.
    public init(_ text: String) throws(Failure) {
        var lines: [Line] = []
        // Of CRLF, one character in Swift, both belong to the line's end.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.trimmed
            guard !words.isEmpty, !words.hasPrefix("#") else { continue }
            do throws(PlainCommand.Misunderstanding) {
                if let step = try Self.step(words) { lines.append(Line(number: index + 1, text: words, step: step)) }
            } catch {
                throw Failure(line: index + 1, reason: error.text.text)
            }
        }
        self.lines = lines
    }

    private static func step(_ words: String) throws(PlainCommand.Misunderstanding) -> Step? {
        if let rest = words.rest(after: "within") { return .within(seconds: try seconds(rest)) }
        guard let rest = words.rest(after: "expect") else {
            return try PlainCommand(line: words).map { .command($0) }
        }
        let (pattern, time) = parts(of: rest)
        return .expect(try self.pattern(pattern), seconds: try time.map(seconds))
    }

    /// A pattern, and the time behind it. Within quotes and slashes `within` is a word like any other.
    private static func parts(of words: String) -> (pattern: String, time: String?) {
        guard let sign = words.first, sign == "\"" || sign == "/" else {
            guard let match = words.firstMatch(of: /\s+within\s+(\S+)$/) else { return (words, nil) }
            return (String(words[..<match.range.lowerBound]), String(match.1))
        }
        guard let end = words.lastIndex(of: sign),
            let match = words[words.index(after: end)...].wholeMatch(of: /\s+within\s+(\S+)/)
        else { return (words, nil) }
        return (String(words[...end]), String(match.1))
    }

    private static func seconds(_ text: String) throws(PlainCommand.Misunderstanding) -> Int64 {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let seconds = Int64(digits), (1...86_400).contains(seconds) else {
            throw .init(text: "'\(SafeText(text, columns: 20))' is no time: 1s to 86400s, for example 'within 30s'.")
        }
        return seconds
    }

    private static func pattern(_ words: String) throws(PlainCommand.Misunderstanding) -> Pattern {
        if words == "turn" { return .turn }
        if words == "seat" { return .seat }
        if let phase = words.rest(after: "phase") {
            guard RoundPhase.names.contains(phase) else {
                let names = SafeText(RoundPhase.names.joined(separator: ", "))
                throw .init(text: "There is no phase '\(SafeText(phase, columns: 20))': \(names).")
            }
            return .phase(phase)
        }
        if let kind = words.rest(after: "event") {
            guard Sentence.Kind.names.contains(kind) else {
                throw .init(
                    text:
                        "There is no event '\(SafeText(kind, columns: 20))': \(SafeText(Sentence.Kind.names.joined(separator: ", ")))."
                )
            }
            return .event(kind)
        }
        if words.count > 2, words.hasPrefix("\""), words.hasSuffix("\"") { return .text(String(words.dropFirst().dropLast())) }
        if words.count > 2, words.hasPrefix("/"), words.hasSuffix("/") {
            let source = String(words.dropFirst().dropLast())
            do throws(Expression.Fault) {
                return .expression(try Expression(source))
            } catch {
                throw .init(text: "The expression '\(SafeText(source, columns: 60))' \(error.description).")
            }
        }
        throw .init(text: "expect: phase NAME, turn, seat, event KIND, \"text\" or /expression/; 'within 30s' may follow.")
    }

    // MARK: Names

    /// A word of scripts and of lines for programs.
    public typealias Name = (term: String, meaning: String)

    /// Kinds of sentences: `expect event KIND`, and the member `event` of a line of JSON.
    public static var events: [Name] { Sentence.Kind.allCases.map { ("\($0)", $0.meaning) } }

    /// Phases of a round: `expect phase NAME`, and the member `phase` of a line of JSON.
    public static var phases: [Name] { RoundPhase.allCases.map { ($0.rawValue, $0.meaning) } }
}

extension StringProtocol {
    /// Without white space at both ends. Foundation's function makes a static program 44 MB larger.
    fileprivate var trimmed: String {
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}

extension String {
    /// The rest after a word and spaces; nil if it does not begin with the word.
    fileprivate func rest(after word: String) -> String? {
        guard hasPrefix(word + " ") || hasPrefix(word + "\t") else { return self == word ? "" : nil }
        return dropFirst(word.count).trimmed
    }
}

extension RoundPhase {
    fileprivate static let names = allCases.map(\.rawValue)
}

extension Sentence.Kind {
    static let names = allCases.map { "\($0)" }
}

extension Sentence.Kind {
    /// The subject of its sentences.
    fileprivate var meaning: String {
        switch self {
        case .card: "A card is dealt, or a hand is shown."
        case .bet: "A bet is made, changed or taken back."
        case .play: "A player decides, or the server does after a time-out."
        case .dealer: "The dealer's cards and total."
        case .result: "A hand ends, and what the round brings you."
        case .seat: "A player sits down, leaves, is away or comes back; new chips."
        case .table: "Rounds, shoes and the rules of the table."
        case .closing: "The table or the server closes."
        case .host: "The host speaks."
        case .turn: "It is another player's turn."
        case .prompt: "A question to you: your bet, or your turn."
        case .link: "The connection: your name, lost, back, silent."
        case .attempt: "An attempt to reconnect has failed."
        case .refusal: "A command or a request is refused."
        case .chat: "A player says something."
        case .ownChat: "The server has passed on what you said."
        case .answer: "The answer to a command."
        case .record: "A line of your history or statement."
        case .shuffle: "A shoe is verified."
        case .alarm: "A shoe is not honest."
        }
    }
}

extension RoundPhase {
    fileprivate var meaning: String {
        switch self {
        case .waiting: "No bet is made; the first one starts the clock."
        case .betting: "Bets are open, and the clock runs."
        case .surrender: "Surrender is offered before the dealer looks."
        case .insurance: "Insurance is offered: the dealer shows an ace."
        case .playing: "Hands are played."
        case .settled: "The results are shown."
        case .closed: "The table is closed."
        }
    }
}

/// A script on its way: sentences, states and times in, commands out. A value.
struct ScriptRun: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        /// Nothing to do before something happens, or before this time in milliseconds.
        case wait(until: Int64)
        /// Carry this out, then call ``commandDone()``.
        case run(PlainCommand)
        /// It is over. The reason names the line.
        case fail(status: Int32, SafeText)
        case done
    }

    /// Exit status for an expectation that is not met in time.
    static let unmet: Int32 = 75
    /// Exit status for a refused command.
    static let refused: Int32 = 65
    /// Sentences kept for expectations to come.
    private static let limit = 1000

    private let lines: [Script.Line]
    private var index = 0
    /// Sentences since the last expectation of one was met.
    private var heard: [Sentence] = []
    /// Of those, the ones that the current line was compared with.
    private var compared = 0
    private var seconds = Script.standardSeconds
    /// Time at which the current line began to wait.
    private var since: Int64?
    private var isRunning = false

    init(_ script: Script) { lines = script.lines }

    mutating func hear(_ sentence: Sentence) {
        heard.append(sentence)
        guard heard.count > Self.limit else { return }
        compared = max(0, compared - (heard.count - Self.limit))
        heard.removeFirst(heard.count - Self.limit)
    }

    /// The command of the current line was answered, or needs no answer.
    mutating func commandDone() {
        guard isRunning else { return }
        isRunning = false
        advance()
    }

    /// The command of the current line was refused.
    func refusal(_ reason: SafeText) -> Verdict { .fail(status: Self.refused, blame(reason)) }

    /// - Parameter now: in milliseconds on any clock.
    mutating func next(in state: ClientState, at now: Int64) -> Verdict {
        while index < lines.count {
            let start = since ?? now
            since = start
            switch lines[index].step {
            case .within(let seconds):
                self.seconds = seconds
                advance()
            case .command(let command):
                let deadline = start + seconds * 1000
                if isRunning {
                    return now < deadline
                        ? .wait(until: deadline) : .fail(status: Self.refused, blame("not possible within \(seconds) s"))
                }
                isRunning = true
                return .run(command)
            case .expect(let pattern, let own):
                guard meets(pattern, state) else {
                    let seconds = own ?? seconds
                    guard now >= start + seconds * 1000 else { return .wait(until: start + seconds * 1000) }
                    return .fail(status: Self.unmet, blame("not met within \(seconds) s; \(Self.words(state))"))
                }
                advance()
            }
        }
        return .done
    }

    private mutating func advance() {
        index += 1
        (since, compared) = (nil, 0)
    }

    /// `line 4 (bet 10): reason`.
    private func blame(_ reason: SafeText) -> SafeText {
        guard index < lines.count else { return reason }
        return "line \(lines[index].number) (\(SafeText(lines[index].text, columns: 80))): \(reason)"
    }

    /// The state at a failure.
    private static func words(_ state: ClientState) -> SafeText {
        guard let snapshot = state.snapshot else { return "there is no table" }
        return "the phase is \(SafeText(snapshot.phase?.rawValue ?? "unknown"))"
    }

    /// Whether an expectation is met. One of a sentence is met once by each sentence, and leaves the later ones.
    private mutating func meets(_ pattern: Script.Pattern, _ state: ClientState) -> Bool {
        let isMet: (Sentence) -> Bool
        switch pattern {
        case .phase(let name): return state.snapshot?.phase?.rawValue == name
        case .turn: return state.seats.contains { state.snapshot?.choice($0) != nil }
        case .seat: return state.seat != nil
        case .event(let kind): isMet = { "\($0.kind)" == kind }
        case .text(let text): isMet = { $0.text.text.firstRange(of: text) != nil }
        case .expression(let expression): isMet = { expression.matches($0.text.text) }
        }
        guard let position = heard[compared...].firstIndex(where: isMet) else {
            compared = heard.count
            return false
        }
        heard.removeSubrange(...position)
        return true
    }
}

/// The verdict on the next command of a script, which is input that is no terminal. Pure.
enum ScriptStep: Equatable, Sendable {
    /// Carry it out; the server refuses what is not legal.
    case now
    /// Not legal so far, and may become so.
    case wait
    /// The round made it needless.
    case skip(SafeText)

    /// The player's part in a script so far.
    struct Progress: Equatable, Sendable {
        /// True at the end of the input, where the table is shown once before leaving.
        var hasInputEnded = false
        /// Questions without an answer.
        var questions = 0
        /// True until the effect of the last request shows.
        var isAnswerDue = false
        /// True after the player's last hand has ended, until the next bet.
        var hasHandEnded = false
        /// True while the player is at no table, and the list of tables was shown.
        var isInLobby = false
        /// True during a change of tables.
        var isMoving = false
    }

    init(_ command: PlainCommand, in state: ClientState, _ progress: Progress) {
        self =
            switch command {
            case .help, .settings: .now
            case .leave: Self.canLeave(state, progress) ? .now : .wait
            case _ where progress.isMoving: .wait
            // Answered by the list, or with the reason why it needs a table.
            case _ where progress.isInLobby: .now
            case .go: !state.canAsk || progress.isAnswerDue ? .wait : .now
            case .table, .status, .rules, .mute, .coach, .rebet, .tables, .find, .say, .history, .statement, .owner:
                state.canAsk ? .now : .wait
            case .bet, .betMost, .betAgain, .act, .sit, .sitOut, .sitIn:
                !state.canAsk || progress.isAnswerDue ? .wait : Self.play(command, in: state, progress)
            }
    }

    private static func canLeave(_ state: ClientState, _ progress: Progress) -> Bool {
        guard state.link == .loggedIn, state.silentSince == nil, !progress.isMoving,
            state.snapshot != nil || progress.isInLobby || !progress.hasInputEnded
        else { return false }
        return progress.questions == 0 && !progress.isAnswerDue && !state.hasStake
    }

    private static func play(_ command: PlainCommand, in state: ClientState, _ progress: Progress) -> ScriptStep {
        switch command {
        case .bet, .betMost, .betAgain:
            guard let phase = state.snapshot?.round?.phase, state.seat != nil, phase != .closed else { return .now }
            return phase.takesBets ? .now : .wait
        case .act(let action, _): return act(action, in: state, progress)
        default: return .now
        }
    }

    private static func act(_ action: Action, in state: ClientState, _ progress: Progress) -> ScriptStep {
        let phase = state.snapshot?.round?.phase ?? .waiting
        let choices = state.seats.compactMap { state.snapshot?.choice($0) }
        if choices.contains(where: { $0.options.contains { $0.action == action } }) { return .now }
        // A question to all runs out of time as a no, and the hand is played then.
        if !choices.isEmpty, phase != .playing, !action.answersAQuestion { return .wait }
        if action == .decline, phase == .playing { return .skip("'no' is not needed: there is no question.") }
        if !choices.isEmpty { return .now }
        if state.hasStake { return .wait }
        return progress.hasHandEnded ? .skip("'\(action.name)' is not needed: the hand is over.") : .now
    }
}

extension Action {
    /// True for an answer to insurance or surrender, which are offered before the play.
    fileprivate var answersAQuestion: Bool {
        switch self {
        case .insurance, .decline, .evenMoney, .surrender: true
        case .hit, .stand, .double, .split: false
        }
    }
}

extension ClientState {
    /// True when a table is shown and the server answers.
    var canAsk: Bool { session.link == .loggedIn && snapshot != nil && session.silentSince == nil }

    /// True while a hand of the player is in play; a bet for the next round is not.
    var isInPlay: Bool { !handsInPlay.isEmpty }

    /// The player's hands without a result, in a round that has begun.
    var handsInPlay: [HandIdentifier] {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.filter { snapshot.result($0) == nil }
    }

    /// True when the player has chips in a bet or a hand.
    var hasStake: Bool { !stakes.isEmpty }

    /// The player's bets on hands without a result, and on those that are not dealt.
    var stakes: [Int] {
        guard let snapshot else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.compactMap { snapshot.result($0) == nil ? snapshot.bet($0) : nil }
    }

    /// The player's bets for the round that has not begun.
    var openBets: [Int] { snapshot?.round?.phase.takesBets == true ? stakes : [] }
}

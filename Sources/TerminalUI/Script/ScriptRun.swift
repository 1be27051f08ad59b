import ClientCore

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

/// Marks around a frame for terminals that show it in one piece (synchronized output, private mode 2026): only where the terminal has said so.
/// A value.
struct FrameMarks: Equatable, Sendable {
    /// The private mode.
    static let mode = 2026
    /// Asks whether the terminal knows the mode (DECRQM). A terminal that does not know the question answers nothing.
    static let question = "\u{1B}[?\(mode)$p"
    /// Milliseconds until an answer comes too late: the terminal may be another one by then.
    static let patience: Int64 = 2000

    private var askedAt: Int64?
    private(set) var areOn = false

    /// The question is on its way. Until its answer frames have no marks.
    mutating func ask(at now: Int64) { (askedAt, areOn) = (now, false) }

    /// The terminal reports a private mode (DECRPM). One answer is heard for each question.
    /// - Parameter state: 0 for an unknown mode, 1 set, 2 not set, 3 always set, 4 never.
    mutating func take(mode: Int, state: Int, at now: Int64) {
        guard mode == Self.mode, let asked = askedAt else { return }
        askedAt = nil
        areOn = now - asked <= Self.patience && (state == 1 || state == 2)
    }

    /// A drawing as it is sent; nothing for nothing.
    func around(_ drawing: String) -> String {
        areOn && !drawing.isEmpty ? "\u{1B}[?\(Self.mode)h" + drawing + "\u{1B}[?\(Self.mode)l" : drawing
    }
}

/// Lines redrawn at the top of a terminal's alternate screen, the one that editors use: the terminal neither wraps them when
/// its window is resized nor keeps them, and restores the former screen at the end. It writes nothing itself.
public struct LiveFrame: Sendable {
    private var isShown = false

    public init() {}

    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: lines of the terminal; the last one stays free.
    /// - Returns: the text to write.
    public mutating func draw(_ lines: [String], width: Int, height: Int) -> String {
        defer { isShown = true }
        // A line that fills the last column would take two on some terminals.
        let shown = lines.prefix(max(1, height - 1)).map { String($0.prefix(max(1, width - 1))) }
        // Overwrites, then erases the remains of longer frames: clearing first would flicker.
        return (isShown ? "" : "\u{1B}[?1049h") + "\u{1B}[H" + shown.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }

    /// Restores the former screen; empty when nothing was drawn.
    public mutating func end() -> String {
        defer { isShown = false }
        return isShown ? "\u{1B}[?1049l" : ""
    }
}

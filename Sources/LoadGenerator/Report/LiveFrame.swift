/// A few lines at the top of a terminal's alternate screen that are drawn over and over. The alternate screen is the one that editors use: a
/// terminal neither wraps its lines anew when the window is made larger or smaller, nor keeps them, so that nothing of an earlier frame is left
/// standing, and what stood there before the run stands there again afterwards. It writes nothing itself.
public struct LiveFrame: Sendable {
    private var isShown = false

    public init() {}

    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: its lines, the last of which is kept free.
    /// - Returns: what to write.
    public mutating func draw(_ lines: [String], width: Int, height: Int) -> String {
        defer { isShown = true }
        // A line that fills the last column would take two on some terminals.
        let shown = lines.prefix(max(1, height - 1)).map { String($0.prefix(max(1, width - 1))) }
        // Drawn over, then what is left of longer lines, and of more of them, is taken away: an empty screen in between would flicker.
        return (isShown ? "" : "\u{1B}[?1049h") + "\u{1B}[H" + shown.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }

    /// What brings back what stood there before; nothing when nothing was drawn.
    public mutating func end() -> String {
        defer { isShown = false }
        return isShown ? "\u{1B}[?1049l" : ""
    }
}

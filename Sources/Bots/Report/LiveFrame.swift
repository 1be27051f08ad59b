/// A few lines at the bottom of a terminal that are drawn over and over: what to write so that the new ones stand where the old ones stood,
/// also when the terminal has become narrower meanwhile. It writes nothing itself.
public struct LiveFrame: Sendable {
    /// The lengths of the lines that stand there.
    private var drawn: [Int] = []

    public init() {}

    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: its lines, the last of which is kept free.
    /// - Returns: what to write.
    public mutating func draw(_ lines: [String], width: Int, height: Int) -> String {
        let start = clear(width: width)
        // A line that fills the last column would take two on some terminals.
        let shown = lines.prefix(max(1, height - 1)).map { String($0.prefix(max(1, width - 1))) }
        drawn = shown.map(\.count)
        return start + shown.map { $0 + "\n" }.joined()
    }

    /// What takes the lines away.
    public mutating func clear(width: Int) -> String {
        defer { drawn = [] }
        // Lines that were drawn on a wider terminal take more of this one's.
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + max(1, width) - 1) / max(1, width)) }
        return rows > 0 ? "\u{1B}[\(rows)A\r\u{1B}[J" : ""
    }
}

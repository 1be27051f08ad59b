/// The screen of a terminal, as far as our programs control it: carries out their output cell by cell. Lines do not wrap.
public struct TerminalScreen: Sendable {
    public struct Cell: Equatable, Sendable {
        /// Empty behind a character that is two columns wide.
        public var text = " "
        public var style = Style()
    }

    /// The effect of all SGR sequences: attributes, and the parameters of colours; nil for the terminal's own.
    public struct Style: Equatable, Sendable {
        public var attributes: Set<Int> = []
        public var (text, ground): (String?, String?)

        /// Of a space only what is seen, unless it is inverse.
        var ofSpace: Self { attributes.contains(7) ? self : Self(text: nil, ground: ground) }

        mutating func set(_ parameters: String) -> Bool {
            var codes = parameters.split(separator: ";").compactMap { Int($0) }[...]
            while let code = codes.popFirst() {
                switch code {
                case 0: self = Self()
                case 1, 2, 7: attributes.insert(code)
                case 38, 48:
                    let count = codes.first == 2 ? 4 : 2
                    let color = codes.prefix(count).map(String.init).joined(separator: ";")
                    codes = codes.dropFirst(count)
                    if code == 38 { text = color } else { ground = color }
                case 30...37, 90...97: text = "\(code)"
                case 40...47, 100...107: ground = "\(code)"
                case 39: text = nil
                case 49: ground = nil
                default: return false
                }
            }
            return true
        }
    }

    public private(set) var cells: [[Cell]] = []
    /// Private modes that are set: wrapping and the cursor at first.
    public private(set) var modes: Set<String> = ["?7", "?25"]
    /// How often the whole screen was cleared.
    public private(set) var clearCount = 0
    /// Output that no frame needs: text beyond the last column, a line beyond the last row, other controls and sequences.
    public private(set) var faults: [String] = []
    private let width: @Sendable (Unicode.Scalar) -> Int
    private var (row, column) = (0, 0)
    private var style = Style()
    private var pending: [UInt8] = []
    /// Bytes of `pending` that are drawn.
    private var drawn = 0

    /// - Parameter width: how many columns a character takes.
    public init(columns: Int, rows: Int, width: @escaping @Sendable (Unicode.Scalar) -> Int = { _ in 1 }) {
        self.width = width
        resize(columns: columns, rows: rows, keepsText: false)
    }

    public mutating func resize(columns: Int, rows: Int, keepsText: Bool) {
        let blank = Array(repeating: Cell(), count: columns)
        cells = (0..<rows).map { row in
            keepsText && row < cells.count ? Array((cells[row] + blank).prefix(columns)) : blank
        }
        (row, column) = (min(row, rows - 1), min(column, columns - 1))
    }

    public var isAlternate: Bool { modes.contains("?1049") }
    public var isCursorShown: Bool { modes.contains("?25") }
    public var wrapsLines: Bool { modes.contains("?7") }

    public var lines: [String] { cells.map { $0.map(\.text).joined() } }
    public var text: String { lines.joined(separator: "\n") }

    /// Lines with their ends, without the spaces before them.
    public var trimmedText: String {
        lines.map { String($0.reversed().drop { $0 == " " }.reversed()) + "\n" }.joined()
    }

    /// The cells as they are seen.
    public var visible: [[Cell]] {
        cells.map { $0.map { $0.text == " " ? Cell(style: $0.style.ofSpace) : $0 } }
    }

    /// Draws all of an output.
    public mutating func take(_ output: String) {
        append(Array(output.utf8))
        while drawFrame() {}
    }

    /// Adds output to what is yet to be drawn.
    public mutating func append(_ bytes: [UInt8]) {
        pending.removeFirst(drawn)
        drawn = 0
        pending += bytes
    }

    /// Draws the rest of a frame, up to the next one or to the end of the output so far.
    /// - Returns: false if nothing was drawn.
    public mutating func drawFrame() -> Bool {
        let start = drawn
        while let next = next() {
            switch next {
            case .scalar(let scalar, let length):
                put(scalar)
                drawn += length
            case .control(let parameters, let final, let length):
                // A frame is drawn from its top: it begins where the cursor goes up.
                if final == "H", drawn > start, Self.number(parameters, at: 0) <= row + 1 { return true }
                control(parameters, final)
                drawn += length
            }
        }
        return drawn > start
    }

    private enum Piece {
        case scalar(Unicode.Scalar, length: Int)
        case control(parameters: String, final: Unicode.Scalar, length: Int)
    }

    /// The first character or sequence that is not drawn; nil while it is incomplete.
    private func next() -> Piece? {
        guard drawn < pending.count else { return nil }
        let first = pending[drawn]
        guard first == 0x1B else {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard pending.count - drawn >= length else { return nil }
            let scalar = String(decoding: pending[drawn..<drawn + length], as: UTF8.self).unicodeScalars.first
            return .scalar(scalar ?? "\u{FFFD}", length: length)
        }
        guard let end = pending[drawn...].dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let parameters = String(decoding: pending[drawn + 2..<end], as: UTF8.self)
        return .control(parameters: parameters, final: Unicode.Scalar(pending[end]), length: end + 1 - drawn)
    }

    private static func number(_ parameters: String, at index: Int) -> Int {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 1 }
        return index < numbers.count ? max(1, numbers[index]) : 1
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\r": column = 0
        case "\n" where row >= cells.count - 1:
            faults.append("a line beyond the last row")
            cells.removeFirst()
            cells.append(Array(repeating: Cell(), count: cells[0].count))
        case "\n": row += 1
        case "\u{0}"..<" ", "\u{7F}"..."\u{9F}": faults.append("control \(scalar.value)")
        default: write(scalar)
        }
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        // A terminal that joins emoji: what forms one character with the one before it joins its cell.
        if !scalar.isASCII, let last = cells[row][..<column].lastIndex(where: { !$0.text.isEmpty }),
            (cells[row][last].text + String(scalar)).count == 1
        {
            cells[row][last].text.unicodeScalars.append(scalar)
            return
        }
        let width = width(scalar)
        guard column + width <= cells[row].count else {
            faults.append("text beyond column \(column)")
            return
        }
        cells[row][column] = Cell(text: String(scalar), style: style)
        if width == 2 { cells[row][column + 1] = Cell(text: "", style: style) }
        column += width
    }

    private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
        let blank = Cell(text: " ", style: style)
        switch final {
        case "H":
            row = min(Self.number(parameters, at: 0), cells.count) - 1
            column = min(Self.number(parameters, at: 1), cells[row].count) - 1
        case "G": column = min(Self.number(parameters, at: 0), cells[row].count) - 1
        case "K": for place in column..<cells[row].count { cells[row][place] = blank }
        case "J" where parameters == "2":
            clearCount += 1
            cells = cells.map { $0.map { _ in blank } }
        case "J":
            for place in column..<cells[row].count { cells[row][place] = blank }
            for below in row + 1..<cells.count { cells[below] = cells[below].map { _ in blank } }
        case "m": if !style.set(parameters.isEmpty ? "0" : parameters) { faults.append("style \(parameters)") }
        case "h" where parameters.hasPrefix("?"): modes.insert(parameters)
        case "l" where parameters.hasPrefix("?"): modes.remove(parameters)
        default: faults.append("sequence \(parameters)\(final)")
        }
    }
}

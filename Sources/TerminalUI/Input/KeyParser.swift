/// Parses terminal bytes into keys, independent of chunk boundaries. A paste (xterm's mode 2004) is one key.
/// Escape sequences follow ECMA-48: `ESC [`, parameters, one final byte; keypads send `ESC O` and one letter.
struct KeyParser: Sendable {
    private enum State: Sendable {
        case ground
        case escape
        /// After `ESC O`.
        case single
        /// After `ESC [`: the first parameter so far.
        case control(number: Int, isFirst: Bool)
        /// After `ESC [ <`, a report of the mouse (xterm's mode 1006): button, column and row, and which of them is read.
        case mouse(Int, Int, Int, field: Int)
        /// After `ESC [ ?`, a report of a private mode (DECRPM): its number and its state, and whether that is read.
        case report(Int, Int, isState: Bool)
        /// Within a UTF-8 sequence: continuation bytes left, bits so far, least valid value.
        case character(missing: Int, bits: UInt32, least: UInt32)
        /// Within a paste: its bytes so far, and how much of its end was met.
        case paste([UInt8], ofEnd: Int)
    }

    /// Longest paste kept, in bytes; the rest of a longer one is dropped.
    static let longestPaste = 4096
    /// `ESC [ 201 ~`.
    private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

    private var state = State.ground

    /// True within a sequence or after an escape: call ``flush()`` after a pause.
    var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        case .escape, .single, .control, .mouse, .report, .character: true
        }
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        return keys
    }

    /// Ends a pending sequence after a pause: it was the escape key, or incomplete.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { state = .ground }
        return switch state {
        case .ground, .paste: []
        case .escape: [.escape]
        case .single, .control, .mouse, .report, .character: [.unknown]
        }
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: begin(byte, &keys)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .control(number: 0, isFirst: true)
            case UInt8(ascii: "O"): state = .single
            case 0x1B: keys.append(.escape)
            default:
                // Alt sends an escape before the key.
                keys.append(.escape)
                state = .ground
                begin(byte, &keys)
            }
        case .single:
            state = .ground
            keys.append(Self.arrow(byte))
            if byte < 0x20 { begin(byte, &keys) }
        case .control(let number, let isFirst): continueSequence(byte, number, isFirst, &keys)
        case .mouse(let button, let column, let row, let field): continueMouse(byte, button, column, row, field, &keys)
        case .report(let mode, let value, let isState): continueReport(byte, mode, value, isState, &keys)
        case .character(let missing, let bits, let least): continueCharacter(byte, missing, bits, least, &keys)
        case .paste(var pasted, let matched):
            // The copy in `state` would make each append copy the bytes.
            state = .ground
            continuePaste(byte, &pasted, matched, &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D, 0x0A: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x09: keys.append(.tab)
        case 0x01...0x1A: keys.append(.control(Unicode.Scalar(byte + 0x60)))
        case 0x20..<0x7F: keys.append(.character(Unicode.Scalar(byte)))
        case 0xC2...0xDF: state = .character(missing: 1, bits: UInt32(byte & 0x1F), least: 0x80)
        case 0xE0...0xEF: state = .character(missing: 2, bits: UInt32(byte & 0x0F), least: 0x800)
        case 0xF0...0xF4: state = .character(missing: 3, bits: UInt32(byte & 0x07), least: 0x10000)
        default: keys.append(.unknown)
        }
    }

    private mutating func continueSequence(_ byte: UInt8, _ number: Int, _ isFirst: Bool, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9") where isFirst:
            // Key numbers end at 99; the bound keeps hostile input from overflowing.
            state = .control(number: min(number * 10 + Int(byte - UInt8(ascii: "0")), 1000), isFirst: true)
        case UInt8(ascii: "<") where isFirst && number == 0: state = .mouse(0, 0, 0, field: 0)
        case UInt8(ascii: "?") where isFirst && number == 0: state = .report(0, 0, isState: false)
        case 0x20...0x3F: state = .control(number: number, isFirst: false)
        case 0x40...0x7E:
            state = .ground
            if byte == UInt8(ascii: "~"), number == 200 {
                state = .paste([], ofEnd: 0)
            } else {
                keys.append(byte == UInt8(ascii: "~") ? Self.numbered(number) : Self.arrow(byte))
            }
        default:
            keys.append(.unknown)
            state = .ground
            begin(byte, &keys)
        }
    }

    private mutating func continueMouse(
        _ byte: UInt8, _ button: Int, _ column: Int, _ row: Int, _ field: Int, _ keys: inout [Key]
    ) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            // No terminal is larger; the bound keeps hostile input from overflowing.
            let digit = Int(byte - UInt8(ascii: "0"))
            let next = { (value: Int) in min(value * 10 + digit, 10_000) }
            state =
                switch field {
                case 0: .mouse(next(button), column, row, field: 0)
                case 1: .mouse(button, next(column), row, field: 1)
                default: .mouse(button, column, next(row), field: field)
                }
        case UInt8(ascii: ";"): state = .mouse(button, column, row, field: field + 1)
        default:
            state = .ground
            // A release, another button, a move: nothing.
            guard byte == UInt8(ascii: "M"), field == 2 else {
                if byte != UInt8(ascii: "m") { keys.append(.unknown) }
                // The report is broken off by another key, maybe by a sequence of its own.
                if byte < 0x20 { begin(byte, &keys) }
                return
            }
            switch button {
            case 0: keys.append(.click(column: column - 1, row: row - 1))
            case 64: keys.append(.wheelUp)
            case 65: keys.append(.wheelDown)
            default: break
            }
        }
    }

    /// `ESC [ ? 2026 ; 2 $ y`.
    private mutating func continueReport(_ byte: UInt8, _ mode: Int, _ value: Int, _ isState: Bool, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            let digit = Int(byte - UInt8(ascii: "0"))
            // The bound keeps hostile input from overflowing.
            let next = { (number: Int) in min(number * 10 + digit, 10_000) }
            state = isState ? .report(mode, next(value), isState: true) : .report(next(mode), value, isState: false)
        case UInt8(ascii: ";"): state = .report(mode, value, isState: true)
        case 0x20...0x3F: break
        case UInt8(ascii: "y"):
            state = .ground
            keys.append(.report(mode: mode, state: value))
        default:
            state = .ground
            keys.append(.unknown)
            if byte < 0x20 { begin(byte, &keys) }
        }
    }

    private mutating func continueCharacter(_ byte: UInt8, _ missing: Int, _ bits: UInt32, _ least: UInt32, _ keys: inout [Key]) {
        guard byte & 0xC0 == 0x80 else {
            keys.append(.unknown)
            state = .ground
            return begin(byte, &keys)
        }
        let bits = bits << 6 | UInt32(byte & 0x3F)
        guard missing == 1 else {
            state = .character(missing: missing - 1, bits: bits, least: least)
            return
        }
        state = .ground
        keys.append(bits >= least ? Unicode.Scalar(bits).map(Key.character) ?? .unknown : .unknown)
    }

    private mutating func continuePaste(_ byte: UInt8, _ pasted: inout [UInt8], _ matched: Int, _ keys: inout [Key]) {
        if byte == Self.pasteEnd[matched] {
            guard matched + 1 == Self.pasteEnd.count else {
                state = .paste(pasted, ofEnd: matched + 1)
                return
            }
            return keys.append(.paste(String(decoding: pasted.prefix(Self.longestPaste), as: UTF8.self)))
        }
        // The end has one escape, its first byte: nothing else of it can begin a second one.
        if pasted.count < Self.longestPaste { pasted += Self.pasteEnd.prefix(matched) }
        if byte == Self.pasteEnd[0] {
            state = .paste(pasted, ofEnd: 1)
        } else {
            if pasted.count < Self.longestPaste { pasted.append(byte) }
            state = .paste(pasted, ofEnd: 0)
        }
    }

    private static func arrow(_ byte: UInt8) -> Key {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        default: .unknown
        }
    }

    private static func numbered(_ number: Int) -> Key {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        default: .unknown
        }
    }
}

/// The input line of the plain front end on a terminal: edited here, so that events do not tear it. A value.
struct LineEditor: Equatable, Sendable {
    enum Effect: Equatable, Sendable {
        case submit(String)
        case endOfInput
        /// Nothing is added: the line would be longer than ``LineEditor/longest``.
        case full
    }

    /// Bytes: below the longest request.
    static let longest = 1024

    private(set) var text = ""
    /// Whether the line is a pass phrase: shown as dots, and not kept.
    var isSecret = false
    private var last = ""

    /// Applies a key. A paste is text, line ends included: Enter alone submits.
    mutating func press(_ key: Key) -> Effect? {
        switch key {
        case .enter:
            defer { text = "" }
            if !text.isEmpty, !isSecret { last = text }
            return .submit(text)
        case .control("d"): return text.isEmpty ? .endOfInput : nil
        case .backspace, .delete: if !text.isEmpty { text.removeLast() }
        case .control("u"), .escape: text = ""
        case .control("w"):
            while text.last == " " { text.removeLast() }
            while let character = text.last, character != " " { text.removeLast() }
        case .up: if text.isEmpty, !isSecret { text = last }
        case .character(let scalar): return append(String(scalar))
        case .paste(let pasted): return append(pasted.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        default: break
        }
        return nil
    }

    private mutating func append(_ more: String) -> Effect? {
        guard text.utf8.count + more.utf8.count <= Self.longest else { return .full }
        text += more
        return nil
    }

    /// The line within a width: its end where it is longer.
    func shown(columns: Int) -> SafeText {
        if isSecret { return "> " + .filled(with: "•", min(text.count, max(8, columns - 4))) }
        var tail = Substring(text)
        while SafeText(String(tail), columns: Self.longest).columns > max(8, columns - 4) { tail = tail.dropFirst() }
        return "> \(SafeText(String(tail), columns: Self.longest))"
    }
}

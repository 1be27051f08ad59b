/// Parses terminal bytes into keys, independent of chunk boundaries.
///
/// Escape sequences follow ECMA-48: `ESC [`, parameters, one final byte; keypads send `ESC O` and one letter.
struct KeyParser: Sendable {
    private enum State: Sendable {
        case ground
        case escape
        /// After `ESC O`.
        case single
        /// After `ESC [`: the first parameter so far.
        case control(number: Int, isFirst: Bool)
        /// Within a UTF-8 sequence: continuation bytes left, bits so far, least valid value.
        case character(missing: Int, bits: UInt32, least: UInt32)
    }

    private var state = State.ground

    /// True within a sequence or after an escape: call ``flush()`` after a pause.
    var isWaiting: Bool { if case .ground = state { false } else { true } }

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        return keys
    }

    /// Ends a pending sequence after a pause: it was the escape key, or incomplete.
    mutating func flush() -> [Key] {
        defer { state = .ground }
        return switch state {
        case .ground: []
        case .escape: [.escape]
        case .single, .control, .character: [.unknown]
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
        case .control(let number, let isFirst): continueSequence(byte, number, isFirst, &keys)
        case .character(let missing, let bits, let least): continueCharacter(byte, missing, bits, least, &keys)
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
        case 0x20...0x3F: state = .control(number: number, isFirst: false)
        case 0x40...0x7E:
            state = .ground
            keys.append(byte == UInt8(ascii: "~") ? Self.numbered(number) : Self.arrow(byte))
        default:
            keys.append(.unknown)
            state = .ground
            begin(byte, &keys)
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

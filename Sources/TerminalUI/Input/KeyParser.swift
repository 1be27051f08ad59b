/// Parses terminal bytes into keys, independent of chunk boundaries. A paste (xterm's mode 2004) is one key.
/// Escape sequences follow ECMA-48: `ESC [`, parameters, one final byte; keypads send `ESC O` and one letter.
struct KeyParser: Sendable {
    private enum State: Sendable {
        case ground
        case escape
        /// After `ESC O`.
        case single
        /// After `ESC [`: the parameters so far.
        case control([UInt8])
        /// Within a UTF-8 sequence: continuation bytes left, bits so far, least valid value.
        case character(missing: Int, bits: UInt32, least: UInt32)
        /// Within a paste: its bytes so far, and how much of its end was met.
        case paste([UInt8], ofEnd: Int)
    }

    /// Longest paste kept, in bytes; the rest of a longer one is dropped.
    static let longestPaste = 4096
    /// Bytes of parameters kept: more than any report has.
    private static let longestSequence = 32
    /// `ESC [ 201 ~`.
    private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

    private var state = State.ground

    /// True within a sequence or after an escape: call ``flush()`` after a pause.
    var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        case .escape, .single, .control, .character: true
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
        if case .escape = state { return [.escape] }
        return [.unknown]
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: begin(byte, &keys)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .control([])
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
            keys.append(Self.letters[byte] ?? .unknown)
            if byte < 0x20 { begin(byte, &keys) }
        case .control(let parameters): continueSequence(byte, parameters, &keys)
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

    private mutating func continueSequence(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
        switch byte {
        case 0x20...0x3F: state = .control(parameters.count < Self.longestSequence ? parameters + [byte] : parameters)
        case 0x40...0x7E:
            state = parameters == Array("200".utf8) && byte == UInt8(ascii: "~") ? .paste([], ofEnd: 0) : .ground
            if case .ground = state { keys.append(Self.key(parameters, byte)) }
        default:
            keys.append(.unknown)
            state = .ground
            begin(byte, &keys)
        }
    }

    private static func key(_ parameters: [UInt8], _ last: UInt8) -> Key {
        // Private parameters are those of a report.
        if let first = parameters.first, (UInt8(ascii: "<")...UInt8(ascii: "?")).contains(first) { return .unknown }
        guard last == UInt8(ascii: "~") else { return letters[last] ?? .unknown }
        let digits = parameters.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return numbers[Int(String(decoding: digits, as: UTF8.self)) ?? 0] ?? .unknown
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

    /// By the final byte of a sequence.
    private static let letters: [UInt8: Key] = [
        0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home, 0x4D: .enter,
    ]
    /// By the number before `~`.
    private static let numbers: [Int: Key] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
}

/// A line of text that keys edit: a name, a phrase, a command. A value.
struct TextField: Equatable, Sendable {
    enum Effect: Equatable, Sendable {
        case edited
        /// Nothing is added: the text would be too long.
        case full
    }

    private(set) var text = ""
    /// In bytes.
    let limit: Int
    var characterLimit = Int.max

    /// Applies a key; nil for one that edits nothing. A paste is text, line ends included, and is taken as a whole or not at all.
    mutating func press(_ key: Key) -> Effect? {
        switch key {
        case .backspace, .delete: if !text.isEmpty { text.removeLast() }
        case .control("u"): text = ""
        case .control("w"):
            while text.last == " " { text.removeLast() }
            while let character = text.last, character != " " { text.removeLast() }
        case .character(let scalar): return append(String(scalar))
        case .paste(let pasted): return append(pasted.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        default: return nil
        }
        return .edited
    }

    private mutating func append(_ more: String) -> Effect {
        let longer = text + more
        guard longer.utf8.count <= limit, longer.count <= characterLimit else { return .full }
        text = longer
        return .edited
    }

    /// As dots.
    func hidden(_ columns: Int) -> SafeText { .filled(with: "•", min(text.unicodeScalars.count, max(1, columns))) }
}

/// Parses terminal input into keys by the states of ECMA-48 (escape, control sequence, control string), with those that xterm's ctlseqs adds:
/// SS3, pastes (mode 2004), mouse reports.
///
/// Only a pressed key is a key. An Alt combination, a function key, a report or a late answer of the terminal, and bytes that are no UTF-8 give
/// none. Bytes that arrive together belong together, and a sequence may arrive in pieces: a pending one ends by the silence after it, which the
/// owner's clock measures (``timeout``, ``flush()``).
struct KeyParser: Sendable {
    private enum State: Sendable {
        case ground
        /// After `ESC`. `ofString`: within a control string, where it begins the end.
        case escape(ofString: Bool)
        /// After `ESC` and intermediate bytes.
        case intermediate
        /// After `ESC [` or `ESC O`: the parameters and intermediate bytes so far.
        case sequence(isSingle: Bool, [UInt8])
        /// Behind a sequence that characters without an introducer follow: their number.
        case trailer(Int)
        /// Within a control string (OSC, DCS, SOS, PM, APC): up to ST (`ESC \`) or BEL. Nothing is kept, so it has no bound.
        case string
        /// Within a UTF-8 sequence: its bytes so far, and how many are missing. `isAlt`: after an escape.
        case character([UInt8], missing: Int, isAlt: Bool)
        /// Within a paste: its first bytes so far, and the last ones, which may be a part of its end.
        case paste([UInt8])
    }

    /// Longest paste kept, in bytes; the rest of a longer one is dropped.
    static let longestPaste = 4096
    /// Bytes of parameters kept: more than any key has.
    private static let longestSequence = 32
    /// `ESC [ 201 ~`.
    private static let pasteEnd: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

    private var state = State.ground

    /// Milliseconds without a byte after which the owner calls ``flush()``; nil: nothing is pending. Short where the escape key may be meant.
    /// Long within a sequence: if the rest of a delayed report came after the end, it would be keys.
    var timeout: Int64? {
        switch state {
        case .ground: nil
        case .escape(ofString: false), .intermediate, .character: 50
        case .escape, .sequence, .trailer, .string, .paste: 1000
        }
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        return keys
    }

    /// Ends a pending sequence: a lone escape was the escape key, and a paste has lost its end.
    mutating func flush() -> [Key] {
        defer { state = .ground }
        return switch state {
        case .escape(ofString: false): [.escape]
        case .paste(let pasted): [Self.paste(pasted)]
        default: []
        }
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        if case .paste(var pasted) = state {
            // The copy in `state` would make each append copy the bytes.
            state = .ground
            pasted.append(byte)
            if pasted.count > Self.longestPaste + Self.pasteEnd.count { pasted.remove(at: Self.longestPaste) }
            guard pasted.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] else {
                state = .paste(pasted)
                return
            }
            return keys.append(Self.paste(pasted.dropLast(Self.pasteEnd.count)))
        }
        switch (state, byte) {
        case (.string, 0x1B): state = .escape(ofString: true)
        case (_, 0x1B): state = .escape(ofString: false)
        case (.ground, _): begin(byte, &keys)
        // CAN and SUB cancel.
        case (_, 0x18), (_, 0x1A), (.string, 0x07): state = .ground
        case (.string, _): break
        case (.escape, _): escape(byte)
        case (.intermediate, 0x20...0x2F): break
        case (.intermediate, 0x30...0x7E): state = .ground
        case (.sequence(let isSingle, let parameters), 0x20...0x7E): continueSequence(byte, isSingle, parameters, &keys)
        // A mouse report counts characters: a continuation byte is part of one.
        case (.trailer, 0x80..<0xC0): break
        case (.trailer(let left), 0x20...): state = left > 1 ? .trailer(left - 1) : .ground
        case (.character(let bytes, let missing, let isAlt), 0x80..<0xC0):
            continueCharacter(bytes + [byte], missing - 1, isAlt, &keys)
        // The sequence was broken off.
        default:
            state = .ground
            begin(byte, &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x0D, 0x0A: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x09: keys.append(.tab)
        case 0x01...0x1A: keys.append(.control(Unicode.Scalar(byte + 0x60)))
        case 0x20..<0x7F: keys.append(.character(Unicode.Scalar(byte)))
        default: beginCharacter(byte)
        }
    }

    /// The first byte beyond ASCII. `ESC [` and its kind have a second form of one byte, C1.
    private mutating func beginCharacter(_ byte: UInt8, isAlt: Bool = false) {
        switch byte {
        case 0x80..<0xA0: escape(byte - 0x40)
        case 0xC2...0xF4: state = .character([byte], missing: byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3, isAlt: isAlt)
        default: break
        }
    }

    /// The byte after an escape. Other ones than these are a key with Alt.
    private mutating func escape(_ byte: UInt8) {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence(isSingle: false, [])
        case UInt8(ascii: "O"): state = .sequence(isSingle: true, [])
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"): state = .string
        case 0x20...0x2F: state = .intermediate
        default: if byte >= 0xC0 { beginCharacter(byte, isAlt: true) }
        }
    }

    private mutating func continueSequence(_ byte: UInt8, _ isSingle: Bool, _ parameters: [UInt8], _ keys: inout [Key]) {
        guard byte >= 0x40 else {
            state = .sequence(isSingle: isSingle, parameters.count < Self.longestSequence ? parameters + [byte] : parameters)
            return
        }
        state = .ground
        if isSingle {
            if let key = Self.keypad(byte) ?? Self.letters[byte] { keys.append(key) }
        } else if parameters.isEmpty, let count = Self.trailers[byte] {
            state = .trailer(count)
        } else if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
            state = .paste([])
        } else if let key = Self.key(parameters, byte) {
            keys.append(key)
        }
    }

    /// The key of a control sequence; nil for a report. Keys have at most two numbers: their own, and the modifiers.
    private static func key(_ parameters: [UInt8], _ last: UInt8) -> Key? {
        // Others have private parameters, intermediate bytes or subparameters.
        guard parameters.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }) else { return nil }
        let parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let number = parts[0].isEmpty ? 1 : Int(String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        guard last == UInt8(ascii: "~") else { return number == 1 ? letters[last] : nil }
        return parameters.isEmpty ? nil : self.numbers[number]
    }

    private mutating func continueCharacter(_ bytes: [UInt8], _ missing: Int, _ isAlt: Bool, _ keys: inout [Key]) {
        guard missing == 0 else {
            state = .character(bytes, missing: missing, isAlt: isAlt)
            return
        }
        state = .ground
        guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else { return }
        if let byte = UInt8(exactly: scalar.value), byte < 0xA0 {
            escape(byte - 0x40)
        } else if !isAlt {
            keys.append(.character(scalar))
        }
    }

    private static func paste(_ bytes: [UInt8]) -> Key { .paste(String(decoding: bytes.prefix(longestPaste), as: UTF8.self)) }

    /// A key of the keypad in application mode (ctlseqs, VT220-style function keys), by the byte after `ESC O`: `j` is `*`, `p` is `0`.
    private static func keypad(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "X"): .character("=")
        case UInt8(ascii: "j")...UInt8(ascii: "y"): .character(Unicode.Scalar(byte - 0x40))
        default: nil
        }
    }

    /// By the final byte of a sequence.
    private static let letters: [UInt8: Key] = [
        0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home, 0x50: .f1,
    ]
    /// By the number before `~`.
    private static let numbers: [Int: Key] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end, 11: .f1,
    ]
    /// Characters that follow a sequence without parameters, by its final byte: mouse reports of xterm (`M`, `T`, `t`), function keys of the
    /// Linux console (`[`).
    private static let trailers: [UInt8: Int] = [0x4D: 3, 0x54: 6, 0x74: 2, 0x5B: 1]
}

/// A line of text that keys edit: a name, a phrase, a command. A value.
struct TextField: Equatable, Sendable {
    enum Effect: Equatable, Sendable {
        case edited
        /// The text would be too long: its end is left out.
        case full
    }

    /// Before and behind the cursor.
    private(set) var (before, after) = ("", "")
    var text: String { before + after }
    /// In bytes.
    let limit: Int
    let characterLimit: Int

    init(text: String = "", limit: Int, characterLimit: Int = .max) {
        (before, self.limit, self.characterLimit) = (text, limit, characterLimit)
    }

    /// Applies a key; nil for one that neither edits nor moves the cursor. A paste is text, line ends included, without characters of control.
    mutating func press(_ key: Key) -> Effect? {
        switch key {
        case .backspace: _ = before.popLast()
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .control("u"): before = ""
        case .control("w"):
            while before.last == " " { before.removeLast() }
            while let character = before.last, character != " " { before.removeLast() }
        case .character(let scalar): return append(String(scalar))
        case .paste(let pasted):
            let words = pasted.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars
            return append(String(String.UnicodeScalarView(words.filter { $0.properties.generalCategory != .control })))
        case .left: if let character = before.popLast() { after.insert(character, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home: (before, after) = ("", text)
        case .end: (before, after) = (text, "")
        default: return nil
        }
        return .edited
    }

    private mutating func append(_ more: String) -> Effect {
        for character in more {
            let longer = text + String(character)
            guard longer.utf8.count <= limit, longer.count <= characterLimit else { return .full }
            before.append(character)
        }
        return .edited
    }

    /// As dots.
    func hidden(_ columns: Int) -> SafeText { .filled(with: "•", min(text.unicodeScalars.count, max(1, columns))) }
}

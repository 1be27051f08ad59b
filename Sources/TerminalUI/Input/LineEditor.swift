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

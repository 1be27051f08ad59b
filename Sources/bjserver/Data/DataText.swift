import Foundation

/// Output of commands about a data folder.
enum DataText {
    /// One line of JSON that a terminal shows as it is.
    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
        return visibleJSON(Array(data))
    }

    /// The same JSON with characters that a terminal obeys or hides as escapes. They stand inside strings only.
    static func visibleJSON(_ line: [UInt8]) -> String {
        let text = String(decoding: line, as: UTF8.self)
        guard !line.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

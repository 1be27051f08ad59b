import Wire

/// The first and the last lines of a connection, within bounds.
struct Transcript: Sendable {
    struct Entry: Sendable {
        var isSent: Bool
        /// Without its end. Lines that many bots read are shared, not copied.
        var line: [UInt8]
    }

    private static let headCount = 12
    private static let tailCount = 64

    /// How many lines there were.
    private(set) var count = 0
    private var head: [Entry] = []
    private var tail: [Entry] = []

    mutating func note(_ line: [UInt8], isSent: Bool) {
        let entry = Entry(isSent: isSent, line: line)
        if head.count < Self.headCount {
            head.append(entry)
        } else if tail.count < Self.tailCount {
            tail.append(entry)
        } else {
            tail[(count - Self.headCount) % Self.tailCount] = entry
        }
        count += 1
    }

    /// The lines kept, with their numbers from 1.
    var entries: [(number: Int, entry: Entry)] {
        let first = head.enumerated().map { ($0.offset + 1, $0.element) }
        guard count > Self.headCount + Self.tailCount else {
            return first + tail.enumerated().map { ($0.offset + 1 + Self.headCount, $0.element) }
        }
        let start = count - Self.tailCount
        return first + (start..<count).map { ($0 + 1, tail[($0 - Self.headCount) % Self.tailCount]) }
    }

    /// Replaces the player's name and secret, each a string of JSON, by their placeholders.
    private static func generalised(_ text: String, name: String?) -> String {
        var words = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices {
            if words[index] == name { words[index] = "$name" }
            if index >= 2, words[index - 1] == ":", words[index - 2] == "secret" { words[index] = "$secret" }
        }
        return words.joined(separator: "\"")
    }

    /// A script for `bjbots replay`: sends the requests again, expects the replies again, shows the rest as comments.
    /// - Parameters:
    ///   - head: comment lines for the top.
    ///   - name: the player's name, replaced by `$name`. The secret is replaced by `$secret`.
    func script(_ head: [String], name: String?) -> String {
        var lines = head.map { "# \($0)" }
        var last = 0
        for (number, entry) in entries {
            if number > last + 1 { lines.append("# … \(number - last - 1) lines are left out") }
            last = number
            var text = String(decoding: entry.line, as: UTF8.self)
            if entry.isSent {
                text = Self.generalised(text, name: name)
                switch entry.line.withUnsafeBufferPointer({ Request(line: $0) }).type {
                case "bet": lines.append("until betting")
                case "act": lines.append("until asked")
                default: break
                }
                lines.append("> \(text)")
            } else if let pattern = Self.pattern(of: entry.line) {
                lines.append("< \(pattern)")
            } else {
                lines.append("# \(number) < \(text)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The fields of a reply that repeat in another game; nil for any other line.
    private static func pattern(of line: [UInt8]) -> String? {
        let message = line.withUnsafeBufferPointer { line in try? ServerMessage(line: line) }
        return switch message {
        case .ok(let id, let reply): object([("type", "ok"), ("to", reply.type)], id)
        case .error(let refusal): object([("type", "error"), ("to", refusal.type), ("code", refusal.code)], refusal.id)
        default: nil
        }
    }

    private static func object(_ members: [(key: String, value: String?)], _ id: RequestID?) -> String {
        var parts = members.compactMap { member in member.value.map { "\"\(member.key)\":\(quoted($0))" } }
        switch id {
        case .number(let number): parts.insert("\"id\":\(number)", at: 1)
        case .text(let text): parts.insert("\"id\":\(quoted(text))", at: 1)
        case nil: break
        }
        return "{" + parts.joined(separator: ",") + "}"
    }

    /// A JSON string (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case ..<" ": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// A server's metrics in the text format of Prometheus, as received over HTTP.
public struct MetricsAnswer: Equatable, Sendable {
    /// By name, with the labels as they were written: `bj_players{state="here"}`.
    public private(set) var values: [String: Double] = [:]
    /// The names in the order of the text.
    public private(set) var names: [String] = []

    /// Reads an answer of HTTP/1.0 or 1.1, head and body.
    public init(_ answer: [UInt8]) throws(MetricsFault) {
        guard let head = Self.head(of: answer) else {
            throw answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)) ? .cutShort : .notMetrics(Self.firstLine(answer))
        }
        guard head.status == 200 else { throw .status(Self.firstLine(answer)) }
        let body = answer[head.count...]
        if let length = head.length, body.count < length { throw .cutShort }
        for line in body.prefix(head.length ?? body.count).split(separator: UInt8(ascii: "\n")) {
            try read(String(decoding: line, as: UTF8.self))
        }
        guard !names.isEmpty else { throw .notMetrics("") }
    }

    /// The value of a metric without labels; nil when absent.
    public subscript(_ name: String) -> Double? { values[name] }

    /// A metric over all its labels; nil when there is none of that name.
    func sum(_ name: String) -> Double? {
        let all = names.filter { $0 == name || $0.hasPrefix(name + "{") }
        return all.isEmpty ? nil : all.reduce(0) { $0 + (values[$1] ?? 0) }
    }

    private mutating func read(_ line: String) throws(MetricsFault) {
        let text = line.hasSuffix("\r") ? line.dropLast() : line[...]
        guard let first = text.unicodeScalars.first, first != "#" else { return }
        var end = text.startIndex
        while end < text.endIndex, text[end].isASCII, text[end].isLetter || text[end].isNumber || "_:".contains(text[end]) {
            end = text.index(after: end)
        }
        guard end > text.startIndex, !("0"..."9").contains(first) else { throw .notMetrics(line) }
        if end < text.endIndex, text[end] == "{" {
            guard let close = Self.endOfLabels(text[end...]) else { throw .notMetrics(line) }
            end = close
        }
        // A value, and perhaps a time.
        let rest = text[end...].split(separator: " ")
        guard (1...2).contains(rest.count), text[end...].first == " ", let value = Self.number(rest[0]) else {
            throw .notMetrics(line)
        }
        let name = String(text[..<end])
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? Double(text) : nil
        }
    }

    /// The text after the `}` that ends the labels; quoted braces end nothing.
    private static func endOfLabels(_ text: Substring) -> Substring.Index? {
        var (isQuoted, isEscaped) = (false, false)
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "}" where !isQuoted: return text.index(after: index)
            default: break
            }
        }
        return nil
    }
}

extension MetricsAnswer {
    /// The head of an HTTP response.
    struct Head: Equatable {
        var status: Int
        /// Bytes of the body, where given.
        var length: Int?
        /// Bytes, the blank line included.
        var count: Int
    }

    /// nil while incomplete, and for anything that is no response.
    static func head(of answer: [UInt8]) -> Head? {
        guard answer.starts(with: Array("HTTP/1.".utf8)) else { return nil }
        let end = Array("\r\n\r\n".utf8)
        var start = 0
        while start + 4 <= answer.count, !answer[start..<start + 4].elementsEqual(end) { start += 1 }
        guard start + 4 <= answer.count else { return nil }
        let lines = String(decoding: answer[..<start], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        var head = Head(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, length: nil, count: start + 4)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            head.length = Int(parts[1].filter { $0 != " " }).flatMap { $0 >= 0 ? $0 : nil }
        }
        return head
    }

    fileprivate static func firstLine(_ answer: [UInt8]) -> String {
        String(decoding: answer.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(200), as: UTF8.self)
    }
}

extension Syntax {
    /// The manual page: the root first, then each subcommand under its own heading.
    ///
    /// Undated, so that the same declaration gives the same bytes.
    var manualPage: String {
        let places = walk()
        let variables = places.flatMap { $0.syntax.options.compactMap(\.environmentEntry) }
        var lines = [
            ".TH \(name.uppercased().roff) 1 \"\" \"\(name.roff) \((version ?? "").roff)\" \"User Commands\"",
            ".SH NAME", "\(name.roff) \\- \(summary.firstSentence.roff)",
            ".SH SYNOPSIS",
        ]
        lines += synopsis(path: name)
        lines += [".SH DESCRIPTION", summary.roff] + discussion.paragraphs.flatMap { [".PP", $0.roff] }
        if !arguments.isEmpty { lines += [".SH ARGUMENTS"] + arguments.flatMap(\.manualEntry) }
        lines += [".SH OPTIONS"] + (options + requests(isRoot: true)).flatMap(\.manualEntry)
        if places.count > 1 {
            lines += [".SH COMMANDS"] + places.dropFirst().flatMap { $0.syntax.manualSection(path: $0.path) }
        }
        for topic in topics {
            lines += [".SH \(topic.title.uppercased().roff)"] + topic.text.paragraphs.flatMap { [".PP", $0.roff] }
            lines += topic.entries.flatMap { [".TP", ".B \($0.term.roff)", $0.text.roff] }
        }
        lines += section("ENVIRONMENT", variables.unique) + section("EXIT STATUS", allStatuses)
        lines += section("EXAMPLES", places.flatMap(\.syntax.examples))
        return lines.joined(separator: "\n") + "\n"
    }

    private func manualSection(path: String) -> [String] {
        var lines = [".SS \"\(path.roff)\""] + synopsis(path: path) + [".PP", summary.roff]
        lines += discussion.paragraphs.flatMap { [".PP", $0.roff] }
        lines += (arguments + options).flatMap(\.manualEntry)
        guard !exitStatuses.isEmpty else { return lines }
        return lines + [".PP", "Exit status, besides those of every command:"]
            + exitStatuses.flatMap { [".TP", ".B \($0.term.roff)", $0.text.roff] }
    }

    /// One line per usage, names in bold.
    private func synopsis(path: String) -> [String] {
        usages(path: path).flatMap { [".B \(path.roff)", String($0.dropFirst(path.count + 1)).roff, ".br"] }.dropLast()
    }

    private func section(_ title: String, _ entries: [Entry]) -> [String] {
        guard !entries.isEmpty else { return [] }
        return [".SH \(title)"] + entries.flatMap { [".TP", ".B \($0.term.roff)", $0.text.roff] }
    }
}

extension Parameter {
    /// A tagged paragraph: names in bold, the value in italics.
    fileprivate var manualEntry: [String] {
        let names =
            kind == .argument ? usage : (short.map { "-\($0), " } ?? "") + usage.dropLast(takesValue ? value.count + 1 : 0)
        let tail = kind == .argument || !takesValue ? "" : " \\fI\(value.roff)\\fR"
        return [".TP", "\\fB\(names.roff)\\fR\(tail)", fullHelp.roff]
    }
}

extension [Syntax.Entry] {
    /// The first entry for each term: several commands may share an environment variable.
    fileprivate var unique: [Syntax.Entry] {
        var seen: Set<String> = []
        return filter { seen.insert($0.term).inserted }
    }
}

extension String {
    /// Text escaped for one roff line: no requests, escapes, typographic quotes or hyphens; non-ASCII by code.
    fileprivate var roff: String {
        let text = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "\"": "\\(dq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "…": "..."
            case let other where other.isASCII: String(other)
            case let other: "\\[u\(String(repeating: "0", count: max(0, 4 - other.hexadecimal.count)))\(other.hexadecimal)]"
            }
        }.joined()
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}

extension Unicode.Scalar {
    fileprivate var hexadecimal: String { String(value, radix: 16, uppercase: true) }
}

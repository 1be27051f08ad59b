extension Syntax {
    /// The help of a command: usage, description, parameters; wrapped at 80 columns.
    func helpText(path: String, isRoot: Bool) -> String {
        let sections: [(title: String, entries: [Entry])] = [
            ("Commands", commands.map { Entry(term: $0.name, text: $0.summary) }),
            ("Arguments", arguments.map { Entry(term: $0.name, text: $0.fullHelp) }),
            ("Options", (options + requests(isRoot: isRoot)).map { Entry(term: $0.helpTerm, text: $0.fullHelp) }),
            ("Environment", options.compactMap(\.environmentEntry)),
            ("Exit status", runs ? allStatuses : []),
        ]
        var blocks = [usageLines(path: path), summary.wrapped()]
        blocks += discussion.paragraphs.map { $0.wrapped() }
        blocks += sections.filter { !$0.entries.isEmpty }.map { "\($0.title):\n" + table($0.entries) }
        if !examples.isEmpty {
            blocks.append("Examples:\n" + examples.map { "  \($0.term)\n" + $0.text.wrapped(indent: 6) }.joined(separator: "\n"))
        }
        if !commands.isEmpty {
            blocks.append("'\(path) COMMAND --help' describes a command.".wrapped())
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The usage lines.
    func usages(path: String) -> [String] {
        let required = options.filter(\.isRequired).map(\.usage)
        let words = [path] + required + ["[OPTIONS]"] + arguments.map(\.usage)
        return (runs ? [words.joined(separator: " ")] : []) + (commands.isEmpty ? [] : ["\(path) COMMAND …"])
    }

    private func usageLines(path: String) -> String {
        usages(path: path).enumerated().map { index, usage in
            (index == 0 ? "Usage: " : "       ") + usage.wrapped(indent: 11).dropFirst(11)
        }.joined(separator: "\n")
    }

    /// Terms on the left, descriptions in a column on the right; a wide term gets a line of its own.
    private func table(_ entries: [Entry]) -> String {
        let widest = 26
        let column = (entries.map(\.term.count).filter { $0 <= widest }.max() ?? 2) + 4
        return entries.map { entry in
            let text = entry.text.wrapped(indent: column)
            guard entry.term.count <= widest else { return "  \(entry.term)\n\(text)" }
            return "  \(entry.term)" + String(repeating: " ", count: column - 2 - entry.term.count) + text.dropFirst(column)
        }.joined(separator: "\n")
    }
}

extension Parameter {
    fileprivate var helpTerm: String {
        (short.map { "-\($0), " } ?? "    ") + usage
    }

    var environmentEntry: Syntax.Entry? {
        environment.map { Syntax.Entry(term: $0, text: "Stands in for \(name).") }
    }
}

extension String {
    /// Wraps at 80 columns with the given indent. A longer word gets a line of its own.
    func wrapped(indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        for word in split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= 80 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(margin + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// The blocks between empty lines.
    var paragraphs: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).split { $0.isEmpty }.map { $0.joined(separator: "\n") }
    }
}

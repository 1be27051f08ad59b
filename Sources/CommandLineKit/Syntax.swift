/// A command without its types: all that parser, help, completions and manual page need.
struct Syntax: Sendable {
    /// A term and its description, in help and manual page.
    struct Entry: Sendable {
        var term: String
        var text: String
    }

    let name: String
    let summary: String
    /// True when it runs without a subcommand.
    let runs: Bool
    var discussion = ""
    var version: String?
    var parameters: [Parameter] = []
    /// Whether an unknown long option is an argument.
    var passesOptions = false
    /// The number of options before those under "More options"; nil without that heading.
    var firstOptions: Int?
    /// Index of the parameter that names a configuration file.
    var configuration: Int?
    var commands: [Syntax] = []
    var examples: [Entry] = []
    var exitStatuses: [Entry] = []
    var topics: [Topic] = []

    /// A section of the manual page.
    struct Topic: Sendable {
        var title: String
        var text: String
        var entries: [Entry]
    }

    /// The declared statuses, and those that every command ends with.
    var allStatuses: [Entry] {
        let standard = [
            Entry(term: "0", text: "Success."),
            Entry(term: String(UsageError.exitStatus), text: "The command line is invalid; nothing was done."),
            Entry(term: "74", text: "Standard output cannot be written."),
            Entry(term: "141", text: "Standard output was closed by its reader."),
        ]
        let declared = Set(exitStatuses.map(\.term))
        return (exitStatuses + standard.filter { !declared.contains($0.term) }).sorted { Int($0.term) ?? 0 < Int($1.term) ?? 0 }
    }

    /// Options and flags, in declaration order.
    var options: [Parameter] { parameters.filter { $0.kind != .argument } }
    /// Arguments, in declaration order.
    var arguments: [Parameter] { parameters.filter { $0.kind == .argument } }

    init(name: String, summary: String, runs: Bool) {
        precondition(
            !name.isEmpty && !name.hasPrefix("-") && name.utf8.allSatisfy(\.isNameByte), "'\(name)' is not a valid command name")
        self.name = name
        self.summary = summary
        self.runs = runs
    }

    func command(named name: String) -> Int? {
        commands.firstIndex { $0.name == name }
    }

    /// Requests that every command answers, and those of the root alone.
    func requests(isRoot: Bool) -> [Parameter] {
        let help = "Prints help. '--help all' prints everything."
        var requests = [Parameter(.request(.help), "--help", .yesOrNo, short: "h", help: help)]
        guard isRoot else { return requests }
        if version != nil { requests.append(Parameter(.request(.version), "--version", .yesOrNo, help: "Prints the version.")) }
        let completions = ValueFormat<Shell>.choice
        return requests + [
            Parameter(.request(.manual), "--manual", .yesOrNo, help: "Prints the manual page, for 'man -l -'."),
            Parameter(.request(.completions), "--completions", completions, help: "Prints completions for a shell."),
        ]
    }

    /// This command and its subcommands, parents first, each with its path.
    func walk(from path: String = "") -> [(path: String, syntax: Syntax)] {
        let here = path.isEmpty ? name : "\(path) \(name)"
        return [(here, self)] + commands.flatMap { $0.walk(from: here) }
    }

    /// Adds a parameter; traps if the declaration is ambiguous.
    mutating func add(_ parameter: Parameter) {
        switch parameter.kind {
        case .argument:
            if let last = arguments.last {
                precondition(!last.isRepeated, "\(name): \(parameter.name) follows the variadic \(last.name)")
                precondition(last.isRequired || !parameter.isRequired, "\(name): required \(parameter.name) follows \(last.name)")
            }
        default:
            let isLong = parameter.name.hasPrefix("--") && parameter.name.utf8.count > 2
            precondition(isLong && parameter.name.utf8.allSatisfy(\.isNameByte), "\(parameter.name) is not a valid long name")
            let taken = Set((options + requests(isRoot: true)).flatMap(\.spellings)).union(["--version"])
            let twice = parameter.spellings.first(where: taken.contains)
            precondition(twice == nil, "\(name): \(twice ?? "") is declared twice")
        }
        if let key = parameter.key {
            precondition(!parameters.contains { $0.key == key }, "\(name): two options have the key \(key)")
        }
        parameters.append(parameter)
    }

    // MARK: Completions

    // All three scripts walk the words before the cursor and track `at`, the command reached, and `option`, the option awaiting a
    // value. Suggestions depend on these two alone.

    var bashCompletions: String {
        let offers = places.map { place in
            let words = place.syntax.commands.map(\.name) + place.operands.words + place.options.flatMap(\.longNames)
            return "                \(place.path.quoted)) \(bashOffer(Completion(words: words, files: place.operands.files))) ;;"
        }
        let values = places.flatMap(\.values).filter { $0.completion != .none }.map {
            "        \($0.keys.map(\.quoted).joined(separator: " | "))) \(bashOffer($0.completion)) ;;"
        }
        return """
            # bash completion for \(name): source it, or put it into a bash-completion directory under the name \(name).
            \(function)() {
                local IFS=$' \\n' cur=${COMP_WORDS[COMP_CWORD]} at=\(name.quoted) option='' words='' files='' word
                COMPREPLY=()
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    if [[ $word == '=' ]]; then continue; fi
                    if [[ -n $option ]]; then option=''; continue; fi
                    case "$at $word" in
            \(walkArms(indent: 12, open: "", separator: " | "))
                    esac
                done
                if [[ $cur == '=' ]]; then cur=''; fi
                case $option in
            \((values + ["        '')", "            case $at in"] + offers).joined(separator: "\n"))
                        esac ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$cur"))
                if [[ -n $files ]]; then
                    compopt -o filenames -o default 2>/dev/null
                    # Read, not split: a name may have [ or *. Readline itself completes a quoted one.
                    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
                fi
            }
            complete -F \(function) \(name)

            """
    }

    var zshCompletions: String {
        let offers = places.flatMap { place in
            let options = place.options.flatMap { option in option.longNames.map { "\($0):\(option.brief)".quoted } }
            let commands = place.syntax.commands.map { "\($0.name):\($0.summary.firstSentence)".quoted }
            return ["                (\(place.path.quoted))"]
                + (commands.isEmpty ? [] : list("subcommands", commands))
                + list("flags", options)
                + ["                    \(zshOffer(place.operands)) ;;"]
        }
        let values = places.flatMap(\.values).filter { $0.completion != .none }.map {
            "        (\($0.keys.map(\.quoted).joined(separator: "|"))) \(zshOffer($0.completion)) ;;"
        }
        return """
            #compdef \(name)
            # zsh completion for \(name): put it into a directory of $fpath under the name _\(name), or source it after compinit.
            \(function)() {
                local at=\(name.quoted) option='' files='' word
                local -a subcommands flags values
                for word in "${(@)words[2,CURRENT-1]}"; do
                    if [[ -n $option ]]; then option=''; continue; fi
                    case "$at $word" in
            \(walkArms(indent: 12, open: "(", separator: "|"))
                    esac
                done
                if [[ $words[CURRENT] == --*=* ]]; then
                    option="$at ${words[CURRENT]%%=*}"
                    compset -P '*='
                fi
                case $option in
            \((values + ["        ('')", "            case $at in"] + offers).joined(separator: "\n"))
                        esac ;;
                esac
                if (( $#subcommands )); then _describe -t commands command subcommands; fi
                if (( $#flags )); then _describe -o -t options option flags; fi
                if (( $#values )); then compadd -a values; fi
                if [[ -n $files ]]; then _files; fi
            }
            if [[ $funcstack[1] == _\(name) ]]; then \(function) "$@"; else compdef \(function) \(name); fi

            """
    }

    var fishCompletions: String {
        let lines = places.flatMap { place in
            let start = "complete -c \(name) -n \("_\(function)_at \(place.path.quoted)".quoted)"
            let commands = place.syntax.commands.map { "\(start) -a \($0.name.quoted) -d \($0.summary.firstSentence.fishQuoted)" }
            let operands = place.operands == .none ? [] : [start + fishOffer(place.operands)]
            let options = place.options.flatMap { option in
                let short = option.short.map { " -s \(String($0).quoted)" } ?? ""
                let value = option.takesValue ? (option.completion.files ? " -r" : " -x") + fishOffer(option.completion) : ""
                let about = " -d \(option.brief.fishQuoted)"
                let negation = option.negation.map { "\(start) -l \($0.dropFirst(2))\(about)" }
                return ["\(start) -l \(option.name.dropFirst(2))\(short)\(value)\(about)"] + [negation].compactMap(\.self)
            }
            return commands + operands + options
        }
        return """
            # fish completion for \(name): put it into ~/.config/fish/completions under the name \(name).fish.
            function _\(function)_at --description 'Whether the words before the cursor lead to this command'
                set -l at \(name.quoted)
                set -l option ''
                for word in (commandline -opc)[2..-1]
                    if test -n "$option"
                        set option ''
                        continue
                    end
                    switch "$at $word"
            \(fishWalkArms)
                    end
                end
                test "$at" = "$argv[1]"
            end
            complete -c \(name) -f
            \(lines.joined(separator: "\n"))

            """
    }

    private var function: String { "_" + name.map { $0.isLetter || $0.isNumber ? $0 : "_" } }

    /// Case arms from a command to a subcommand or to an option awaiting a value; `--` has none.
    private func walkArms(indent: Int, open: String, separator: String) -> String {
        let keys = places.flatMap(\.values).flatMap(\.keys).map(\.quoted).joined(separator: separator)
        let steps = places.dropFirst().map { "\(open)\($0.path.quoted)) at=\($0.path.quoted) ;;" }
        let arms = (keys.isEmpty ? [] : ["\(open)\(keys)) option=\"$at $word\" ;;"]) + steps + ["\(open)*' --') at='--' ;;"]
        return arms.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    private var fishWalkArms: String {
        let keys = places.flatMap(\.values).flatMap(\.keys).map(\.quoted).joined(separator: " ")
        let steps = places.dropFirst().flatMap { ["case \($0.path.quoted)", "    set at \($0.path.quoted)"] }
        let arms = (keys.isEmpty ? [] : ["case \(keys)", "    set option $word"]) + steps + ["case '* --'", "    set at '--'"]
        return arms.map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }

    private func bashOffer(_ completion: Completion) -> String {
        "words=\(completion.words.joined(separator: " ").quoted)" + (completion.files ? " files=1" : "")
    }

    private func zshOffer(_ completion: Completion) -> String {
        "values=(\(completion.words.map(\.quoted).joined(separator: " ")))" + (completion.files ? " files=1" : "")
    }

    private func fishOffer(_ completion: Completion) -> String {
        (completion.words.isEmpty ? "" : " -a \(completion.words.joined(separator: " ").quoted)")
            + (completion.files ? " -F" : "")
    }

    private func list(_ name: String, _ items: [String]) -> [String] {
        ["                    \(name)=("] + items.map { "                        \($0)" } + ["                    )"]
    }
}

extension Syntax {
    /// A command and the completions available in it.
    private struct Place {
        let path: String
        let syntax: Syntax
        let isRoot: Bool

        var options: [Parameter] { syntax.options + syntax.requests(isRoot: isRoot) }

        /// Completions for operands.
        var operands: Completion {
            let offers = syntax.arguments.map(\.completion)
            return Completion(words: offers.flatMap(\.words), files: offers.contains(where: \.files))
        }

        /// Completions for the value of each option, keyed by command and spelling.
        var values: [(keys: [String], completion: Completion)] {
            options.filter(\.takesValue).map { option in (option.spellings.map { "\(path) \($0)" }, option.completion) }
        }
    }

    private var places: [Place] {
        walk().enumerated().map { Place(path: $1.path, syntax: $1.syntax, isRoot: $0 == 0) }
    }

    // MARK: Help

    /// The help of a command, wrapped at 80 columns: all of it if it is asked for or fits on a screen, else a screen.
    func helpText(path: String, isRoot: Bool, isComplete: Bool) -> String {
        let screen = 24
        let complete = completeHelp(path: path, isRoot: isRoot)
        if isComplete || complete.lineCount <= screen { return complete }
        // Names of commands alone leave room for options.
        let limit = firstOptions ?? min(10, options.count)
        let forms = [(true, min(5, limit)), (false, 0)].flatMap { describes, least in
            (least...limit).reversed().map { (describes, $0) }
        }
        let helps = forms.lazy.map { briefHelp(path: path, describingCommands: $0, optionCount: $1) }
        return helps.first { $0.lineCount <= screen } ?? complete
    }

    private func completeHelp(path: String, isRoot: Bool) -> String {
        let all = options + requests(isRoot: isRoot)
        let first = firstOptions ?? all.count
        let sections: [(title: String, entries: [Entry])] = [
            ("Commands", commands.map { Entry(term: $0.name, text: $0.summary) }),
            ("Arguments", arguments.map { Entry(term: $0.name, text: $0.fullHelp) }),
            ("Options", all.prefix(first).map(\.helpEntry)),
            ("More options", all.dropFirst(first).map(\.helpEntry)),
            ("Exit status", runs ? allStatuses : []),
        ]
        var blocks = [usageLines(path: path), summary.wrapped()]
        blocks += discussion.paragraphs.map { $0.wrapped() }
        blocks += sections.filter { !$0.entries.isEmpty }.map { "\($0.title):\n" + table($0.entries) }
        if let environmentSentence { blocks.append(environmentSentence.wrapped()) }
        if !examples.isEmpty {
            blocks.append("Examples:\n" + examples.map { "  \($0.term)\n" + $0.text.wrapped(indent: 6) }.joined(separator: "\n"))
        }
        if !commands.isEmpty {
            blocks.append("'\(path) COMMAND --help' describes a command.".wrapped())
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The first sentence about each command, argument and option.
    private func briefHelp(path: String, describingCommands: Bool, optionCount: Int) -> String {
        let names = commands.map(\.name).joined(separator: ", ")
        let sections: [(title: String, entries: [Entry])] = [
            ("Commands", describingCommands ? commands.map { Entry(term: $0.name, text: $0.summary.firstSentence) } : []),
            ("Arguments", arguments.map { Entry(term: $0.name, text: $0.briefHelp) }),
            ("Options", options.prefix(optionCount).map { Entry(term: $0.helpTerm, text: $0.briefHelp) }),
        ]
        var blocks = [usageLines(path: path), summary.wrapped()]
        blocks += sections.filter { !$0.entries.isEmpty }.map { "\($0.title):\n" + table($0.entries) }
        if !describingCommands, !names.isEmpty { blocks.append("Commands: \(names).".wrapped()) }
        let ofCommand = commands.isEmpty ? "" : "; '\(path) COMMAND --help' describes a command"
        blocks.append("'\(path) --help all' prints the complete help\(ofCommand).".wrapped())
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// All variables of a few, else the first one as an example, and those whose names are not made of the option's. The manual page
    /// lists all.
    private var environmentSentence: String? {
        let pairs = options.compactMap { option in option.environment.map { (option.name, $0) } }
        guard !pairs.isEmpty else { return nil }
        let named = pairs.enumerated().filter { index, pair in
            index == 0 || pairs.count <= 5 || !pair.1.hasSuffix(pair.0.dropFirst(2).uppercased().replacing("-", with: "_"))
        }
        return "Environment: " + (pairs.count > 5 ? "each setting has a variable, such as " : "")
            + named.map { "\($0.element.1) for \($0.element.0)" }.joined(separator: ", ") + "."
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

    // MARK: Manual

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
    /// Short names are not suggested.
    fileprivate var longNames: [String] { [name, negation].compactMap(\.self) }
}

extension String {
    /// As `quoted`, for fish, where a backslash within quotes is special.
    fileprivate var fishQuoted: String {
        split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\").quoted
    }

    /// The text in single quotes, valid in all three shells.
    fileprivate var quoted: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension Parameter {
    fileprivate var helpEntry: Syntax.Entry { Syntax.Entry(term: helpTerm, text: fullHelp) }

    fileprivate var helpTerm: String {
        (short.map { "-\($0), " } ?? "    ") + usage
    }

    var environmentEntry: Syntax.Entry? {
        environment.map { Syntax.Entry(term: $0, text: "Sets \(name).") }
    }
}

extension String {
    fileprivate var lineCount: Int { utf8.count { $0 == UInt8(ascii: "\n") } }

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

/// A shell supported by completions.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Command {
    /// Its own words in a usage line: `PLAYER`, `[--reason TEXT]`.
    public var operands: [String] { syntax.arguments.map(\.usage) + syntax.options.map { "[\($0.usage)]" } }

    /// The text of `--help all` for this command as root.
    public var help: String { syntax.helpText(path: syntax.name, isRoot: true, isComplete: true) }

    /// The text of `--manual`: a manual page in roff's `man` macros.
    package var manualPage: String { syntax.manualPage }

    /// The text of `--completions`: a completion script for the shell.
    package func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: syntax.bashCompletions
        case .zsh: syntax.zshCompletions
        case .fish: syntax.fishCompletions
        }
    }
}

/// The result of the first parsing pass: the selected command and unparsed texts for its parameters, or a request.
struct Selection: Sendable {
    /// The commands from the root to the chosen one.
    private(set) var commands: [Syntax]
    /// Index of each selected command among its parent's subcommands.
    private(set) var path: [Int] = []
    /// Texts for each parameter of the selected command, by parameter index.
    private(set) var texts: [Int: [String]] = [:]
    private(set) var request: (kind: Request, text: String)?

    private var operands: [String] = []
    private var rest: ArraySlice<String>

    /// The selected command.
    var syntax: Syntax { commands[commands.count - 1] }
    /// The names of the path, separated by spaces.
    var command: String { commands.map(\.name).joined(separator: " ") }

    /// Sorts the words; throws at the first that does not fit. A request ends the parse.
    init(of words: ArraySlice<String>, from root: Syntax) throws(UsageError) {
        commands = [root]
        rest = words
        do throws(UsageError) {
            try readAll()
        } catch {
            throw error.of(command)
        }
    }

    private mutating func readAll() throws(UsageError) {
        while request == nil, let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            } else if word.hasPrefix("--") {
                try readLong(word)
            } else if looksLikeOption(word) {
                try readShort(word)
            } else {
                try readOperand(word)
            }
        }
        if request == nil { try assignOperands() }
    }

    /// `--name`, `--name value`, `--name=value`, `--no-name`.
    private mutating func readLong(_ word: String) throws(UsageError) {
        // Splits bytes, not characters: a combining mark at the start of a value would join the "=".
        let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(Substring(parts[0]))
        let inline = parts.count > 1 ? String(Substring(parts[1])) : nil
        guard let (index, parameter) = find(name) else {
            if syntax.passesOptions { return operands.append(word) }
            throw UsageError("unknown option \(quoted(name))", nearest: nearest(to: name, among: known.flatMap(\.spellings)))
        }
        if parameter.takesValue {
            let text = if let inline { inline } else { try nextValue(of: parameter) }
            take(parameter, index, text)
        } else if inline != nil {
            throw UsageError("\(name) takes no value")
        } else {
            take(parameter, index, name == parameter.negation ? "no" : "yes")
        }
    }

    /// `-n value`, `-nvalue`, `-n=value`, and flags together as in `-ab`.
    private mutating func readShort(_ word: String) throws(UsageError) {
        var letters = word.dropFirst()
        while request == nil, let letter = letters.popFirst() {
            guard let (index, parameter) = find("-\(letter)") else {
                throw UsageError("unknown option \(quoted("-\(letter)"))")
            }
            guard parameter.takesValue else {
                take(parameter, index, "yes")
                continue
            }
            if letters.isEmpty { return take(parameter, index, try nextValue(of: parameter)) }
            if letters.utf8.first == UInt8(ascii: "=") { letters.unicodeScalars.removeFirst() }
            return take(parameter, index, String(letters))
        }
    }

    /// The next word, unless it looks like an option: in `--name --plain` the value is probably missing.
    private mutating func nextValue(of parameter: Parameter) throws(UsageError) -> String {
        guard let next = rest.first, next != "--", !looksLikeOption(next) else {
            throw UsageError("\(parameter.name) requires a value: \(parameter.expected)")
        }
        rest.removeFirst()
        return next
    }

    private mutating func take(_ parameter: Parameter, _ index: Int, _ text: String) {
        if case .request(let kind) = parameter.kind {
            // The request ends the parse, so a word after `--help` is no argument.
            request = (kind, kind == .help ? rest.first ?? "" : text)
        } else {
            texts[index, default: []].append(text)
        }
    }

    /// A subcommand before any argument, else an argument.
    private mutating func readOperand(_ word: String) throws(UsageError) {
        guard operands.isEmpty, !syntax.commands.isEmpty else { return operands.append(word) }
        if let index = syntax.command(named: word) {
            let given = texts.keys.min()
            let parent = syntax
            commands.append(parent.commands[index])
            path.append(index)
            if let given { throw UsageError("does not take \(parent.parameters[given].name), which was given before it") }
        } else if syntax.arguments.isEmpty {
            let names = syntax.commands.map(\.name)
            let near = nearest(to: word, among: names)
            let others = near == nil ? "; known: \(names.joined(separator: ", "))" : ""
            throw UsageError("unknown command \(quoted(word))\(others)", nearest: near)
        } else if let near = typo(of: word, among: syntax.commands.map(\.name)) {
            let words = "unknown command \(quoted(word))\(UsageError.hint(near))"
            throw UsageError("\(words) To use it as \(syntax.arguments[0].name), put '--' before it")
        } else {
            operands.append(word)
        }
    }

    /// Assigns operands to arguments: one each, the rest to a variadic last one.
    private mutating func assignOperands() throws(UsageError) {
        var left = operands[...]
        for (index, parameter) in syntax.parameters.enumerated() where parameter.kind == .argument && !left.isEmpty {
            let count = parameter.isRepeated ? left.count : 1
            texts[index] = Array(left.prefix(count))
            left = left.dropFirst(count)
        }
        if let word = left.first { throw UsageError("unexpected argument \(quoted(word))") }
    }

    /// A dash and more, except a negative number.
    private func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isNumber || second == ".") || find("-\(second)") != nil
    }

    /// Parameters of the selected command, for suggestions.
    private var known: [Parameter] {
        syntax.options + syntax.requests(isRoot: path.isEmpty)
    }

    private func find(_ spelling: String) -> (Int, Parameter)? {
        if let index = syntax.parameters.firstIndex(where: { $0.kind != .argument && $0.spellings.contains(spelling) }) {
            return (index, syntax.parameters[index])
        }
        let requests = syntax.requests(isRoot: path.isEmpty)
        return requests.first { $0.spellings.contains(spelling) }.map { (-1, $0) }
    }
}

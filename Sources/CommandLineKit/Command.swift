/// A declaration of one command: parser, help, shell completions and manual page derive from it, so they cannot disagree. A faulty one (a
/// duplicate name, an argument after a variadic one) traps at declaration.
///
/// ```swift
/// let command = Command("bjserver", "Hosts blackjack tables.", defaults: Serve(), program: Program.serve) {
///     $0.option("--listen", \.listen, .endpoint(), environment: "BJ_LISTEN", help: "Where to listen.")
///     $0.option("--bots", \.bots, .int(0...7), help: "House bots per table.")
///     $0.subcommand(Command("rules", "Prints a rule book.", defaults: ShowRules(), program: Program.rules))
/// }
/// ```
///
/// - `Options` is the command's own structure; its initial value holds the defaults.
/// - `Program` is the common type of all commands of an executable: an enumeration that `main` switches over.
public struct Command<Options: Sendable, Program>: Sendable {
    typealias Run = (program: Program, settings: [Setting])
    typealias Child = @Sendable (Selection, Int, Surroundings) throws(UsageError) -> Run

    var syntax: Syntax
    var slots: [Slot<Options>] = []
    var children: [Child] = []
    let defaults: Options
    let program: (@Sendable (Options) throws(UsageError) -> Program)?

    /// Declares a runnable command.
    ///
    /// - Parameters:
    ///   - name: The subcommand's word; for the root, the executable's name.
    ///   - summary: One sentence.
    ///   - defaults: The values used when no source sets a parameter.
    ///   - program: Maps the options to a program value. Throws ``UsageError/init(_:)`` to refuse a combination of options.
    ///   - declare: Adds options, arguments, subcommands and texts, one statement each: a single long expression exceeds the
    ///     type checker's limits.
    public init(
        _ name: String, _ summary: String, defaults: Options,
        program: @escaping @Sendable (Options) throws(UsageError) -> Program,
        declare: (inout Self) -> Void = { _ in }
    ) {
        self.syntax = Syntax(name: name, summary: summary, runs: true)
        self.defaults = defaults
        self.program = program
        declare(&self)
    }

    /// Adds paragraphs after the summary. An empty line separates paragraphs.
    public mutating func discussion(_ text: String) {
        syntax.discussion = text
    }

    /// Adds an example: the full command line and its purpose.
    public mutating func example(_ line: String, _ explanation: String) {
        syntax.examples.append(.init(term: line, text: explanation))
    }

    /// Adds a section to the manual page, for text that is too long for the help. An empty line separates paragraphs. Only the root's
    /// topics are used.
    /// - Parameter entries: terms, each with its meaning, behind the text.
    public mutating func topic(_ title: String, _ text: String, entries: [(term: String, meaning: String)] = []) {
        syntax.topics.append(.init(title: title, text: text, entries: entries.map { .init(term: $0.term, text: $0.meaning) }))
    }

    /// Documents an exit status, or replaces the text of one that every command has: 0, 64, 74 and 141.
    public mutating func exitStatus(_ status: Int32, _ meaning: String) {
        syntax.exitStatuses.append(.init(term: String(status), text: meaning))
    }

    /// Adds `--version`, which prints `NAME VERSION`. Only the root command's version is used.
    public mutating func version(_ version: String) {
        syntax.version = version
    }

    /// Adds a subcommand, selected by its name as the first word that is not an option.
    public mutating func subcommand<Inner>(_ child: Command<Inner, Program>) {
        precondition(syntax.command(named: child.syntax.name) == nil, "\(syntax.name) has \(child.syntax.name) already")
        syntax.commands.append(child.syntax)
        children.append(child.bind)
    }

    /// Starts the options that the complete help has under "More options", and the help of one screen leaves out. Without a call these
    /// are the options after the tenth.
    public mutating func moreOptions() { syntax.firstOptions = syntax.options.count }

    // MARK: Parameters

    // The property's type decides the arity: `Value` at most once, with its current value as default; `Value?` may stay `nil`;
    // `[Value]` any number of times.

    /// Adds an option that takes a value: `--name value`, `--name=value`, and with a short letter `-n value`, `-nvalue`.
    ///
    /// The last occurrence wins, so that an alias can be overridden.
    ///
    /// - Parameters:
    ///   - name: The long name, dashes included: `"--listen"`.
    ///   - property: The property of the options that it sets.
    ///   - format: How the value is parsed and printed.
    ///   - value: The placeholder in help; nil for the format's own (such as `N`).
    ///   - short: One letter, used with one dash.
    ///   - environment: The variable read when the option is not given. An empty variable counts as unset.
    ///   - key: The key in a configuration file; nil derives it from the name: `--idle-timeout` is `idleTimeout`.
    ///   - inFile: Whether a configuration file may have it.
    ///   - required: True makes omission a usage error; the property's default is then unused.
    ///   - help: One or a few sentences.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        inFile: Bool = true, required: Bool = false, help: String
    ) {
        let parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, inFile: inFile,
            required: required, help: help)
        add(parameter, Slot(one: property, format))
    }

    /// Adds an optional option: the property keeps its default, usually `nil`, when the option is absent.
    ///
    /// Parameters as for an option with a plain value.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        inFile: Bool = true, required: Bool = false, help: String
    ) {
        let parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, inFile: inFile,
            required: required, help: help)
        add(parameter, Slot(optional: property, format))
    }

    /// Adds a repeatable option. The given values replace the default as a whole.
    ///
    /// The environment variable separates values by commas. Parameters as for an option with a plain value.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, [Value]> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        inFile: Bool = true, required: Bool = false, help: String
    ) {
        var parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, inFile: inFile,
            required: required, help: help)
        parameter.isRepeated = true
        add(parameter, Slot(many: property, format))
    }

    /// Adds the option that names a configuration file: a JSON object with the keys of this command's options. Precedence:
    /// command line, environment, file, default. An unknown key is an error.
    public mutating func configurationFile(
        _ name: String, _ property: WritableKeyPath<Options, String?> & Sendable, environment: String? = nil, help: String
    ) {
        precondition(syntax.configuration == nil, "\(syntax.name) already has a configuration file")
        option(name, property, .path, environment: environment, inFile: false, help: help)
        syntax.configuration = syntax.parameters.count - 1
    }

    /// Adds a flag: `--name` sets the property to true and, where `negatable`, `--no-name` to false.
    ///
    /// The environment variable accepts `yes`, `true`, `on`, `1` and `no`, `false`, `off`, `0`.
    public mutating func flag(
        _ name: String, _ property: WritableKeyPath<Options, Bool> & Sendable,
        negatable: Bool = false, short: Character? = nil, environment: String? = nil, inFile: Bool = true, help: String
    ) {
        let parameter = Parameter(
            .flag(negatable: negatable), name, .yesOrNo, short: short, environment: environment, inFile: inFile, help: help)
        add(parameter, Slot(one: property, .yesOrNo))
    }

    /// Adds a positional argument.
    ///
    /// - Parameters:
    ///   - name: The placeholder in help and errors: `"HOST:PORT"`.
    ///   - required: True makes omission a usage error. A required argument must not follow an optional one.
    public mutating func argument<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>,
        required: Bool = false, help: String
    ) {
        add(Parameter(.argument, name, format, required: required, help: help), Slot(one: property, format))
    }

    /// Adds an optional argument: the property keeps its default, usually `nil`, when the argument is absent.
    public mutating func argument<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>,
        required: Bool = false, help: String
    ) {
        add(Parameter(.argument, name, format, required: required, help: help), Slot(optional: property, format))
    }

    /// Adds a last argument that takes all remaining words; at least one if `required`.
    public mutating func argument<Value>(
        _ name: String, _ property: WritableKeyPath<Options, [Value]> & Sendable, _ format: ValueFormat<Value>,
        required: Bool = false, help: String
    ) {
        var parameter = Parameter(.argument, name, format, required: required, help: help)
        parameter.isRepeated = true
        add(parameter, Slot(many: property, format))
    }

    /// Passes unknown long options on as arguments, in their order, for a command that hands its words to another program.
    public mutating func passOptions() { syntax.passesOptions = true }

    private mutating func add(_ parameter: Parameter, _ slot: Slot<Options>) {
        var parameter = parameter
        if !parameter.isRequired { parameter.fallback = slot.show(defaults) }
        syntax.add(parameter)
        slots.append(slot)
    }

    // MARK: Parsing

    /// Parses a command line as the root command of an executable.
    ///
    /// - Parameters:
    ///   - arguments: The words after the executable's name: `CommandLine.arguments.dropFirst()`.
    ///   - environment: The environment variables. Reads only declared ones, and only for options not given.
    ///   - readFile: Returns the bytes of the configuration file, if one is named.
    /// - Returns: A program to run, a text to print, or an error. Total: every list of words has an outcome.
    public func parse(
        _ arguments: some Sequence<String>, environment: [String: String] = [:],
        readFile: @escaping (String) throws(FileError) -> [UInt8] = { path throws(FileError) in
            throw FileError(file: path, problem: "files are not read here")
        }
    ) -> Outcome<Program> {
        do throws(UsageError) {
            let selection = try Selection(of: Array(arguments)[...], from: syntax)
            do throws(UsageError) {
                if let request = selection.request { return .answer(try answer(to: request, in: selection)) }
                let surroundings = Surroundings(environment: environment, readFile: readFile)
                let run = try bind(selection, depth: 0, surroundings)
                return .run(run.program, settings: run.settings)
            } catch {
                throw error.of(selection.command)
            }
        } catch {
            return .refusal(error)
        }
    }

    /// Parses the selected texts into the options of the selected command: this one or a subcommand.
    func bind(_ selection: Selection, depth: Int, _ surroundings: Surroundings) throws(UsageError) -> Run {
        if depth < selection.path.count {
            return try children[selection.path[depth]](selection, depth + 1, surroundings)
        }
        guard let program else {
            throw UsageError("missing command: one of \(syntax.commands.map(\.name).joined(separator: ", "))")
        }
        if syntax.configuration != nil { try refuseMisspelt(surroundings.environment) }
        var options = defaults
        var sources: [Setting.Source] = []
        let fields = try fields(selection, surroundings)
        for (index, parameter) in syntax.parameters.enumerated() {
            var (texts, source) = parameter.texts(given: selection.texts[index], environment: surroundings.environment)
            if let field = fields[index] {
                // Parses file values even when overridden, so that an error in the file shows at once.
                try assign(field, to: slots[index], &options)
                if source == .default { source = .file(field.file) }
            }
            sources.append(source)
            if let bad = texts.isEmpty ? nil : slots[index].assign(texts, &options) {
                throw .badValue(
                    bad, of: parameter.name, variable: source.variable, expected: parameter.expected,
                    words: parameter.completion.words)
            }
        }
        let missing = zip(syntax.parameters, sources).filter { $0.isRequired && $1 == .default }.map(\.0.usage)
        guard missing.isEmpty else { throw UsageError("missing \(missing.joined(separator: ", "))") }
        return (try program(options), settings(of: options, sources))
    }

    /// Refuses a variable with the prefix `BJ_` that resembles a setting: it would have no effect. Others may belong to other programs.
    private func refuseMisspelt(_ environment: [String: String]) throws(UsageError) {
        let known = syntax.walk().flatMap { $0.syntax.parameters.compactMap(\.environment) }
        guard let prefix = known.first?.prefix(while: { $0 != "_" }) else { return }
        let settings = known.map { String($0.dropFirst(prefix.count + 1)) }
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where !value.isEmpty && name.hasPrefix(prefix + "_") && !known.contains(name) {
            guard let near = nearest(to: String(name.dropFirst(prefix.count + 1)), among: settings) else { continue }
            throw UsageError("unknown environment variable \(quoted(name))", nearest: "\(prefix)_\(near)")
        }
    }

    private func settings(of options: Options, _ sources: [Setting.Source]) -> [Setting] {
        syntax.parameters.indices.map { index in
            let parameter = syntax.parameters[index]
            return Setting(
                name: parameter.name, value: slots[index].show(options), source: sources[index],
                key: syntax.configuration == nil ? nil : parameter.key)
        }
    }

    /// Values of the configuration file, if one is named, by parameter index.
    private func fields(_ selection: Selection, _ surroundings: Surroundings) throws(UsageError) -> [Int: JSONField] {
        guard let place = syntax.configuration else { return [:] }
        let parameter = syntax.parameters[place]
        guard let path = parameter.texts(given: selection.texts[place], environment: surroundings.environment).0.last else {
            return [:]
        }
        do throws(FileError) {
            let members = try JSONField(parsing: surroundings.readFile(path), file: path)
                .members("an object with the keys of the configuration", known: syntax.parameters.compactMap(\.key))
            var fields: [Int: JSONField] = [:]
            for (index, parameter) in syntax.parameters.enumerated() { fields[index] = parameter.key.flatMap { members[$0] } }
            return fields
        } catch {
            throw UsageError(error.description, status: 65)
        }
    }

    private func assign(_ field: JSONField, to slot: Slot<Options>, _ options: inout Options) throws(UsageError) {
        do throws(FileError) { try slot.assignField(field, &options) } catch { throw UsageError(error.description, status: 65) }
    }

    private func answer(to request: (kind: Request, text: String), in selection: Selection) throws(UsageError) -> String {
        switch request.kind {
        case .help:
            return selection.syntax.helpText(
                path: selection.command, isRoot: selection.path.isEmpty, isComplete: request.text == "all")
        case .version:
            return "\(syntax.name) \(syntax.version ?? "")\n"
        case .manual:
            return manualPage
        case .completions:
            guard let shell = Shell(rawValue: request.text) else {
                let format: ValueFormat<Shell> = .choice
                throw .badValue(
                    request.text, of: "--completions", expected: format.expected, words: format.completion.words)
            }
            return completions(for: shell)
        }
    }
}

/// Sources of values besides the command line.
struct Surroundings {
    let environment: [String: String]
    /// Returns the bytes of a configuration file.
    let readFile: (String) throws(FileError) -> [UInt8]
}

extension Command where Options == Void {
    /// Declares a group of subcommands: run without one, it is a usage error that lists them.
    public init(group name: String, _ summary: String, declare: (inout Self) -> Void) {
        self.syntax = Syntax(name: name, summary: summary, runs: false)
        self.defaults = ()
        self.program = nil
        declare(&self)
    }
}

extension Parameter {
    /// The texts for this parameter and their source; empty when the default applies.
    fileprivate func texts(given: [String]?, environment: [String: String]) -> ([String], Setting.Source) {
        if let given { return (given, .commandLine) }
        guard let variable = self.environment, let text = environment[variable], !text.isEmpty else { return ([], .default) }
        return (isRepeated ? text.split(separator: ",").map(String.init) : [text], .environment(variable))
    }
}

extension Setting.Source {
    fileprivate var variable: String? {
        if case .environment(let name) = self { name } else { nil }
    }
}

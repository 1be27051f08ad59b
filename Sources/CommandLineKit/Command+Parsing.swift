extension Command {
    /// Parses a command line as the root command of an executable.
    ///
    /// - Parameters:
    ///   - arguments: The words after the executable's name: `CommandLine.arguments.dropFirst()`.
    ///   - environment: The environment variables. Reads only declared ones, and only for options not given.
    ///   - readFile: Returns the bytes of the configuration file, if one is named.
    /// - Returns: A program to run, a text to print, or an error. Total: every list of words has an outcome.
    public func parse(
        _ arguments: some Sequence<String>, environment: [String: String] = [:],
        readFile: @escaping (String) throws(ConfigurationError) -> [UInt8] = { path throws(ConfigurationError) in
            throw ConfigurationError(file: path, place: "", problem: "files are not read here")
        }
    ) -> Outcome<Program> {
        do throws(UsageError) {
            let selection = try Selection(of: Array(arguments)[...], from: syntax)
            if let request = selection.request { return .answer(try answer(to: request, in: selection)) }
            do throws(UsageError) {
                let surroundings = Surroundings(environment: environment, readFile: readFile)
                let run = try bind(selection, depth: 0, surroundings)
                return .run(run.program, settings: run.settings)
            } catch {
                throw UsageError(error.reason, command: selection.command)
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
        guard let program else { throw UsageError(.missingCommand(known: syntax.commands.map(\.name))) }
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
                throw UsageError(
                    .badValue(
                        name: parameter.name, variable: source.variable, text: bad, expected: parameter.expected,
                        nearest: nearest(to: bad, among: parameter.completion.words)))
            }
        }
        let missing = zip(syntax.parameters, sources).filter { $0.isRequired && $1 == .default }.map(\.0.usage)
        guard missing.isEmpty else { throw UsageError(.missing(missing)) }
        return (try program(options), settings(of: options, sources))
    }

    /// Variables of the same prefix (`BJ_`) that are nearly a setting would have no effect. Others belong to other programs.
    private func refuseMisspelt(_ environment: [String: String]) throws(UsageError) {
        let known = syntax.walk().flatMap { $0.syntax.parameters.compactMap(\.environment) }
        guard let prefix = known.first?.prefix(while: { $0 != "_" }) else { return }
        let settings = known.map { String($0.dropFirst(prefix.count + 1)) }
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where !value.isEmpty && name.hasPrefix(prefix + "_") && !known.contains(name) {
            guard let near = nearest(to: String(name.dropFirst(prefix.count + 1)), among: settings) else { continue }
            throw UsageError(.unknownVariable(name, nearest: "\(prefix)_\(near)"))
        }
    }

    private func settings(of options: Options, _ sources: [Setting.Source]) -> [Setting] {
        syntax.parameters.indices.map { index in
            let parameter = syntax.parameters[index]
            let value = slots[index].show(options)
            return Setting(
                name: parameter.name, value: parameter.traits.contains(.secret) ? value.map { _ in "(set)" } : value,
                source: sources[index], key: syntax.configuration == nil ? nil : parameter.key,
                isReloadable: parameter.traits.contains(.reloadable))
        }
    }

    /// Values of the configuration file, if one is named, by parameter index.
    private func fields(_ selection: Selection, _ surroundings: Surroundings) throws(UsageError) -> [Int: ConfigurationField] {
        guard let place = syntax.configuration else { return [:] }
        let parameter = syntax.parameters[place]
        guard let path = parameter.texts(given: selection.texts[place], environment: surroundings.environment).0.last else {
            return [:]
        }
        do throws(ConfigurationError) {
            let value = try ConfigurationReader.read(surroundings.readFile(path), file: path)
            let keys = syntax.parameters.compactMap(\.key)
            let members = try ConfigurationField(file: path, place: "", value: value)
                .members("an object with the keys of the configuration", known: keys)
            var fields: [Int: ConfigurationField] = [:]
            for (index, parameter) in syntax.parameters.enumerated() { fields[index] = parameter.key.flatMap { members[$0] } }
            return fields
        } catch {
            throw UsageError(.badFile(error))
        }
    }

    private func assign(_ field: ConfigurationField, to slot: Slot<Options>, _ options: inout Options) throws(UsageError) {
        do throws(ConfigurationError) { try slot.assignField(field, &options) } catch { throw UsageError(.badFile(error)) }
    }

    private func answer(to request: (kind: Request, text: String), in selection: Selection) throws(UsageError) -> String {
        switch request.kind {
        case .help:
            return selection.syntax.helpText(path: selection.command, isRoot: selection.path.isEmpty)
        case .version:
            return "\(syntax.name) \(syntax.version ?? "")\n"
        case .manual:
            return manualPage
        case .completions:
            guard let shell = Shell(rawValue: request.text) else {
                let expected = (.choice as ValueFormat<Shell>).expected
                throw UsageError(
                    .badValue(
                        name: "--completions", variable: nil, text: request.text, expected: expected,
                        nearest: nearest(to: request.text, among: Shell.allCases.map(\.rawValue))),
                    command: selection.command)
            }
            return completions(for: shell)
        }
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

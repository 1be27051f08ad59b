extension Command {
    /// Reads a command line as the root command of an executable.
    ///
    /// - Parameters:
    ///   - arguments: The words after the executable's name: `CommandLine.arguments.dropFirst()`.
    ///   - environment: The environment variables. Only declared ones are looked at, and only where an option was not given.
    /// - Returns: What to run, what to print, or what is wrong; any list of words gives one of these.
    public func parse(_ arguments: some Sequence<String>, environment: [String: String] = [:]) -> Outcome<Program> {
        do throws(UsageError) {
            let selection = try Selection(of: Array(arguments)[...], from: syntax)
            if let request = selection.request { return .answer(try answer(to: request, in: selection)) }
            do throws(UsageError) {
                let run = try bind(selection, depth: 0, environment: environment)
                return .run(run.program, settings: run.settings)
            } catch {
                throw UsageError(error.reason, command: selection.command)
            }
        } catch {
            return .refusal(error)
        }
    }

    /// Reads the selected texts into the options of the selected command: this one or one below.
    func bind(_ selection: Selection, depth: Int, environment: [String: String]) throws(UsageError) -> Run {
        if depth < selection.path.count {
            return try children[selection.path[depth]](selection, depth + 1, environment)
        }
        guard let program else { throw UsageError(.missingCommand(known: syntax.commands.map(\.name))) }
        var options = defaults
        var sources: [Setting.Source] = []
        for (index, parameter) in syntax.parameters.enumerated() {
            let (texts, source) = parameter.texts(given: selection.texts[index], environment: environment)
            sources.append(source)
            if let bad = texts.isEmpty ? nil : slots[index].assign(texts, &options) {
                throw UsageError(
                    .badValue(
                        name: parameter.name, variable: source.variable, text: bad, expected: parameter.expected))
            }
        }
        let missing = zip(syntax.parameters, sources).filter { $0.isRequired && $1 == .default }.map(\.0.usage)
        guard missing.isEmpty else { throw UsageError(.missing(missing)) }
        let settings = syntax.parameters.indices.map {
            Setting(name: syntax.parameters[$0].name, value: slots[$0].show(options), source: sources[$0])
        }
        return (try program(options), settings)
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
                    .badValue(name: "--completions", variable: nil, text: request.text, expected: expected),
                    command: selection.command)
            }
            return completions(for: shell)
        }
    }
}

extension Parameter {
    /// The texts for this parameter and where they come from; none where the default holds.
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

/// The property's type decides the arity: `Value` at most once, with its current value as default; `Value?` may stay `nil`;
/// `[Value]` any number of times.
extension Command {
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
    ///   - traits: Secret, reloadable, not allowed in a file.
    ///   - required: True makes omission a usage error; the property's default is then unused.
    ///   - help: One or a few sentences.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        traits: ParameterTraits = [], required: Bool = false, help: String
    ) {
        let parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, traits: traits,
            required: required, help: help)
        add(parameter, Slot(one: property, format))
    }

    /// Adds an optional option: the property keeps its default, usually `nil`, when the option is absent.
    ///
    /// Parameters as for an option with a plain value.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        traits: ParameterTraits = [], required: Bool = false, help: String
    ) {
        let parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, traits: traits,
            required: required, help: help)
        add(parameter, Slot(optional: property, format))
    }

    /// Adds a repeatable option. The given values replace the default as a whole.
    ///
    /// The environment variable separates values by commas. Parameters as for an option with a plain value.
    public mutating func option<Value>(
        _ name: String, _ property: WritableKeyPath<Options, [Value]> & Sendable, _ format: ValueFormat<Value>,
        value: String? = nil, short: Character? = nil, environment: String? = nil, key: String? = nil,
        traits: ParameterTraits = [], required: Bool = false, help: String
    ) {
        var parameter = Parameter(
            .option, name, format, value: value, short: short, environment: environment, key: key, traits: traits,
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
        option(name, property, .path, environment: environment, traits: .notInFile, help: help)
        syntax.configuration = syntax.parameters.count - 1
    }

    /// Adds a flag: `--name` sets the property to true and, where `negatable`, `--no-name` to false.
    ///
    /// The environment variable accepts `yes`, `true`, `on`, `1` and `no`, `false`, `off`, `0`.
    public mutating func flag(
        _ name: String, _ property: WritableKeyPath<Options, Bool> & Sendable,
        negatable: Bool = false, short: Character? = nil, environment: String? = nil, traits: ParameterTraits = [], help: String
    ) {
        let parameter = Parameter(
            .flag(negatable: negatable), name, .yesOrNo, short: short, environment: environment, traits: traits, help: help)
        add(parameter, Slot(one: property, .yesOrNo))
    }

    /// Adds a flag that may be absent: the property keeps its default, usually `nil`, when it is; else as a flag with two values.
    public mutating func flag(
        _ name: String, _ property: WritableKeyPath<Options, Bool?> & Sendable,
        negatable: Bool = false, short: Character? = nil, environment: String? = nil, traits: ParameterTraits = [], help: String
    ) {
        let parameter = Parameter(
            .flag(negatable: negatable), name, .yesOrNo, short: short, environment: environment, traits: traits, help: help)
        add(parameter, Slot(optional: property, .yesOrNo))
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

    private mutating func add(_ parameter: Parameter, _ slot: Slot<Options>) {
        var parameter = parameter
        if !parameter.isRequired, !parameter.traits.contains(.secret) { parameter.fallback = slot.show(defaults) }
        syntax.add(parameter)
        slots.append(slot)
    }
}

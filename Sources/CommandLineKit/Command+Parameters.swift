/// What a property's type says about the parameter bound to it:
/// `Value` is given at most once and has the default it holds; `Value?` may stay `nil`; `[Value]` takes any number.
extension Command {
    /// Adds an option that takes a value: `--name value`, `--name=value`, and with a short letter `-n value`, `-nvalue`.
    ///
    /// Given more than once, the last one holds, so that an alias can be overridden.
    ///
    /// - Parameters:
    ///   - name: The long name, dashes included: `"--listen"`.
    ///   - property: The property of the options that it sets.
    ///   - format: How the value is read and shown.
    ///   - value: What stands for the value in help, when the format's own word (such as `N`) says too little.
    ///   - short: One letter, called with one dash.
    ///   - environment: The variable used when the option is not given. An empty variable counts as unset.
    ///   - key: What it is called in a configuration file; nil for its name without dashes: `--idle-timeout` is `idleTimeout`.
    ///   - traits: Whether it is secret, can change while the program runs, must not stand in a file.
    ///   - required: Whether leaving it out is a usage error; the default of the property is then never used.
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

    /// Adds an option that may be absent: the property stays as it was, as a rule `nil`.
    ///
    /// The parameters are those of the option with a plain value.
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

    /// Adds an option that may be repeated. What is given replaces the default as a whole.
    ///
    /// In the environment variable the values are separated by commas. The parameters are those of the option with a plain value.
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

    /// Adds the option that names a configuration file: JSON, an object with the keys of this command's options. It goes after the
    /// command line and the environment and before the defaults. A file may hold no key that no option has.
    public mutating func configurationFile(
        _ name: String, _ property: WritableKeyPath<Options, String?> & Sendable, environment: String? = nil, help: String
    ) {
        precondition(syntax.configuration == nil, "\(syntax.name) has a configuration file already")
        option(name, property, .path, environment: environment, traits: .notInFile, help: help)
        syntax.configuration = syntax.parameters.count - 1
    }

    /// Adds a flag: `--name` sets the property to true and, where `negatable`, `--no-name` to false.
    ///
    /// In the environment variable, `yes`, `true`, `on`, `1` and `no`, `false`, `off`, `0` are understood.
    public mutating func flag(
        _ name: String, _ property: WritableKeyPath<Options, Bool> & Sendable,
        negatable: Bool = false, short: Character? = nil, environment: String? = nil, traits: ParameterTraits = [], help: String
    ) {
        let parameter = Parameter(
            .flag(negatable: negatable), name, .yesOrNo, short: short, environment: environment, traits: traits, help: help)
        add(parameter, Slot(one: property, .yesOrNo))
    }

    /// Adds an argument, told from others by its place.
    ///
    /// - Parameters:
    ///   - name: What stands for it in help and errors: `"HOST:PORT"`.
    ///   - required: Whether leaving it out is a usage error. No required argument may follow one that is not.
    public mutating func argument<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>,
        required: Bool = false, help: String
    ) {
        add(Parameter(.argument, name, format, required: required, help: help), Slot(one: property, format))
    }

    /// Adds an argument that may be absent: the property stays as it was, as a rule `nil`.
    public mutating func argument<Value>(
        _ name: String, _ property: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>,
        required: Bool = false, help: String
    ) {
        add(Parameter(.argument, name, format, required: required, help: help), Slot(optional: property, format))
    }

    /// Adds a last argument that takes all words that are left; at least one if `required`.
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

/// What a list of arguments came to. The caller runs, prints and exits; nothing here does.
public enum Outcome<Program> {
    /// Run this; `settings` say what each option and argument is and where that comes from.
    case run(Program, settings: [Setting])
    /// Print this text, as it is, to standard output and exit with status 0: help, a version, a manual page, completions.
    case answer(String)
    /// Print the error's description to standard error and exit with ``UsageError/exitStatus``.
    case refusal(UsageError)
}

extension Outcome: Sendable where Program: Sendable {}
extension Outcome: Equatable where Program: Equatable {}

/// What one option or argument of the chosen command is, and why.
public struct Setting: Sendable, Equatable {
    /// Where a value comes from. The command line goes before the environment, the environment before the default.
    public enum Source: Sendable, Equatable {
        case commandLine
        /// The variable of this name.
        case environment(String)
        case `default`
    }

    /// The option's long name with its dashes, or the argument's name.
    public let name: String
    /// The value, in a form that the option reads (several are joined by commas); nil when there is none.
    public let value: String?
    /// Where the value comes from.
    public let source: Source

    /// Makes a setting, as a test of a program may want to.
    public init(name: String, value: String?, source: Source) {
        self.name = name
        self.value = value
        self.source = source
    }
}

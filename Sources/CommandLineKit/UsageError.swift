/// A command line that cannot be parsed: the command, the fault, and what would be right.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// 64, `EX_USAGE` of BSD's sysexits.
    public static var exitStatus: Int32 { 64 }

    /// The fault. Options appear under their long names, with dashes.
    public enum Reason: Sendable, Equatable {
        case unknownOption(String, nearest: String?)
        case unknownCommand(String, nearest: String?, known: [String])
        /// An environment variable that is probably a misspelt setting.
        case unknownVariable(String, nearest: String)
        /// An argument that is probably a misspelt command: after `--` it is an argument.
        case nearCommand(String, nearest: String, argument: String)
        case missingCommand(known: [String])
        case missingValue(option: String, expected: String)
        case unexpectedValue(option: String)
        /// `name` is the option or argument, `variable` the environment variable of the text, if any.
        case badValue(name: String, variable: String?, text: String, expected: String, nearest: String? = nil)
        case unexpectedArgument(String)
        case missing([String])
        /// An option before the name of a subcommand that does not take it.
        case misplaced(option: String)
        /// An invalid configuration file.
        case badFile(ConfigurationError)
        /// Refused by the program.
        case refused(String)
    }

    public let reason: Reason
    /// The path from root to command, separated by spaces; empty until the parser sets it.
    public internal(set) var command: String

    init(_ reason: Reason, command: String = "") {
        self.reason = reason
        self.command = command
    }

    /// A program's refusal of a combination of options, as a sentence without full stop.
    public init(_ message: String) {
        self.init(.refused(message))
    }

    /// The message for standard error: the fault, then where to read more, without a final line break.
    public var description: String {
        "\(command): \(message)\nTry '\(command) --help'."
    }

    /// ``exitStatus`` for a command line, 65 (`EX_DATAERR`) for a file's content.
    public var status: Int32 {
        if case .badFile = reason { 65 } else { Self.exitStatus }
    }

    /// The fault and what would be right, in one line.
    public var message: String {
        switch reason {
        case .unknownOption(let name, let nearest):
            "unknown option \(quoted(name))" + hint(nearest)
        case .unknownVariable(let name, let nearest):
            "unknown variable \(quoted(name))" + hint(nearest)
        case .unknownCommand(let name, let nearest, let known):
            "unknown command \(quoted(name))" + (nearest == nil ? "; known: \(known.joined(separator: ", "))" : hint(nearest))
        case .nearCommand(let name, let nearest, let argument):
            "unknown command \(quoted(name))\(hint(nearest)) To use it as \(argument), put '--' before it"
        case .missingCommand(let known):
            "a command is missing: one of \(known.joined(separator: ", "))"
        case .missingValue(let option, let expected):
            "\(option): a value is missing: \(expected)"
        case .unexpectedValue(let option):
            "\(option): takes no value"
        case .badValue(let name, let variable, let text, let expected, let nearest):
            "\(variable.map { "\($0) (for \(name))" } ?? name): \(quoted(text)) is not \(expected)" + hint(nearest)
        case .unexpectedArgument(let text):
            "unexpected argument \(quoted(text))"
        case .missing(let names):
            "missing: \(names.joined(separator: ", "))"
        case .misplaced(let option):
            "does not take \(option), which was given before it"
        case .badFile(let error):
            error.description
        case .refused(let message):
            message
        }
    }

    private func hint(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\($0)'?" } ?? ""
    }
}

/// Quotes, shortens and removes control characters: an argument must not control the terminal.
private func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(60).map { scalar in
        scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return "'\(shown.joined())\(shown.count < text.unicodeScalars.count ? "…" : "")'"
}

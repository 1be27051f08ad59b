/// A command line that can't be understood: which command was meant, what is wrong, and what would be right.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to exit with: `EX_USAGE` of BSD's sysexits.
    public static var exitStatus: Int32 { 64 }

    /// What is wrong. Names of options are their long ones, with dashes.
    public enum Reason: Sendable, Equatable {
        case unknownOption(String, nearest: String?)
        case unknownCommand(String, nearest: String?, known: [String])
        case missingCommand(known: [String])
        case missingValue(option: String, expected: String)
        case unexpectedValue(option: String)
        /// `name` is an option or argument, `variable` the environment variable that the text came from, if it did.
        case badValue(name: String, variable: String?, text: String, expected: String)
        case unexpectedArgument(String)
        case missing([String])
        /// An option was given before the name of a subcommand, which does not take it.
        case misplaced(option: String)
        /// What the configuration file says can't be used.
        case badFile(ConfigurationError)
        /// Refused by the program itself.
        case refused(String)
    }

    /// What is wrong.
    public let reason: Reason
    /// The names from the root to the command, separated by spaces; empty until a parser has thrown the error on.
    public internal(set) var command: String

    init(_ reason: Reason, command: String = "") {
        self.reason = reason
        self.command = command
    }

    /// A program's own refusal of a combination of options, in one sentence without a full stop.
    public init(_ message: String) {
        self.init(.refused(message))
    }

    /// The message for standard error: what is wrong, then where to read more, without a final line break.
    public var description: String {
        "\(command): \(message)\nTry '\(command) --help'."
    }

    /// The status to exit with: ``exitStatus`` for a command line, 65 (`EX_DATAERR`) for what a file holds.
    public var status: Int32 {
        if case .badFile = reason { 65 } else { Self.exitStatus }
    }

    /// What is wrong and what would be right, in one line.
    public var message: String {
        switch reason {
        case .unknownOption(let name, let nearest):
            "unknown option \(quoted(name))" + hint(nearest)
        case .unknownCommand(let name, let nearest, let known):
            "unknown command \(quoted(name))" + (nearest == nil ? "; known: \(known.joined(separator: ", "))" : hint(nearest))
        case .missingCommand(let known):
            "a command is missing: one of \(known.joined(separator: ", "))"
        case .missingValue(let option, let expected):
            "\(option): a value is missing: \(expected)"
        case .unexpectedValue(let option):
            "\(option): takes no value"
        case .badValue(let name, let variable, let text, let expected):
            "\(variable.map { "\($0) (for \(name))" } ?? name): \(quoted(text)) is not \(expected)"
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

/// The text in quotes, short and without control characters, so that an argument can't take over the terminal it is printed to.
private func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(60).map { scalar in
        scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return "'\(shown.joined())\(shown.count < text.unicodeScalars.count ? "…" : "")'"
}

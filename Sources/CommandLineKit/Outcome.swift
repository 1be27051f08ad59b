/// The result of parsing. Pure: the caller runs, prints and exits.
public enum Outcome<Program> {
    /// Run the program; `settings` lists each parameter's value and source.
    case run(Program, settings: [Setting])
    /// Print the text to standard output and exit with status 0: help, version, manual page, completions.
    case answer(String)
    /// Print the error's description to standard error and exit with its ``UsageError/status``.
    case refusal(UsageError)
}

extension Outcome: Sendable where Program: Sendable {}
extension Outcome: Equatable where Program: Equatable {}

/// An option or argument of the selected command, with its value and source.
public struct Setting: Sendable, Equatable {
    /// The source of a value. Precedence: command line, environment, configuration file, default.
    public enum Source: Sendable, Equatable, CustomStringConvertible {
        case commandLine
        /// The variable of this name.
        case environment(String)
        /// The configuration file of this path.
        case file(String)
        case `default`

        /// Text form: `command line`, `environment BJ_LISTEN`, `file bj.json`, `default`.
        public var description: String {
            switch self {
            case .commandLine: "command line"
            case .environment(let variable): "environment \(variable)"
            case .file(let path): "file \(path.shownSafely)"
            case .default: "default"
            }
        }
    }

    /// The option's long name with its dashes, or the argument's name.
    public let name: String
    /// The value in a form that the option parses (lists joined by commas); nil when unset.
    public let value: String?
    public let source: Source
    /// The key in a configuration file; nil if not allowed in one.
    public let key: String?
    /// True when a running program applies a new value.
    public let isReloadable: Bool

    /// For tests of a program.
    public init(name: String, value: String?, source: Source, key: String? = nil, isReloadable: Bool = false) {
        self.name = name
        self.value = value
        self.source = source
        self.key = key
        self.isReloadable = isReloadable
    }
}

extension [Setting] {
    /// The settings allowed in a configuration file, one per line: key, value, source, in columns.
    public var table: String {
        let rows = compactMap { setting in
            setting.key.map { (key: $0, value: setting.value?.shownSafely ?? "-", source: setting.source.description) }
        }
        let keys = rows.map(\.key.count).max() ?? 0
        // Bounds the column: one long list must not push the sources off the screen.
        let values = Swift.min(rows.map(\.value.count).max() ?? 0, 32)
        return rows.map { row in
            let key = row.key + String(repeating: " ", count: keys - row.key.count)
            return "\(key)  \(row.value)" + String(repeating: " ", count: Swift.max(0, values - row.value.count))
                + "  \(row.source)\n"
        }.joined()
    }
}

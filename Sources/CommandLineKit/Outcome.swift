/// What a list of arguments came to. The caller runs, prints and exits; nothing here does.
public enum Outcome<Program> {
    /// Run this; `settings` say what each option and argument is and where that comes from.
    case run(Program, settings: [Setting])
    /// Print this text, as it is, to standard output and exit with status 0: help, a version, a manual page, completions.
    case answer(String)
    /// Print the error's description to standard error and exit with its ``UsageError/status``.
    case refusal(UsageError)
}

extension Outcome: Sendable where Program: Sendable {}
extension Outcome: Equatable where Program: Equatable {}

/// What one option or argument of the chosen command is, and why.
public struct Setting: Sendable, Equatable {
    /// Where a value comes from. The command line goes before the environment, the environment before the configuration file, and the
    /// file before the default.
    public enum Source: Sendable, Equatable, CustomStringConvertible {
        case commandLine
        /// The variable of this name.
        case environment(String)
        /// The configuration file of this path.
        case file(String)
        case `default`

        /// In words: `command line`, `environment BJ_LISTEN`, `file bj.json`, `default`.
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
    /// The value, in a form that the option reads (several are joined by commas); nil when there is none.
    public let value: String?
    /// Where the value comes from.
    public let source: Source
    /// What it is called in a configuration file; nil where it can't stand in one.
    public let key: String?
    /// Whether a running program takes a new value over.
    public let isReloadable: Bool

    /// Makes a setting, as a test of a program may want to.
    public init(name: String, value: String?, source: Source, key: String? = nil, isReloadable: Bool = false) {
        self.name = name
        self.value = value
        self.source = source
        self.key = key
        self.isReloadable = isReloadable
    }
}

extension [Setting] {
    /// Every setting that can stand in a configuration file, a line each: key, value, where it comes from, in columns.
    public var table: String {
        let rows = compactMap { setting in
            setting.key.map { (key: $0, value: setting.value?.shownSafely ?? "-", source: setting.source.description) }
        }
        let keys = rows.map(\.key.count).max() ?? 0
        // One long list of tables must not push all the sources out of sight.
        let values = Swift.min(rows.map(\.value.count).max() ?? 0, 32)
        return rows.map { row in
            let key = row.key + String(repeating: " ", count: keys - row.key.count)
            return "\(key)  \(row.value)" + String(repeating: " ", count: Swift.max(0, values - row.value.count))
                + "  \(row.source)\n"
        }.joined()
    }
}

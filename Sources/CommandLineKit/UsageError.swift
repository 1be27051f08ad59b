import CSystem

/// A command line that cannot be parsed: the command, the fault, and what would be right.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// 64, `EX_USAGE` of BSD's sysexits.
    public static var exitStatus: Int32 { 64 }

    /// The fault and what would be right, in one line. Options appear under their long names, with dashes.
    public let message: String
    /// The path from root to command, separated by spaces; empty until the parser sets it.
    public let command: String
    /// ``exitStatus`` for a command line, 65 (`EX_DATAERR`) for a file's content.
    public let status: Int32

    /// - Parameter nearest: what was probably meant.
    init(_ message: String, nearest: String? = nil, command: String = "", status: Int32 = exitStatus) {
        self.message = message + Self.hint(nearest)
        self.command = command
        self.status = status
    }

    /// A program's refusal of a combination of options, as a sentence without full stop.
    public init(_ message: String) {
        self.init(message, nearest: nil)
    }

    /// The message for standard error: the fault, then where to read more, without a final line break.
    public var description: String {
        "\(command): \(message)\nTry '\(command) --help'."
    }

    static func hint(_ nearest: String?) -> String { nearest.map { "; did you mean '\($0)'?" } ?? "" }

    /// - Parameters:
    ///   - name: the option or argument.
    ///   - variable: the environment variable of the text, if any.
    static func badValue(_ text: String, of name: String, variable: String? = nil, expected: String, words: [String]) -> Self {
        Self(
            "\(variable.map { "\($0) (for \(name))" } ?? name): \(quoted(text)) is not \(expected)",
            nearest: CommandLineKit.nearest(to: text, among: words))
    }

    func of(_ command: String) -> Self { Self(message, command: command, status: status) }
}

/// An argument must not control the terminal.
package func quoted(_ text: String) -> String { "'\(Console.visible(text, upTo: 60, keeping: []))'" }

/// The most likely correction: a candidate with this prefix, else the one with the smallest edit distance, at most a third of
/// the characters. nil when none is near.
package func nearest(to word: String, among candidates: [String]) -> String? {
    let word = String(word.prefix(40))
    let bare = word.drop { $0 == "-" }
    if bare.count > 1, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
    let ranked = candidates.map { (name: $0, slips: slips(from: Array(bare), to: Array($0.drop { $0 == "-" }))) }
    guard let best = ranked.min(by: { $0.slips < $1.slips }), best.slips <= max(1, bare.count / 3) else { return nil }
    return best.slips < bare.count ? best.name : nil
}

/// The candidate that a word is probably a misspelling of: most of it, or a few slips away. Stricter than ``nearest(to:among:)``: the word
/// may be meant as it is.
func typo(of word: String, among candidates: [String]) -> String? {
    if let longer = candidates.first(where: { $0.hasPrefix(word) && word.count * 2 > $0.count }) { return longer }
    guard word.count > 3, word.count <= 40 else { return nil }
    return candidates.first { slips(from: Array(word), to: Array($0)) <= max(1, $0.count / 4) }
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
private func slips(from source: [Character], to target: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in source.indices {
        var current = [row + 1]
        for column in target.indices {
            let replaced = last[column] + (source[row] == target[column] ? 0 : 1)
            var best = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[target.count]
}

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

    /// With another value, as one that is unset has by other settings.
    public func showing(_ value: String?) -> Self { Setting(name: name, value: value, source: source, key: key) }

    /// For tests of a program.
    public init(name: String, value: String?, source: Source, key: String? = nil) {
        self.name = name
        self.value = value
        self.source = source
        self.key = key
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

/// The release that all programs of this package belong to.
public enum Release {
    /// Semantic version: part of the answer to `--version` and of the server's name in `hello`.
    public static let version = "1.1.0"

    /// The commit of the build; nil if the build did not name it (`BJ_COMMIT`).
    public static let commit = bj_commit().map { String(cString: $0) }

    /// The answer to `--version`: `1.0.0 (protocol 1, commit 4f2a91c)`.
    /// - Parameter versions: of the protocol; nil for a program that speaks none.
    public static func text(protocol versions: ClosedRange<Int>? = nil) -> String {
        let range = versions.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        let details = [range.map { "protocol \($0)" }, commit.map { "commit \($0)" }].compactMap { $0 }
        return details.isEmpty ? version : "\(version) (\(details.joined(separator: ", ")))"
    }
}

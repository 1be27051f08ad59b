/// An option, flag, argument or request, without the type of its value.
struct Parameter: Sendable {
    enum Kind: Sendable, Equatable {
        case option
        case flag(negatable: Bool)
        case argument
        case request(Request)
    }

    let kind: Kind
    /// The long name with its dashes; the placeholder of an argument.
    let name: String
    let short: Character?
    /// The value's placeholder in help; empty for a flag.
    let value: String
    let expected: String
    let completion: Completion
    let environment: String?
    let isRequired: Bool
    /// The key in a configuration file; nil if not allowed in one.
    let key: String?
    let traits: ParameterTraits
    var isRepeated = false
    /// The default as shown in help.
    var fallback: String?
    let help: String

    init<Value>(
        _ kind: Kind, _ name: String, _ format: ValueFormat<Value>, value: String? = nil, short: Character? = nil,
        environment: String? = nil, key: String? = nil, traits: ParameterTraits = [], required: Bool = false, help: String
    ) {
        self.kind = kind
        self.name = name
        self.short = short
        self.value = value ?? format.name
        self.expected = format.expected
        self.completion = format.completion
        self.environment = environment
        self.isRequired = required
        let canBeInFile =
            switch kind {
            case .option, .flag: !traits.contains(.notInFile)
            case .argument, .request: false
            }
        self.key = canBeInFile ? key ?? name.camelCased : nil
        self.traits = traits
        self.help = help
    }

    /// A request without a value.
    init(_ request: Request, _ name: String, short: Character? = nil, help: String) {
        self.init(.request(request), name, .yesOrNo, short: short, help: help)
    }

    /// A request with a value.
    init<Value>(_ request: Request, _ name: String, _ format: ValueFormat<Value>, help: String) {
        self.init(.request(request), name, format, help: help)
    }

    var takesValue: Bool { !value.isEmpty }

    /// `--no-name`; nil unless negatable.
    var negation: String? {
        kind == .flag(negatable: true) ? "--no-" + name.dropFirst(2) : nil
    }

    /// Every spelling: long name, negation, short name.
    var spellings: [String] {
        [name, negation, short.map { "-\($0)" }].compactMap(\.self)
    }

    /// Name and value: `--listen HOST:PORT`, `--[no-]color` or `[FILE]…`.
    var usage: String {
        switch kind {
        case .argument:
            (isRequired ? name : "[\(name)]") + (isRepeated ? "…" : "")
        default:
            (negation == nil ? name : "--[no-]" + name.dropFirst(2)) + (takesValue ? " \(value)" : "")
        }
    }

    /// The help with notes: required, repeatable, default.
    var fullHelp: String {
        var notes: [String] = []
        if isRequired, kind != .argument { notes.append("required") }
        if isRepeated, kind != .argument { notes.append("may be repeated") }
        // A flag's default is off unless noted.
        if let fallback, takesValue || kind == .argument || fallback == "yes" { notes.append("default: \(fallback)") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }

    /// The first sentence of the help without its full stop, for completions.
    var brief: String { help.firstSentence }
}

/// Properties of a parameter.
public struct ParameterTraits: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value is never shown, only that it is set.
    public static let secret = Self(rawValue: 1)
    /// A reload applies a new value; other parameters need a restart.
    public static let reloadable = Self(rawValue: 2)
    /// Not allowed in a configuration file.
    public static let notInFile = Self(rawValue: 4)
}

/// A word answered with a text instead of running the command.
enum Request: Sendable, Equatable {
    case help, version, manual, completions
}

extension String {
    /// `maxConnections` for `max-connections`.
    fileprivate var camelCased: String {
        let words = split(separator: "-")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// The text up to the first full stop that ends a sentence, without it.
    var firstSentence: String {
        var text = self[...]
        var index = text.startIndex
        while let stop = text[index...].firstIndex(of: ".") {
            index = text.index(after: stop)
            guard index == text.endIndex || text[index] == " " else { continue }
            text = text[..<stop]
            break
        }
        return String(text)
    }
}

/// What is known of an option, a flag, an argument or a request for help and the like, apart from where its value goes.
struct Parameter: Sendable {
    enum Kind: Sendable, Equatable {
        case option
        case flag(negatable: Bool)
        case argument
        case request(Request)
    }

    let kind: Kind
    /// The long name with its dashes; of an argument, what stands for it.
    let name: String
    let short: Character?
    /// What stands for the value in help; empty where there is none.
    let value: String
    let expected: String
    let completion: Completion
    let environment: String?
    let isRequired: Bool
    /// What it is called in a configuration file; nil where it can't stand in one.
    let key: String?
    let traits: ParameterTraits
    var isRepeated = false
    /// The default, as help shows it.
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

    /// A request that takes no value.
    init(_ request: Request, _ name: String, short: Character? = nil, help: String) {
        self.init(.request(request), name, .yesOrNo, short: short, help: help)
    }

    /// A request that takes a value.
    init<Value>(_ request: Request, _ name: String, _ format: ValueFormat<Value>, help: String) {
        self.init(.request(request), name, format, help: help)
    }

    var takesValue: Bool { !value.isEmpty }

    /// `--no-name`, where the flag can be negated.
    var negation: String? {
        kind == .flag(negatable: true) ? "--no-" + name.dropFirst(2) : nil
    }

    /// Every word that calls it: long name, negation, short name.
    var spellings: [String] {
        [name, negation, short.map { "-\($0)" }].compactMap(\.self)
    }

    /// The name and its value, as in `--listen HOST:PORT`, `--[no-]color` or `[FILE]…`.
    var usage: String {
        switch kind {
        case .argument:
            (isRequired ? name : "[\(name)]") + (isRepeated ? "…" : "")
        default:
            (negation == nil ? name : "--[no-]" + name.dropFirst(2)) + (takesValue ? " \(value)" : "")
        }
    }

    /// The help with what else there is to know: whether it is required, may be repeated, and its default.
    var fullHelp: String {
        var notes: [String] = []
        if isRequired, kind != .argument { notes.append("required") }
        if isRepeated, kind != .argument { notes.append("may be repeated") }
        // That a flag is off unless given goes without saying.
        if let fallback, takesValue || kind == .argument || fallback == "yes" { notes.append("default: \(fallback)") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }

    /// The first sentence of the help without its full stop, as completions show it.
    var brief: String { help.firstSentence }
}

/// What else is to be known of an option.
public struct ParameterTraits: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its value is never shown, only whether it is set.
    public static let secret = Self(rawValue: 1)
    /// A running program takes a new value over when it is told to read its configuration again; the others want a restart.
    public static let reloadable = Self(rawValue: 2)
    /// It can't stand in a configuration file.
    public static let notInFile = Self(rawValue: 4)
}

/// What is answered with a text instead of being run.
enum Request: Sendable, Equatable {
    case help, version, manual, completions
}

extension String {
    /// `--max-connections` as a configuration file has it: `maxConnections`.
    fileprivate var camelCased: String {
        let words = split(separator: "-")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// All up to the first full stop that ends a sentence, without it.
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

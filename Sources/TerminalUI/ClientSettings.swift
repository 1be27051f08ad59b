import ClientCore
import Rules
import Wire

/// The player's preferences for this program. A value.
public struct ClientSettings: Equatable, Sendable {
    public enum Theme: String, CaseIterable, Sendable {
        case dark, light
        case highContrast = "high-contrast"
    }

    public enum ColorChoice: String, CaseIterable, Sendable {
        /// As the environment says.
        case auto
        /// As the terminal says, 16 colours at least.
        case always
        case never
        case basic = "16"
        case indexed = "256"
        case truecolor
    }

    /// Colours of the suits.
    public enum SuitColors: String, CaseIterable, Sendable {
        case two = "2"
        case four = "4"
    }

    public var theme = Theme.dark
    public var color = ColorChoice.auto
    public var suits = SuitColors.two
    /// Whether the coach is on from the start.
    public var coach = false
    /// Whether the terminal rings when the player is asked.
    public var bell = false
    public var motion = true
    /// The first bet offered at a table; nil for its least.
    public var bet: Int?
    /// Whether the last bet is made again in each round.
    public var rebet = false

    public init() {}

    /// A setting by its name in the file.
    enum Field: String, CaseIterable, Sendable {
        case theme, color, suits, coach, bell, motion, bet, rebet
    }

    /// A value that a setting does not have.
    struct Misfit: Error, Equatable, CustomStringConvertible {
        let field: Field

        /// `theme is not one of dark, light, high-contrast`.
        var description: String { "\(field.rawValue) is not \(field.expected)" }
    }
}

extension ClientSettings.Field {
    private static let flag = ["off", "on"]

    /// The words that a setting may have; nil for a number of chips.
    fileprivate var choices: [String]? {
        switch self {
        case .theme: ClientSettings.Theme.allCases.map(\.rawValue)
        case .color: ClientSettings.ColorChoice.allCases.map(\.rawValue)
        case .suits: ClientSettings.SuitColors.allCases.map(\.rawValue)
        case .coach, .bell, .motion, .rebet: Self.flag
        case .bet: nil
        }
    }

    fileprivate var isFlag: Bool { choices == Self.flag }
    /// Whether the value is a number in the file.
    fileprivate var isNumber: Bool { self == .suits || self == .bet }

    /// Completes `… is not …`.
    var expected: String {
        if isFlag { return "on or off" }
        if let choices { return "one of " + choices.joined(separator: ", ") }
        return "a number of chips from 1 to \(WireLimits.chips)"
    }

    /// One phrase for the list of settings.
    var meaning: String {
        switch self {
        case .theme: "colours for your terminal"
        case .color: "how many colours the terminal gets"
        case .suits: "colours of the suits"
        case .coach: "the coach is on from the start"
        case .bell: "the terminal rings when it is your turn"
        case .motion: "cards are dealt one by one"
        case .bet: "the first bet offered at a table"
        case .rebet: "the last bet is made again in each round"
        }
    }
}

extension ClientSettings {
    /// The value in words: `dark`, `on`, `25`; nil for none.
    private(set) subscript(field: Field) -> String? {
        get {
            switch field {
            case .theme: theme.rawValue
            case .color: color.rawValue
            case .suits: suits.rawValue
            case .coach: coach ? "on" : "off"
            case .bell: bell ? "on" : "off"
            case .motion: motion ? "on" : "off"
            case .rebet: rebet ? "on" : "off"
            case .bet: bet.map(String.init)
            }
        }
        set {
            switch field {
            case .theme: theme = newValue.flatMap(Theme.init) ?? theme
            case .color: color = newValue.flatMap(ColorChoice.init) ?? color
            case .suits: suits = newValue.flatMap(SuitColors.init) ?? suits
            case .coach: coach = newValue == "on"
            case .bell: bell = newValue == "on"
            case .motion: motion = newValue == "on"
            case .rebet: rebet = newValue == "on"
            case .bet: bet = newValue.flatMap { Int($0) }
            }
        }
    }

    /// `suits 4`.
    func line(of field: Field) -> SafeText { "\(SafeText(field.rawValue)) \(SafeText(self[field] ?? "none", columns: 40))" }

    /// All settings, or one, each with its meaning and the values that it may have.
    /// - Parameters:
    ///   - path: of the file that keeps them; nil for none.
    ///   - slash: stands before words that are typed.
    func lines(_ only: Field?, path: SafeText?, slash: SafeText) -> [SafeText] {
        let lines = (only.map { [$0] } ?? Field.allCases).map { field -> SafeText in
            "\(line(of: field)): \(SafeText(field.meaning)) (\(SafeText(field.choices?.joined(separator: ", ") ?? "chips")))."
        }
        guard only == nil else { return lines }
        let place: SafeText = path.map { "kept in \($0)" } ?? "until you leave"
        let hint: SafeText = "'\(slash)settings NAME VALUE' changes one; the value 'default' takes it back."
        return ["Settings, \(place). \(hint)"] + lines.map { "  \($0)" }
    }

    /// Takes a setting back to its default.
    mutating func reset(_ field: Field) { self[field] = ClientSettings()[field] }

    /// Sets a value from its words.
    mutating func set(_ field: Field, to words: String) throws(Misfit) {
        let isFit = field.choices?.contains(words) ?? Int(words).map((1...WireLimits.chips).contains) ?? false
        guard isFit else { throw Misfit(field: field) }
        self[field] = words
    }
}

/// The settings of this device's user, in `config.json`: a JSON object. Members that this version does not know are kept.
public struct SettingsFile: Sendable {
    public typealias Failure = PrivateFile.Failure

    /// A member's value; no setting is of another kind.
    private enum Value: Codable {
        case none
        case flag(Bool)
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self =
                if value.decodeNil() {
                    .none
                } else if let flag = try? value.decode(Bool.self) {
                    .flag(flag)
                } else if let number = try? value.decode(Int.self) {
                    .number(number)
                } else {
                    .text(try value.decode(String.self))
                }
        }

        init(_ words: String, of field: ClientSettings.Field) {
            self = field.isFlag ? .flag(words == "on") : Int(words).flatMap { field.isNumber ? .number($0) : nil } ?? .text(words)
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .none: try value.encodeNil()
            case .flag(let flag): try value.encode(flag)
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            }
        }

        /// nil for a value of the wrong kind.
        func words(of field: ClientSettings.Field) -> String? {
            switch self {
            case .flag(let isOn) where field.isFlag: isOn ? "on" : "off"
            case .number(let number) where field.isNumber: "\(number)"
            case .text(let text) where !field.isFlag && !field.isNumber: text
            case .none, .flag, .number, .text: nil
            }
        }
    }

    private let file: PrivateFile

    init(folder: String) {
        // No file that a person writes is longer.
        file = PrivateFile(folder: folder, name: "config", byteLimit: 1 << 16)
    }

    /// `bjclient` in the user's folder for configuration, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        guard let folder = PrivateFile.configurationFolder(environment) else { return nil }
        self.init(folder: folder)
    }

    var path: String { file.path }

    /// The settings in the file, all others by default.
    public func settings() throws(Failure) -> ClientSettings {
        var settings = ClientSettings()
        for (key, value) in try members().sorted(by: { $0.key < $1.key }) {
            guard let field = ClientSettings.Field(rawValue: key) else { continue }
            if case .none = value { continue }
            guard let words = value.words(of: field), (try? settings.set(field, to: words)) != nil else {
                throw failure("\(key) is not \(field.isFlag ? "true or false" : field.expected)")
            }
        }
        return settings
    }

    /// Stores one setting durably and keeps all else; nil removes it.
    func store(_ field: ClientSettings.Field, _ words: String?) throws(Failure) {
        try file.change { () throws(Failure) in
            var members = try members()
            members[field.rawValue] = words.map { Value($0, of: field) }
            try file.write(PrivateFile.json(members))
        }
    }

    private func members() throws(Failure) -> [String: Value] {
        guard let bytes = try file.read() else { return [:] }
        guard let members = PrivateFile.value([String: Value].self, bytes) else {
            throw failure("is not a JSON object of settings")
        }
        return members
    }

    private func failure(_ reason: String) -> Failure { Failure(description: "\(path): \(reason)", isContent: true) }
}

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
    public var mouse = true
    public var motion = true
    /// The first bet offered at a table; nil for its least.
    public var bet: Int?
    /// Whether the last bet is made again in each round.
    public var rebet = false

    public init() {}

    /// A setting by its name in the file.
    enum Field: String, CaseIterable, Sendable {
        case theme, color, suits, coach, bell, mouse, motion, bet, rebet
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
        case .coach, .bell, .mouse, .motion, .rebet: Self.flag
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
        case .theme: "colours for a dark or a light terminal, or of high contrast"
        case .color: "how many colours the terminal gets"
        case .suits: "colours of the suits"
        case .coach: "the coach is on from the start"
        case .bell: "the terminal rings when it is your turn"
        case .mouse: "clicks count as keys"
        case .motion: "cards and chips move"
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
            case .mouse: mouse ? "on" : "off"
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
            case .mouse: mouse = newValue == "on"
            case .motion: motion = newValue == "on"
            case .rebet: rebet = newValue == "on"
            case .bet: bet = newValue.flatMap { Int($0) }
            }
        }
    }

    /// `suits 4`.
    func line(of field: Field) -> SafeText { "\(SafeText(field.rawValue)) \(SafeText(self[field] ?? "none", columns: 40))" }

    /// Takes a setting back to its default.
    mutating func reset(_ field: Field) { self[field] = ClientSettings()[field] }

    /// Sets a value from its words.
    mutating func set(_ field: Field, to words: String) throws(Misfit) {
        let isFit = field.choices?.contains(words) ?? Int(words).map((1...WireLimits.chips).contains) ?? false
        guard isFit else { throw Misfit(field: field) }
        self[field] = words
    }

    /// The value some steps further, for a key.
    /// - Parameter rules: limits and step of bets.
    func words(of field: Field, after steps: Int, _ rules: HouseRules) -> String {
        if let choices = field.choices {
            let place = choices.firstIndex { $0 == self[field] } ?? 0
            return choices[((place + steps) % choices.count + choices.count) % choices.count]
        }
        let onStep = (bet ?? rules.minimumBet) / rules.betStep * rules.betStep
        return String(min(max(onStep + steps * rules.betStep, rules.minimumBet), rules.maximumBet))
    }
}

/// The text of a settings file: a JSON object. Members that this version does not know are kept as they are. A value.
struct SettingsDocument: Equatable, Sendable {
    /// A text that is not right: a sentence without the file's name.
    struct Fault: Error, Equatable { let description: String }

    /// In the order of the text.
    private var members: [(key: String, json: String)] = []

    init() {}

    init(_ bytes: [UInt8]) throws(Fault) {
        do {
            members = try bytes.withUnsafeBufferPointer { bytes in
                try JSONValue.read(bytes) { value throws(JSONError) in
                    var members: [(key: String, json: String)] = []
                    try value.object().eachMember { key, value in
                        members.append((key, String(decoding: value.raw, as: UTF8.self)))
                    }
                    return members
                }
            }
        } catch {
            throw Fault(description: "is not a JSON object of settings")
        }
    }

    static func == (a: Self, b: Self) -> Bool { a.text == b.text }

    /// Sets a member; nil removes it.
    mutating func set(_ field: ClientSettings.Field, to words: String?) {
        let place = members.firstIndex { $0.key == field.rawValue }
        guard let words else {
            if let place { members.remove(at: place) }
            return
        }
        let json = field.isFlag ? (words == "on" ? "true" : "false") : field.isNumber ? words : Self.quoted(words)
        if let place { members[place].json = json } else { members.append((field.rawValue, json)) }
    }

    /// The settings in the text, all others by default.
    var settings: ClientSettings {
        get throws(Fault) {
            var settings = ClientSettings()
            for (key, json) in members where json != "null" {
                guard let field = ClientSettings.Field(rawValue: key) else { continue }
                guard let words = Self.words(json, field), (try? settings.set(field, to: words)) != nil else {
                    throw Fault(description: "\(key) is not \(field.isFlag ? "true or false" : field.expected)")
                }
            }
            return settings
        }
    }

    private static func words(_ json: String, _ field: ClientSettings.Field) -> String? {
        if field.isFlag { return json == "true" ? "on" : json == "false" ? "off" : nil }
        if field.isNumber { return json }
        return Array(json.utf8).withUnsafeBufferPointer { bytes in
            try? JSONValue.read(bytes) { value throws(JSONError) in try value.string() }
        }
    }

    /// One member a line.
    var text: String {
        guard !members.isEmpty else { return "{}\n" }
        return "{\n" + members.map { "  \(Self.quoted($0.key)): \($0.json)" }.joined(separator: ",\n") + "\n}\n"
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { $0.string(text) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The settings of this device's user, in `config.json`.
public struct SettingsFile: Sendable {
    public typealias Failure = PrivateFile.Failure

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
        let document = try document()
        do throws(SettingsDocument.Fault) {
            return try document.settings
        } catch {
            throw failure(error)
        }
    }

    /// Stores one setting durably and keeps all else; nil removes it.
    func store(_ field: ClientSettings.Field, _ words: String?) throws(Failure) {
        try file.change { () throws(Failure) in
            var document = try document()
            document.set(field, to: words)
            try file.write(document.text)
        }
    }

    private func document() throws(Failure) -> SettingsDocument {
        guard let bytes = try file.read() else { return SettingsDocument() }
        do throws(SettingsDocument.Fault) {
            return try SettingsDocument(bytes)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ fault: SettingsDocument.Fault) -> Failure {
        Failure(description: "\(path): \(fault.description)", isContent: true)
    }
}

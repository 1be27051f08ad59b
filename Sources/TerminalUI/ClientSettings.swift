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
    /// The name offered where none was used before.
    public var name: String?

    public init() {}

    /// A setting by its name in the file.
    enum Field: String, CaseIterable, Sendable {
        case theme, color, suits, coach, bell, mouse, motion, bet, rebet, name
    }

    /// A value that a setting does not have.
    struct Misfit: Error, Equatable, CustomStringConvertible {
        let field: Field

        /// `theme is not one of dark, light, high-contrast`.
        var description: String { "\(field.rawValue) is not \(field.expected)" }
    }
}

extension ClientSettings.Field {
    /// The JSON type of the value.
    enum Kind { case word, flag, number }

    var kind: Kind {
        switch self {
        case .theme, .color, .name: .word
        case .coach, .bell, .mouse, .motion, .rebet: .flag
        case .suits, .bet: .number
        }
    }

    /// Completes `… is not …`.
    var expected: String {
        switch self {
        case .theme: Self.oneOf(ClientSettings.Theme.self)
        case .color: Self.oneOf(ClientSettings.ColorChoice.self)
        case .suits: Self.oneOf(ClientSettings.SuitColors.self)
        case .coach, .bell, .mouse, .motion, .rebet: "on or off"
        case .bet: "a number of chips from 1 to \(WireLimits.chips)"
        case .name: "a player's name"
        }
    }

    private static func oneOf<Choice: CaseIterable & RawRepresentable<String>>(_ choice: Choice.Type) -> String {
        "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
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
        case .name: "the name offered at a new server"
        }
    }
}

extension ClientSettings {
    /// The value in words: `dark`, `on`, `25`; nil for none.
    func words(of field: Field) -> String? {
        switch field {
        case .theme: theme.rawValue
        case .color: color.rawValue
        case .suits: suits.rawValue
        case .coach: Self.word(coach)
        case .bell: Self.word(bell)
        case .mouse: Self.word(mouse)
        case .motion: Self.word(motion)
        case .rebet: Self.word(rebet)
        case .bet: bet.map(String.init)
        case .name: name
        }
    }

    /// Takes a setting back to its default.
    mutating func reset(_ field: Field) {
        let standard = ClientSettings()
        switch field {
        case .bet: bet = nil
        case .name: name = nil
        case .theme, .color, .suits, .coach, .bell, .mouse, .motion, .rebet:
            if let words = standard.words(of: field) { try? set(field, to: words) }
        }
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Sets a value from its words.
    mutating func set(_ field: Field, to words: String) throws(Misfit) {
        switch field {
        case .theme: theme = try Self.choice(words, field)
        case .color: color = try Self.choice(words, field)
        case .suits: suits = try Self.choice(words, field)
        case .coach: coach = try Self.flag(words, field)
        case .bell: bell = try Self.flag(words, field)
        case .mouse: mouse = try Self.flag(words, field)
        case .motion: motion = try Self.flag(words, field)
        case .rebet: rebet = try Self.flag(words, field)
        case .bet:
            guard let chips = Int(words), (1...WireLimits.chips).contains(chips) else { throw Misfit(field: field) }
            bet = chips
        case .name:
            guard let player = try? PlayerName(words) else { throw Misfit(field: field) }
            name = player.text
        }
    }

    private static func choice<Choice: RawRepresentable<String>>(_ words: String, _ field: Field) throws(Misfit) -> Choice {
        guard let choice = Choice(rawValue: words) else { throw Misfit(field: field) }
        return choice
    }

    private static func flag(_ words: String, _ field: Field) throws(Misfit) -> Bool {
        switch words {
        case "on", "yes", "true": true
        case "off", "no", "false": false
        default: throw Misfit(field: field)
        }
    }

    /// The value some steps further, for a key; nil where keys can't change it.
    /// - Parameter rules: limits and step of bets.
    func words(of field: Field, after steps: Int, _ rules: HouseRules) -> String? {
        switch field {
        case .theme: Self.next(theme, steps)
        case .color: Self.next(color, steps)
        case .suits: Self.next(suits, steps)
        case .coach, .bell, .mouse, .motion, .rebet: words(of: field) == "on" ? "off" : "on"
        case .bet:
            String(
                min(
                    max((bet ?? rules.minimumBet) / rules.betStep * rules.betStep + steps * rules.betStep, rules.minimumBet),
                    rules.maximumBet))
        case .name: nil
        }
    }

    private static func next<Choice: CaseIterable & RawRepresentable<String> & Equatable>(_ choice: Choice, _ steps: Int)
        -> String
    {
        let all = Array(Choice.allCases)
        let place = all.firstIndex(of: choice) ?? 0
        return all[((place + steps) % all.count + all.count) % all.count].rawValue
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
    /// - Parameter words: as ``ClientSettings/words(of:)`` has them.
    mutating func set(_ field: ClientSettings.Field, to words: String?) {
        let place = members.firstIndex { $0.key == field.rawValue }
        guard let words else {
            if let place { members.remove(at: place) }
            return
        }
        let json =
            switch field.kind {
            case .word: Self.quoted(words)
            case .flag: words == "on" ? "true" : "false"
            case .number: words
            }
        if let place { members[place].json = json } else { members.append((field.rawValue, json)) }
    }

    /// The settings in the text, all others by default.
    var settings: ClientSettings {
        get throws(Fault) {
            var settings = ClientSettings()
            for (key, json) in members where json != "null" {
                guard let field = ClientSettings.Field(rawValue: key) else { continue }
                guard let words = Self.words(json, field.kind), (try? settings.set(field, to: words)) != nil else {
                    let expected = field.kind == .flag ? "true or false" : field.expected
                    throw Fault(description: "\(key) is not \(expected)")
                }
            }
            return settings
        }
    }

    private static func words(_ json: String, _ kind: ClientSettings.Field.Kind) -> String? {
        switch kind {
        case .flag: json == "true" ? "on" : json == "false" ? "off" : nil
        case .number: json
        case .word:
            Array(json.utf8).withUnsafeBufferPointer { bytes in
                try? JSONValue.read(bytes) { value throws(JSONError) in try value.string() }
            }
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

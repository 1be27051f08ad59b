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
    public enum Field: String, CaseIterable, Sendable {
        case theme, color, suits, coach, bell, mouse, motion, bet, rebet, name
    }

    /// A value that a setting does not have.
    public struct Misfit: Error, Equatable, CustomStringConvertible {
        public let field: Field

        /// `theme is not one of dark, light, high-contrast`.
        public var description: String { "\(field.rawValue) is not \(field.expected)" }
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
    public var expected: String {
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
    public var meaning: String {
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
    public func words(of field: Field) -> String? {
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
    public mutating func set(_ field: Field, to words: String) throws(Misfit) {
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

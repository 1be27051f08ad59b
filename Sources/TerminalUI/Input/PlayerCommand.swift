import ClientCore
import Rules
import TableModel
import Wire

/// A command of the player. A key, a typed word and a line with a slash are spellings of one: ``CommandWord`` has them all.
enum PlayerCommand: Equatable, Sendable {
    /// nil: the most that chips and limits allow.
    case bet(Int?)
    case act(Action, amount: Int? = nil)
    /// A seat at the table where the player is.
    case sit(seat: Int? = nil)
    /// A seat at a table, or its view.
    case go(TableMove.Destination)
    case sitOut, sitIn
    case tables, table, status, rules, help, leave, coach, rebet, history, chart
    case standings(StandingsSpan = .evening)
    case say(String)
    case react(Reaction)
    case mute(String)
    case unmute(String)
    case kick(String)
    /// Undoes it.
    case again(String)
    /// nil takes the phrase away.
    case pass(String?)
    /// Stops the clocks of one's table, or lets them run again.
    case pause(String?)
    /// Begins a match of so many rounds at one's table, or sets their number; 0 ends it.
    case match(Int)
    /// Shows the count; with a system asks for it now and then, with `off` no longer.
    case count(String?)

    /// A line that is no command: says what would be right.
    struct Misunderstanding: Error, Equatable, Sendable {
        var text: SafeText
    }

    /// The row of the vocabulary.
    var word: CommandWord {
        let name =
            switch self {
            case .bet(nil): "max"
            case .bet: "bet"
            case .act(let action, _): action.typed.text
            case .go(let destination): destination.watches ? "watch" : "sit"
            case .sit: "sit"
            case .sitOut: "out"
            case .sitIn: "in"
            case .tables: "lobby"
            // The others are called like their cases.
            case .table, .status, .rules, .help, .leave, .coach, .rebet, .history, .chart, .standings, .say, .react, .mute,
                .unmute, .kick, .again, .pass, .pause, .match, .count:
                String("\(self)".prefix { $0 != "(" })
            }
        guard let word = CommandWord.named(name) else { preconditionFailure("\(name) is in the vocabulary") }
        return word
    }

    /// As it is typed, without a text: `bet 10`, `sit low`.
    var typed: SafeText {
        switch self {
        case .bet(let amount?): "bet \(amount)"
        case .go(let destination): "\(word.name) \(SafeText(destination.table, columns: 32))"
        case .standings(let span) where span != .evening: "standings \(SafeText(span.rawValue))"
        default: word.name
        }
    }

    /// The effect of Enter, for a line with a slash.
    var effect: SafeText {
        switch self {
        case .mute(let name), .unmute(let name): "\(word.name) \(SafeText(name, columns: 24))"
        case .kick(let name): "kick \(SafeText(name, columns: 24))"
        case .again(let name): "let \(SafeText(name, columns: 24)) return"
        case .react(let word): "react \(SafeText(word.rawValue))"
        case .pass(nil): "remove the pass phrase"
        case .pass: "set the pass phrase"
        default: typed
        }
    }

    /// The request to send; nil for a command that the client carries out by itself.
    func message(in state: ClientState) -> ClientMessage? {
        switch self {
        case .bet(let amount):
            let seat = state.seats.first { state.openBet($0) == nil } ?? state.seat
            return .bet(amount: amount ?? state.mostBet, seat: seat, round: state.round)
        case .act(let action, let amount):
            // The first seat that is asked; without one the server refuses it.
            let seat = state.seats.first { state.snapshot?.choice($0) != nil }
            let hand = seat.flatMap { state.snapshot?.choice($0)?.hand }
            return .act(action, seat: seat, hand: hand, amount: amount, turn: state.question ?? 0)
        case .sit(let seat): return .sit(table: state.table, seat: seat ?? state.furtherSeat)
        case .sitOut: return .sitOut()
        case .sitIn: return .sitOut(false)
        case .tables: return .lobby(follow: nil)
        case .say(let text): return .chat(text: text)
        case .react(let word):
            let isKnown = state.hello?.features.contains("reaction") == true
            return .chat(text: word.rawValue, reaction: isKnown ? word : nil)
        case .history: return .history()
        case .standings(let span): return .standings(over: span)
        case .kick(let name):
            // A bot of the house is called otherwise than it is shown; a player may have its name without the mark.
            let names = state.snapshot?.seats.compactMap { state.snapshot?.player($0)?.name } ?? []
            let isPlayer = names.contains { $0.lowercased() == name.lowercased() }
            let bot = names.first { HouseBot($0)?.name.lowercased() == name.lowercased() }
            return .kick(player: isPlayer ? name : bot ?? name)
        case .again(let name): return .kick(player: name, minutes: 0)
        case .pass(let phrase): return .pass(phrase)
        case .pause(let reason): return .pause(reason != nil || state.snapshot?.pause == nil, reason: reason)
        case .match(let rounds): return .match(rounds: rounds, round: state.round)
        case .go, .table, .status, .rules, .help, .leave, .mute, .unmute, .coach, .rebet, .chart, .count: return nil
        }
    }

    /// Parses a line; nil for an empty one.
    /// - Parameter slash: stands before the words in an error.
    init?(line: some StringProtocol, slash: SafeText = "") throws(Misunderstanding) {
        let parts = line.split(maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        guard let first = parts.first?.lowercased() else { return nil }
        // Behind a slash a key is no word: '/h' may be the beginning of '/help'.
        guard let word = CommandWord.named(first), slash.isEmpty || word.names.contains(first) else {
            let hint = CommandWord.near(first).map { " Did you mean '\(slash)\($0)'?" as SafeText } ?? ""
            throw Misunderstanding(
                text: "Unknown command '\(slash)\(SafeText(first, columns: 20))'.\(hint) '\(slash)help' lists the commands.")
        }
        let rest = parts.count > 1 ? String(parts[1]).withoutBlanks : ""
        guard !word.operands.isEmpty || rest.isEmpty else {
            throw Misunderstanding(text: "'\(slash)\(SafeText(first, columns: 20))' takes no argument.")
        }
        do {
            self = try word.parse(Operands(word: word, text: rest, slash: slash))
        } catch {
            throw error as? Misunderstanding ?? Misunderstanding(text: "\(slash)\(word.usage())")
        }
    }
}

/// The rest of a line, behind its first word.
struct Operands {
    typealias Misunderstanding = PlayerCommand.Misunderstanding

    let word: CommandWord
    /// Without blanks around it.
    let text: String
    let slash: SafeText

    var words: [String] { text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) }

    /// A number of chips or of a seat; nil where nothing follows.
    func number() throws(Misunderstanding) -> Int? {
        guard let first = words.first else { return nil }
        let word = "\(slash)\(word.name)" as SafeText
        guard words.count == 1 else {
            throw Misunderstanding(text: "'\(word)' takes one number, for example '\(word) \(self.word.name == "sit" ? 3 : 10)'.")
        }
        guard let number = Int(first), (0...WireLimits.chips).contains(number) else {
            throw Misunderstanding(
                text: "'\(SafeText(first, columns: 20))' is not \(self.word.need == .seat ? "a seat" : "an amount").")
        }
        return number
    }

    /// A text that must be there.
    /// - Parameters:
    ///   - thing: its name.
    ///   - more: behind the example.
    func required(_ thing: SafeText, _ example: SafeText, _ more: SafeText = "") throws(Misunderstanding) -> String {
        guard text.isEmpty else { return text }
        throw Misunderstanding(text: "\(thing) missing, for example '\(slash)\(word.name) \(example)'\(more).")
    }

    func playerName() throws(Misunderstanding) -> String {
        let text = try required("Name", "bob")
        guard let name = try? PlayerName(text) else {
            throw Misunderstanding(text: "'\(SafeText(text, columns: 24))' is not a player's name.")
        }
        return name.text
    }

    func bet() throws(Misunderstanding) -> Int? {
        let amount = try required("Amount", "10", "; 'bet 0' takes a bet back, 'bet max' bets the maximum")
        return amount.lowercased() == "max" ? nil : try number()
    }

    func chat() throws(Misunderstanding) -> String {
        let text = try required("Text", "good luck")
        do throws(ProtocolError) {
            return try ChatText(text).text
        } catch {
            throw Misunderstanding(text: "Not sent: \(text.count) characters. \(error.message)")
        }
    }

    /// By its word, or by its digit on a screen.
    func reaction() throws(Misunderstanding) -> Reaction {
        let text = try required("Word", "nice").lowercased()
        if let known = Reaction.allCases.enumerated().first(where: { $1.rawValue == text || "\($0 + 1)" == text }) {
            return known.element
        }
        throw Misunderstanding(text: "The reactions are \(Reaction.allCases.map { SafeText($0.rawValue) }.listed).")
    }

    /// The word `none` takes the phrase away: a line that was cut short must not open the table to all.
    func phrase() throws(Misunderstanding) -> String? {
        let phrase = try checked(required("Phrase", "open sesame", "; '\(slash)pass none' removes it"))
        return phrase.lowercased() == "none" ? nil : phrase
    }

    /// A system of counting, or `off`.
    func system() throws(Misunderstanding) -> String? {
        let names = CountingSystem.all.map(\.name) + ["off"]
        guard let name = words.first else { return nil }
        guard words.count == 1, names.contains(name) else {
            throw Misunderstanding(text: "'\(slash)count' takes one of \(names.map { SafeText($0) }.joined()).")
        }
        return name
    }

    func span() throws(Misunderstanding) -> StandingsSpan {
        guard !text.isEmpty else { return .evening }
        guard let span = StandingsSpan(rawValue: text.lowercased()) else {
            throw Misunderstanding(text: "'\(slash)standings' takes 'career', 'match' or nothing.")
        }
        return span
    }

    private func checked(_ phrase: String) throws(Misunderstanding) -> String {
        guard phrase.utf8.count <= WireLimits.passBytes else {
            throw Misunderstanding(text: "A pass phrase may have at most \(WireLimits.passBytes) bytes.")
        }
        return phrase
    }

    /// `TABLE [PHRASE]`.
    func destination(watches: Bool) throws(Misunderstanding) -> PlayerCommand {
        let text = try required("Table", "main", "; '\(slash)lobby' lists the tables")
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
        let table = String(parts[0])
        guard table.utf8.count <= WireLimits.tableNameBytes else {
            throw Misunderstanding(text: "'\(SafeText(table, columns: 20))' is not the name of a table.")
        }
        let pass = parts.count > 1 ? try checked(String(parts[1]).withoutBlanks) : nil
        return .go(.init(table: table, watches: watches, pass: pass))
    }
}

/// A row of the vocabulary: the spellings of a command, what it needs, and how the rest of its line is read.
struct CommandWord: Sendable {
    /// Decides what is offered, what waits, and what is refused without asking the server.
    enum Need: Sendable {
        case nothing
        /// No hand in play.
        case end
        /// The server's answer.
        case server
        /// The state of a table.
        case table
        /// A change of the table: a seat, open bets, a question to the player.
        case seat, bets, question

        var isOfATable: Bool { [.table, .seat, .bets, .question].contains(self) }
    }

    enum Offer: Sendable { case none, all, owner }

    /// The name first, then other words for it.
    let names: [String]
    /// On the screen; also typed, where no name is the same.
    let key: Unicode.Scalar?
    /// For the line of keys.
    let label: SafeText
    /// `N`, `[SEAT]`; empty for a word that stands alone.
    let operands: SafeText
    let need: Need
    /// To whom it is offered as soon as a slash is typed.
    let offer: Offer
    /// Throws a misunderstanding.
    let parse: @Sendable (Operands) throws -> PlayerCommand

    init(
        _ names: String, key: Unicode.Scalar? = nil, _ label: SafeText, operands: SafeText = "", _ need: Need,
        offer: Offer = .none, parse: @escaping @Sendable (Operands) throws -> PlayerCommand
    ) {
        (self.names, self.key, self.label, self.operands) = (names.split(separator: " ").map(String.init), key, label, operands)
        (self.need, self.offer, self.parse) = (need, offer, parse)
    }

    var name: SafeText { SafeText(names[0]) }

    private var standsAlone: Bool { operands.isEmpty || operands.text.first == "[" }

    /// `/kick NAME`.
    /// - Parameter isShort: without operands that may be left out.
    func usage(_ slash: SafeText = "", isShort: Bool = false) -> SafeText {
        let all = names.map { slash + SafeText($0) }
        let words = [all.dropLast().joined(), all[all.count - 1]].filter { !$0.isEmpty }.joined(" or ")
        return operands.isEmpty || isShort && standsAlone ? words : "\(words) \(operands)"
    }

    /// Words with the same sentence of the help.
    struct Topic: Sendable {
        let help: SafeText
        let words: [CommandWord]

        init(_ help: SafeText, _ words: CommandWord...) { (self.help, self.words) = (help, words) }
    }

    /// All words, in the order of the help.
    static let topics: [Topic] = [
        .init(
            "bets N chips, or the maximum, on the next round; 0 takes the bet back.",
            .init("bet", key: "b", "bet", operands: "N", .bets, offer: .all) { .bet(try $0.bet()) },
            .init("max", key: "m", "max", .bets) { _ in .bet(nil) }),
        .init(
            "repeats your last bet each round, until your time runs out; 'rebet' again turns it off.",
            .init("rebet", key: "R", "rebet", .server) { _ in .rebet }),
        .init(
            "plays your hand on your turn.",
            .init("hit", key: "h", "hit", .question) { _ in .act(.hit) },
            .init("stand", key: "s", "stand", .question) { _ in .act(.stand) },
            .init("double", key: "d", "double", operands: "[N]", .question) { .act(.double, amount: try $0.number()) },
            .init("split", key: "p", "split", .question) { _ in .act(.split) },
            .init("surrender", key: "u", "surrender", .question) { _ in .act(.surrender) }),
        .init(
            "answers when the dealer shows an ace.",
            .init("insurance", key: "i", "insurance", operands: "[N]", .question) {
                .act(.insurance, amount: try $0.number())
            },
            .init("no", key: "n", "no", .question) { _ in .act(.decline) },
            .init("even", key: "e", "even money", .question) { _ in .act(.evenMoney) }),
        .init(
            "takes a seat; sits out; plays again.",
            .init("sit", key: "s", "take a seat", operands: "[SEAT]", .seat) {
                guard let first = $0.words.first, Int(first) == nil else { return .sit(seat: try $0.number()) }
                return try $0.destination(watches: false)
            },
            .init("out", key: "o", "sit out", .seat) { _ in .sitOut },
            .init("in", key: "o", "play again", .seat) { _ in .sitIn }),
        .init("lists the tables.", .init("lobby tables", key: "l", "tables", .server) { _ in .tables }),
        .init(
            "watches a table; 'sit TABLE [PHRASE]' sits down there once your hand is over. PHRASE is the table's pass phrase.",
            .init("watch", "watch", operands: "TABLE [PHRASE]", .seat) { try $0.destination(watches: true) }),
        .init(
            "shows the table; the house rules; the connection, the shoe and its proofs.",
            .init("table", "table", .table) { _ in .table }, .init("rules", key: "v", "rules", .table) { _ in .rules },
            .init("status", "status", .server, offer: .all) { _ in .status }),
        .init(
            "turns the coach on or off; it names the best action and what it is worth.",
            .init("coach", key: "a", "coach", .server) { _ in .coach }),
        .init("shows the chart of basic strategy for this table.", .init("chart", key: "c", "chart", .table) { _ in .chart }),
        .init(
            "shows the running and the true count; SYSTEM has you asked for it now and then, 'count off' no longer.",
            .init("count", key: "k", "count", operands: "[SYSTEM]", .table) { .count(try $0.system()) }),
        .init(
            "sends chat to the table.", .init("say", key: "t", "talk", operands: "TEXT", .table) { .say(try $0.chat()) }),
        .init(
            "shows a word at your seat: nice, ouch, wow, gg, haha or unlucky.",
            .init("react", key: "r", "react", operands: "WORD", .table) { .react(try $0.reaction()) }),
        .init(
            "hides a player's chat; shows it again.",
            .init("mute", "hide a player's chat", operands: "NAME", .server, offer: .all) { .mute(try $0.playerName()) },
            .init("unmute", "show it again", operands: "NAME", .server) { .unmute(try $0.playerName()) }),
        .init("shows your last hands.", .init("history hands", key: "y", "history", .server) { _ in .history }),
        .init(
            "ranks this evening's players by chips won, those of a match, or all accounts by their careers.",
            .init("standings", key: "w", "standings", operands: "[career|match]", .server, offer: .all) {
                .standings(try $0.span())
            }),
        .init(
            "at your own table, kicks a player; sets the pass phrase, or removes it with 'pass none'; lets a player return; stops all clocks, or lets them run again; begins a match of N rounds, 'match 0' ends it.",
            .init("kick", "kick a player", operands: "NAME", .table, offer: .owner) { .kick(try $0.playerName()) },
            .init("pass", "set the phrase; none removes it", operands: "PHRASE", .table, offer: .owner) {
                .pass(try $0.phrase())
            },
            .init("again", "let them return", operands: "NAME", .table, offer: .owner) { .again(try $0.playerName()) },
            .init("pause", "stop the clocks, or go on", operands: "[WHY]", .table, offer: .owner) {
                .pause($0.text.isEmpty ? nil : try $0.chat())
            },
            .init("match", "a ranking over N rounds", operands: "N", .table, offer: .owner) {
                _ = try $0.required("Rounds", "30")
                return .match(try $0.number() ?? 0)
            }),
        .init("lists the commands.", .init("help", key: "?", "help", .nothing, offer: .all) { _ in .help }),
        .init(
            "leaves the table and the program; with a hand in play it asks first.",
            .init("leave quit exit", key: "q", "quit", .end) { _ in .leave }),
    ]

    static let all = topics.flatMap(\.words)
    /// Names before keys: a later word may be called like an earlier one's key.
    private static let spellings = Dictionary(
        all.flatMap { word in word.names.map { ($0, word) } }
            + all.compactMap { word in word.key.map { (String($0).lowercased(), word) } }, uniquingKeysWith: { first, _ in first }
    )

    static func named(_ word: String) -> CommandWord? { spellings[word] }

    /// The name that a mistyped word may stand for.
    static func near(_ word: String) -> String? {
        guard word.count >= 3 else { return nil }
        let names = all.flatMap(\.names)
        return names.first { $0.hasPrefix(word.prefix(3)) }
            ?? NearestWord.of(word, among: names, within: word.count > 4 ? 2 : 1)
    }

    /// The vocabulary in lines; in practice without what needs other people or tables.
    static func help(isPractice: Bool) -> [SafeText] {
        topics.filter { !isPractice || !["lobby", "watch", "say", "mute", "kick"].contains($0.words[0].name) }
            .map { topic in "\(topic.words.map { $0.usage() }.joined()): \(topic.help)" }
    }

    /// The words that a line with a slash may become, those that are offered first.
    static func matches(_ line: String, ofOwner isOwner: Bool) -> [CommandWord] {
        let typed = line.dropFirst().lowercased()
        let first = typed.prefix { !$0.isWhitespace }
        let words = all.filter { word in
            typed.count > first.count ? word.names.contains(String(first)) : word.names.contains { $0.hasPrefix(first) }
        }
        // An owner's first: no key is theirs.
        let offers: [Offer] = isOwner ? [.owner, .all] : [.all]
        let others = first.isEmpty ? [] : words.filter { !offers.contains($0.offer) }
        return offers.flatMap { offer in words.filter { $0.offer == offer } } + others
    }

    /// A line with a slash, its word or its name completed; nil where there is nothing to complete.
    /// - Parameters:
    ///   - players: names of those at the table.
    ///   - bots: those whom nobody means to kick.
    static func completion(of line: String, ofOwner isOwner: Bool, players: [String], bots: Set<String> = []) -> String? {
        guard let word = matches(line, ofOwner: isOwner).first else { return nil }
        guard let blank = line.firstIndex(where: \.isWhitespace) else {
            let name = "/\(word.names[0])"
            return name == line && word.standsAlone ? nil : name + (word.operands.isEmpty ? "" : " ")
        }
        let start = String(line[blank...]).withoutBlanks.lowercased()
        guard word.operands == "NAME",
            let name = players.first(where: {
                $0.lowercased().hasPrefix(start) && $0.count > start.count && !(word.name == "kick" && bots.contains($0))
            })
        else { return nil }
        return "/\(word.names[0]) \(name)"
    }
}

extension Action {
    /// The word for it.
    var typed: SafeText {
        switch self {
        case .decline: "no"
        case .evenMoney: "even"
        default: SafeText(name)
        }
    }
}

extension String {
    /// A line whose first visible character is a slash, from there on: a command, never chat. By scalars, since a mark on the slash hides
    /// nothing of what follows.
    var slashLine: String? {
        let line = unicodeScalars.drop { $0.isBlank }
        return line.first == "/" ? String(line) : nil
    }

    var withoutBlanks: String {
        var text = Substring(drop { $0.isWhitespace })
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

import ClientCore
import Rules
import TableModel
import Wire

extension PlainCommand {
    /// Parses a line; nil for an empty one.
    init?(line: String) throws(Misunderstanding) {
        if let text = Self.speech(in: line) {
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw Misunderstanding(text: "Text missing, for example 'say good luck'.")
            }
            do throws(ProtocolError) {
                _ = try ChatText(text)
            } catch {
                throw Misunderstanding(text: "Not said: \(text.count) characters. \(error.message)")
            }
            self = .say(text)
            return
        }
        if let request = MuteList.Request(words: line) {
            self = .mute(request)
            return
        }
        if let destination = try TableMove.Destination(words: line) {
            self = .go(destination)
            return
        }
        if let command = OwnerCommand(words: line) {
            self = .owner(command)
            return
        }
        let words = line.lowercased().split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
        guard let word = words.first else { return nil }
        switch word {
        case "lobby", "tables": self = words.count == 1 ? .tables : .find(try TableQuery(words: words.dropFirst()))
        case "settings", "set": self = try Self.settings(line, words)
        default: self = try Self.command(word, Array(words.dropFirst()))
        }
    }

    /// The text after `say`; nil for another command.
    private static func speech(in line: String) -> String? {
        let parts = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard parts.first?.lowercased() == "say" else { return nil }
        let rest = parts.dropFirst().first?.drop { $0 == " " || $0 == "\t" } ?? ""
        return String(rest.last == "\r" ? rest.dropLast() : rest)
    }

    private static func command(_ word: String, _ rest: [String]) throws(Misunderstanding) -> PlainCommand {
        let argument = rest.first
        switch word {
        case "bet", "b":
            guard let argument else {
                throw Misunderstanding(
                    text: "Amount missing, for example 'bet 10'; 'bet 0' takes a bet back, 'bet max' bets the most.")
            }
            try one(rest, of: "bet")
            return argument == "max" ? .betMost : .bet(try number(argument, of: "bet"))
        case "double", "d": return .act(.double, amount: try optional(rest, of: "double"))
        case "insurance", "i": return .act(.insurance, amount: try optional(rest, of: "insurance"))
        case "sit": return .sit(seat: try optional(rest, of: "sit"))
        case "watch": throw Misunderstanding(text: "Table missing, for example 'watch main'; 'lobby' lists the tables.")
        case "mute", "unmute":
            throw Misunderstanding(text: "Name missing, for example 'mute bob'; 'unmute bob' shows their chat again.")
        case "kick": throw Misunderstanding(text: "Name missing, for example 'kick bob', at a table of your own.")
        case "pass": throw Misunderstanding(text: OwnerCommand.passMisunderstanding(rest.joined(separator: " ")))
        default: break
        }
        guard let command = simple(word) else {
            let hint: SafeText = near(word).map { " Did you mean '\($0)'?" } ?? ""
            throw Misunderstanding(
                text: "Unknown command '\(SafeText(word, columns: 20))'.\(hint) 'help' lists the commands.")
        }
        guard argument == nil else {
            throw Misunderstanding(text: "'\(SafeText(word, columns: 20))' stands alone: nothing follows it.")
        }
        return command
    }

    /// The command that a mistyped word may stand for.
    private static func near(_ word: String) -> String? {
        guard word.count >= 3 else { return nil }
        return words.first { $0.hasPrefix(word.prefix(3)) } ?? NearestWord.of(word, among: words, within: word.count > 4 ? 2 : 1)
    }

    private static func settings(_ line: String, _ words: [String]) throws(Misunderstanding) -> PlainCommand {
        guard words.count > 1 else { return .settings(nil, nil) }
        guard let field = ClientSettings.Field(rawValue: words[1]) else {
            let names = ClientSettings.Field.allCases.map(\.rawValue)
            let near = NearestWord.of(words[1], among: names, within: 2).map { " Did you mean '\($0)'?" as SafeText } ?? ""
            throw Misunderstanding(
                text: "There is no setting '\(SafeText(words[1], columns: 20))'.\(near) 'settings' lists them.")
        }
        guard words.count > 2 else { return .settings(field, nil) }
        // A name keeps its capital letters and spaces.
        let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        let value = parts[2].split { $0 == " " || $0 == "\t" || $0 == "\r" }.joined(separator: " ")
        let given = field == .name ? value : value.lowercased()
        var settings = ClientSettings()
        do throws(ClientSettings.Misfit) {
            if given != "default" { try settings.set(field, to: given) }
        } catch {
            throw Misunderstanding(text: "'\(SafeText(given, columns: 20))' is not \(SafeText(field.expected)).")
        }
        return .settings(field, given)
    }

    private static func simple(_ word: String) -> PlainCommand? {
        switch word {
        case "hit", "h": .act(.hit, amount: nil)
        case "stand", "s": .act(.stand, amount: nil)
        case "split", "p": .act(.split, amount: nil)
        case "surrender", "u": .act(.surrender, amount: nil)
        case "no", "n": .act(.decline, amount: nil)
        case "even", "e": .act(.evenMoney, amount: nil)
        case "out": .sitOut
        case "in": .sitIn
        case "table": .table
        case "status": .status
        case "rules": .rules
        case "coach", "a": .coach
        case "max", "m": .betMost
        case "repeat", "r": .betAgain
        case "rebet": .rebet
        case "history", "hands", "y": .history
        case "statement", "balance": .statement
        case "help", "?": .help
        case "leave", "quit", "exit", "q": .leave
        default: nil
        }
    }

    private static func optional(_ rest: [String], of word: SafeText) throws(Misunderstanding) -> Int? {
        guard let text = rest.first else { return nil }
        try one(rest, of: word)
        return try number(text, of: word)
    }

    private static func one(_ rest: [String], of word: SafeText) throws(Misunderstanding) {
        guard rest.count < 2 else {
            throw Misunderstanding(text: "'\(word)' takes one number, for example '\(word) \(word == "sit" ? 3 : 10)'.")
        }
    }

    private static func number(_ text: String, of word: SafeText) throws(Misunderstanding) -> Int {
        guard let number = Int(text), (0...WireLimits.chips).contains(number) else {
            throw Misunderstanding(text: "'\(SafeText(text, columns: 20))' is not a number to \(word).")
        }
        return number
    }
}

import Wire

extension TableMove.Destination {
    /// Parses `sit TABLE [PHRASE]` and `watch TABLE [PHRASE]`; nil for another command, for `sit` and for `sit SEAT`.
    init?(words line: String) throws(PlainCommand.Misunderstanding) {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: isBlank)
        guard parts.count >= 2, let verb = parts.first?.lowercased(), verb == "sit" || verb == "watch" else { return nil }
        let table = String(parts[1])
        if verb == "sit", Int(table) != nil { return nil }
        guard table.utf8.count <= WireLimits.tableNameBytes else {
            throw PlainCommand.Misunderstanding(text: "'\(SafeText(table, columns: 20))' is not the name of a table.")
        }
        self.init(table: table, watches: verb == "watch")
        guard parts.count == 3 else { return }
        let rest = parts[2].drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }
        guard let end else { return }
        guard rest[...end].utf8.count <= WireLimits.passBytes else {
            throw PlainCommand.Misunderstanding(text: "A pass phrase has at most \(WireLimits.passBytes) bytes.")
        }
        pass = String(rest[...end])
    }
}

extension PlainCommand {
    /// Whether it means something only at a table.
    var needsTable: Bool {
        switch self {
        case .bet, .betMost, .betAgain, .act, .sit, .sitOut, .sitIn, .table, .rules, .say, .owner: true
        case .go, .tables, .find, .status, .help, .leave, .history, .statement, .mute, .coach, .rebet, .settings: false
        }
    }

    /// Whether it needs no server.
    var isLocal: Bool {
        switch self {
        case .leave, .help, .settings: true
        default: false
        }
    }

    var isBet: Bool {
        switch self {
        case .bet, .betMost, .betAgain: true
        default: false
        }
    }
}

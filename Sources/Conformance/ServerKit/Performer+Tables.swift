import Rules
import TableModel
import Wire

/// Finding tables where a transcript can be played.
extension ServerKit.Performer {
    /// Prepares the server for a transcript.
    func prepare(_ transcript: ServerKit.Transcript) throws {
        for case .given(let name) in transcript.needs where !options.given.contains(name) {
            throw Stop.skip("the host has to bring about \(name), and say so with --given \(name)")
        }
        var tables = 0
        for case .tables(let count) in transcript.needs { tables = count }
        let conditions = transcript.needs.filter { if case .rule = $0 { true } else { false } }
        if transcript.usesTable || transcript.usesOtherTable || transcript.needs.contains(.locked) || !conditions.isEmpty
            || tables > 0
        {
            try findTables(transcript, conditions, count: max(tables, transcript.usesOtherTable ? 2 : 1))
        }
        if variables.number(transcript.takes) == nil {
            // The server's first statement about itself.
            try greetUsher()
            dismissUsher()
        }
        guard let seconds = variables.number(transcript.takes) else {
            throw Stop.fail("\(transcript.takes.text) has no value")
        }
        guard seconds <= options.patience else {
            throw Stop.skip("it takes \(seconds) seconds, which is more than --patience allows")
        }
    }

    private func findTables(_ transcript: ServerKit.Transcript, _ conditions: [ServerKit.Need], count: Int) throws {
        try greetUsher()
        defer { dismissUsher() }
        let deadline = stage.now + options.tableSeconds * 1000
        while true {
            let tables = try lobby()
            let open = tables.filter { !$0.isLocked }
            guard open.count >= count else { throw Stop.skip("there are not \(count) tables that are open to everybody") }
            guard let best = open.first(where: { holds(conditions, at: $0) }) else {
                throw Stop.skip("there is no table where " + transcript.needs.compactMap(\.text).joined(separator: ", "))
            }
            let free = open.filter { $0.players.isEmpty && $0.watchers == 0 }
            let table = transcript.usesTable ? free.first { holds(conditions, at: $0) } : best
            if let table, free.count >= count || !transcript.usesTable {
                return try take(table, other: free.first { $0.name != table.name }, tables, transcript)
            }
            guard stage.now < deadline else { throw Stop.skip("somebody is at every table that would do") }
            // A player still there may be leaving.
            if case .closed = stage.next("usher", within: 50) { throw Stop.fail("the connection was closed") }
        }
    }

    /// A connection that sees to things before a transcript begins.
    private func greetUsher() throws {
        try connect("usher")
        try hear("usher", try ServerKit.Pattern(#"{"type":"hello",...}"#), isNext: true)
    }

    private func dismissUsher() {
        stage.cut("usher")
        peers["usher"] = nil
    }

    private func lobby() throws -> [TableSummary] {
        try send(Request(id: .text("lobby"), .lobby(follow: nil)).encoded(), by: "usher")
        let deadline = stage.now + limit
        while let (message, _) = try next("usher", until: deadline) {
            if case .ok(.text("lobby"), .lobby(_, _, let tables)) = message { return tables }
        }
        throw Stop.fail("the connection was closed")
    }

    private func take(
        _ table: TableSummary, other: TableSummary?, _ tables: [TableSummary], _ transcript: ServerKit.Transcript
    ) throws {
        variables["table"] = .text(table.name)
        if let other { variables["other"] = .text(other.name) }
        for (key, value) in table.rules.fieldValues { variables[key] = value.pattern }
        variables["min"] = .number(String(table.rules.minimumBet))
        variables["max"] = .number(String(table.rules.maximumBet))
        variables["step"] = .number(String(table.rules.betStep))
        guard transcript.needs.contains(.locked) else { return }
        guard let locked = tables.first(where: \.isLocked) else { throw Stop.skip("there is no table with a pass phrase") }
        guard let pass = options.pass else { throw Stop.skip("the pass phrase was not told, with --pass") }
        variables["locked"] = .text(locked.name)
        variables["pass"] = .text(pass)
    }

    private func holds(_ conditions: [ServerKit.Need], at table: TableSummary) -> Bool {
        conditions.allSatisfy { need in
            guard case .rule(let key, let sign, let value) = need,
                let actual = table.rules.fieldValues.first(where: { $0.0 == key })?.1.pattern
            else { return false }
            if let one = actual.whole, let other = Int(value) {
                return switch sign {
                case "<": one < other
                case ">": one > other
                case "<=": one <= other
                case ">=": one >= other
                case "!=": one != other
                default: one == other
                }
            }
            let isSame = (actual.string ?? actual.description) == value
            return sign == "!=" ? !isSame : isSame
        }
    }
}

extension ServerKit.Need {
    /// A condition in words.
    fileprivate var text: String? {
        if case .rule(let key, let sign, let value) = self { "\(key)\(sign)\(value)" } else { nil }
    }
}

extension RuleValue {
    fileprivate var pattern: ServerKit.Pattern {
        switch self {
        case .text(let text): .text(text)
        case .integer(let number): .number(String(number))
        case .number(let number): .number(String(number))
        case .flag(let flag): .flag(flag)
        case .other: .null
        }
    }
}

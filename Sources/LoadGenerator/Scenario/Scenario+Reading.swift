import Bots

extension Scenario {
    /// Reads a scenario file.
    /// - Parameter file: its name, for errors.
    public init(parsing text: String, file: String) throws(ScenarioError) {
        let tree: JSONTree
        do {
            tree = try JSONTree(parsing: text)
        } catch {
            throw ScenarioError(
                file: file, line: error.line, key: "", value: "", expected: "not JSON: expected \(error.expected)")
        }
        self.init()
        let root = ScenarioReader(file: file, key: "", line: 1, value: tree)
        let members = try root.members(["seed", "phases", "bots", "hostile", "thresholds"])
        if let seed = members["seed"] { self.seed = UInt64(try seed.integer(0...(1 << 53))) }
        guard let phases = members["phases"] else {
            throw ScenarioError(
                file: file, line: 0, key: "phases", value: "", expected: "missing; a scenario has at least one phase")
        }
        self.phases = try phases.elements("phases").map { reader throws(ScenarioError) in try Phase(reader) }
        if let bots = members["bots"] {
            mixes = try bots.elements("kinds of bots").map { reader throws(ScenarioError) in try Mix(reader) }
            guard mixes.contains(where: { $0.weight > 0 }) else { throw bots.error("kinds of which at least one has a weight") }
        }
        if let hostile = members["hostile"] { try readHostile(hostile) }
        if let list = members["thresholds"] {
            thresholds = try list.elements("thresholds").map { reader throws(ScenarioError) in try reader.threshold() }
        }
        guard mostBots > 0 || self.phases.contains(where: { if case .sessions = $0 { true } else { false } }) else {
            throw phases.error("phases of which at least one is {\"ramp\": N, \"over\": TIME} or brings sessions")
        }
    }

    private mutating func readHostile(_ reader: ScenarioReader) throws(ScenarioError) {
        let members = try reader.members(["share", "kinds"])
        if let share = members["share"] { hostileShare = try share.number(0...1) }
        guard let kinds = members["kinds"] else { return }
        let names = HostileKind.allCases.map(\.rawValue)
        for (name, weight) in try kinds.members(names) {
            guard let kind = HostileKind(rawValue: name) else { throw kinds.error("one of \(names.joined(separator: ", "))") }
            hostileKinds[kind] = try weight.number(0...1_000_000)
        }
        guard hostileKinds.values.contains(where: { $0 > 0 }) else {
            throw kinds.error("kinds of which at least one has a weight")
        }
    }
}

extension ScenarioReader {
    fileprivate func threshold() throws(ScenarioError) -> Threshold {
        let text = try text()
        do {
            return try Threshold(parsing: text)
        } catch {
            throw self.error("a threshold such as \"p(99)<20ms\" (\(error))")
        }
    }
}

extension Scenario.Phase {
    fileprivate init(_ reader: ScenarioReader) throws(ScenarioError) {
        let members = try reader.members(["ramp", "over", "hold", "rate", "of", "for"])
        if let bots = members["ramp"] {
            try Self.allow(["ramp", "over"], members, reader)
            self = .ramp(bots: try bots.integer(0...1_000_000), over: try members["over"]?.milliseconds() ?? 0)
        } else if let time = members["hold"] {
            try Self.allow(["hold"], members, reader)
            self = .hold(try time.milliseconds())
        } else if let rate = members["rate"] {
            try Self.allow(["rate", "of", "for"], members, reader)
            guard let time = members["for"] else { throw reader.error("a rate with \"for\": how long it lasts") }
            let perSecond = try rate.number(0.001...10_000_000)
            switch try members["of"]?.text() ?? "actions" {
            case "actions": self = .actions(perSecond: perSecond, try time.milliseconds())
            case "sessions": self = .sessions(perSecond: perSecond, try time.milliseconds())
            default: throw members["of"]?.error("\"actions\" or \"sessions\"") ?? reader.error("a phase")
            }
        } else {
            throw reader.error(
                "{\"ramp\": N, \"over\": TIME}, {\"hold\": TIME} or {\"rate\": X, \"of\": \"actions\"|\"sessions\", \"for\": TIME}"
            )
        }
    }

    private static func allow(
        _ keys: [String], _ members: [String: ScenarioReader], _ reader: ScenarioReader
    ) throws(ScenarioError) {
        for key in members.keys.sorted() where !keys.contains(key) {
            throw members[key]?.error("absent: a phase with \"\(keys[0])\" has \(keys.joined(separator: ", "))")
                ?? reader.error("a phase")
        }
    }
}

extension Scenario.Mix {
    fileprivate init(_ reader: ScenarioReader) throws(ScenarioError) {
        self.init()
        let members = try reader.members(["name", "weight", "strategy", "spread", "think", "table", "stay", "away"])
        if let weight = members["weight"] { self.weight = try weight.number(0...1_000_000) }
        if let strategy = members["strategy"] {
            let text = try strategy.text("\"basic\" or the path of a chart, a CSV file")
            self.strategy = text == "basic" ? .basic : .chart(text)
            name = text
        }
        if let name = members["name"] { self.name = try name.text() }
        if let spread = members["spread"] { self.spread = try spread.value(BetSpread.self, BetSpread.expected) }
        if let think = members["think"] { self.think = try think.value(Distribution.self, Distribution.expected) }
        if let table = members["table"] { self.table = try Scenario.TableChoice(table) }
        if let stay = members["stay"] { stayRounds = try stay.integer(1...1_000_000_000) }
        if let away = members["away"] { self.away = try away.value(Distribution.self, Distribution.expected) }
    }
}

extension Scenario.TableChoice {
    fileprivate init(_ reader: ScenarioReader) throws(ScenarioError) {
        switch reader.value {
        case "fill": self = .fill
        case "even": self = .even
        case "any": self = .any
        case .array:
            self = .named(try reader.elements("names of tables").map { reader throws(ScenarioError) in try reader.text() })
        default: throw reader.error("\"fill\", \"even\", \"any\", or an array of names of tables")
        }
    }
}

import Bots

/// A load run as a value: players, times, behaviour and thresholds. The same scenario and seed give the same plan; results
/// depend on the server.
public struct Scenario: Sendable, Equatable {
    /// A stretch of the run.
    public enum Phase: Sendable, Equatable {
        /// The number of bots is brought to this, evenly over a time in milliseconds.
        case ramp(bots: Int, over: Int64)
        /// Bots play at their own pace, for a time in milliseconds.
        case hold(Int64)
        /// Open model: actions per second, due at the moments of a Poisson process whether or not the server keeps up, for a
        /// time in milliseconds. Bots do not think.
        case actions(perSecond: Double, Int64)
        /// Open model: sessions per second, each a bot that comes, plays its stay and goes; for a time in milliseconds.
        case sessions(perSecond: Double, Int64)

        /// Milliseconds.
        public var duration: Int64 {
            switch self {
            case .ramp(_, let time), .hold(let time), .actions(_, let time), .sessions(_, let time): time
            }
        }
    }

    /// Which table a bot takes.
    public enum TableChoice: Sendable, Equatable {
        /// Tables are filled one after the other, so that every table that is played at is full.
        case fill
        /// Every table gets as many bots as any other.
        case even
        /// The one that the server picks.
        case any
        /// One of these.
        case named([String])
    }

    /// How a bot plays.
    public enum Strategy: Sendable, Equatable {
        /// Basic strategy for the rules of its table.
        case basic
        /// A chart in the file of that name.
        case chart(String)
    }

    /// A kind of bot, and how many of all bots are of it.
    public struct Mix: Sendable, Equatable {
        public var name = "basic"
        /// Its share is its weight by the sum of all weights.
        var weight = 1.0
        public var strategy = Strategy.basic
        public var spread = BetSpread.flat(0)
        /// How long it takes to decide, in phases where bots play at their own pace.
        public var think = Distribution.constant(0)
        public var table = TableChoice.fill
        /// Rounds after which it leaves its seat; nil for never.
        var stayRounds: Int?
        /// How long it stays away before it takes a seat again.
        var away = Distribution.constant(1000)

        public init() {}
    }

    public var seed: UInt64 = 1
    public var phases: [Phase] = []
    public var mixes: [Mix] = [Mix()]
    /// The part of all bots that is hostile, 0…1, and the weights of their kinds; none named means all alike.
    public var hostileShare = 0.0
    var hostileKinds: [HostileKind: Double] = [:]
    public var thresholds: [Threshold] = []

    public init() {}

    /// The most bots that any phase asks for, the hostile ones included.
    public var mostBots: Int {
        phases.reduce(0) { most, phase in if case .ramp(let bots, _) = phase { max(most, bots) } else { most } }
    }

    /// How long the phases take together, in milliseconds.
    public var duration: Int64 { phases.reduce(0) { $0 + $1.duration } }

    /// Hostile bots among a number of bots.
    public func hostile(of bots: Int) -> Int { Int((Double(bots) * hostileShare).rounded()) }

    /// Whether bots that play are to come at all.
    var hasHonestBots: Bool {
        mostBots > hostile(of: mostBots) || phases.contains { if case .sessions = $0 { true } else { false } }
    }

    /// Weights of every kind that takes part.
    var hostileWeights: [(kind: HostileKind, weight: Double)] {
        hostileKinds.isEmpty
            ? HostileKind.allCases.map { ($0, 1) }
            : HostileKind.allCases.compactMap { kind in hostileKinds[kind].map { (kind, $0) } }
    }
}

// MARK: - Reading

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

/// A fault in an input file: place, value, expectation.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; 0 when it is not about one line.
    public var line: Int
    /// The path of keys, such as `phases[1].over`; empty for the whole file.
    var key: String
    /// The faulty value as JSON; empty when it is missing.
    public var value: String
    /// To end the sentence "it must be …".
    public var expected: String

    public var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        let subject = key.isEmpty ? "the scenario" : key
        return value.isEmpty ? "\(place): \(subject): \(expected)" : "\(place): \(subject) is \(value): it must be \(expected)"
    }
}

/// A value of a scenario file with its path, for errors.
struct ScenarioReader {
    let file: String
    let key: String
    let line: Int
    let value: JSONTree

    func error(_ expected: String) -> ScenarioError {
        var shown = value.compact
        if shown.count > 60 { shown = shown.prefix(60) + "…" }
        return ScenarioError(file: file, line: line, key: key, value: shown, expected: expected)
    }

    /// The members by key; each must be a known one.
    func members(_ known: [String]) throws(ScenarioError) -> [String: ScenarioReader] {
        guard case .object(let members) = value else { throw error("an object with the keys \(known.joined(separator: ", "))") }
        var found: [String: ScenarioReader] = [:]
        for member in members {
            let path = key.isEmpty ? member.key : "\(key).\(member.key)"
            guard known.contains(member.key) else {
                throw ScenarioError(
                    file: file, line: member.line, key: path, value: "",
                    expected: "unknown key; known here: \(known.joined(separator: ", "))")
            }
            found[member.key] = ScenarioReader(file: file, key: path, line: member.line, value: member.value)
        }
        return found
    }

    func elements(_ what: String) throws(ScenarioError) -> [ScenarioReader] {
        guard case .array(let elements) = value, !elements.isEmpty else { throw error("an array of \(what), at least one") }
        return elements.enumerated().map { index, element in
            // An element's first key tells its line; a plain value stands in the line of its array as far as is known.
            let start = if case .object(let members) = element, let first = members.first { first.line } else { line }
            return ScenarioReader(file: file, key: "\(key)[\(index)]", line: start, value: element)
        }
    }

    func integer(_ range: ClosedRange<Int>) throws(ScenarioError) -> Int {
        guard let number = value.number, let whole = Int(exactly: number), range.contains(whole) else {
            throw error("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    func number(_ range: ClosedRange<Double>) throws(ScenarioError) -> Double {
        guard let number = value.number, range.contains(number) else {
            throw error("a number from \(JSONTree.text(of: range.lowerBound)) to \(JSONTree.text(of: range.upperBound))")
        }
        return number
    }

    func text(_ expected: String = "a text") throws(ScenarioError) -> String {
        guard let text = value.string, !text.isEmpty else { throw error(expected) }
        return text
    }

    func milliseconds() throws(ScenarioError) -> Int64 {
        let expected = "a time such as \"250ms\", \"60s\" or \"5m\", at most a week"
        guard let time = Distribution.Span.milliseconds(in: try text(expected)), time <= 604_800_000 else {
            throw error(expected)
        }
        return Int64(time)
    }

    /// A text in the form of a type that is written in one.
    func value<Value: LosslessStringConvertible>(_ type: Value.Type, _ expected: String) throws(ScenarioError) -> Value {
        let text = if case .number(let number) = value { JSONTree.text(of: number) } else { try text(expected) }
        guard let value = Value(text) else { throw error(expected) }
        return value
    }
}

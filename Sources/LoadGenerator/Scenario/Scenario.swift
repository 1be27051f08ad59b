import Bots
import CommandLineKit

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
    public init(parsing text: String, file: String) throws(FileError) {
        self.init()
        let root = try JSONField(parsing: text.utf8, file: file)
        let members = try root.members(known: ["seed", "phases", "bots", "hostile", "thresholds"])
        if let seed = members["seed"] { self.seed = try seed.read(.int(0...(1 << 53))) }
        guard let phases = members["phases"] else { throw root.error("phases is missing; a scenario has at least one phase") }
        for phase in try phases.some("phases") { self.phases.append(try Phase(phase)) }
        if let bots = members["bots"] {
            mixes = []
            for bot in try bots.some("kinds of bots") { mixes.append(try Mix(bot)) }
            guard mixes.contains(where: { $0.weight > 0 }) else { throw bots.error("at least one has a weight above 0") }
        }
        if let hostile = members["hostile"] { try readHostile(hostile) }
        for field in try members["thresholds"]?.some("thresholds") ?? [] {
            let text = try field.read(.text())
            do throws(ThresholdError) {
                thresholds.append(try Threshold(parsing: text))
            } catch {
                throw field.error("\(error)")
            }
        }
        guard mostBots > 0 || self.phases.contains(where: { if case .sessions = $0 { true } else { false } }) else {
            throw phases.error("at least one phase is {\"ramp\": N, \"over\": TIME} or brings sessions")
        }
    }

    private mutating func readHostile(_ field: JSONField) throws(FileError) {
        let members = try field.members(known: ["share", "kinds"])
        if let share = members["share"] { hostileShare = try share.read(.double(0...1)) }
        guard let kinds = members["kinds"] else { return }
        let weights = try kinds.members(known: HostileKind.allCases.map(\.rawValue))
        for kind in HostileKind.allCases { hostileKinds[kind] = try weights[kind.rawValue]?.read(.weight) }
        guard hostileKinds.values.contains(where: { $0 > 0 }) else { throw kinds.error("at least one has a weight above 0") }
    }
}

extension JSONField {
    /// The items of a list that must not be empty.
    fileprivate func some(_ items: String) throws(FileError) -> [JSONField] {
        let expected = "a list of \(items), at least one"
        let found = try self.items(expected)
        guard !found.isEmpty else { throw isNot(expected) }
        return found
    }

    /// A value whose type is written as one text, or a number in its place.
    fileprivate func read<Value: LosslessStringConvertible>(as expected: String) throws(FileError) -> Value {
        guard let found = (value.string ?? value.number.map(JSONTree.digits(of:))).flatMap(Value.init) else {
            throw isNot(expected)
        }
        return found
    }
}

extension ValueFormat<Double> {
    fileprivate static var weight: Self { .double(0...1_000_000) }
}

extension ValueFormat<Int64> {
    /// The time of a phase, which may have a fraction, in milliseconds.
    fileprivate static var span: Self {
        Self("TIME", expected: "a time such as \"250ms\", \"60s\" or \"5m\", at most a week") { text in
            Distribution.Span.milliseconds(in: text).flatMap { $0 <= 604_800_000 ? Int64($0) : nil }
        } print: {
            Distribution.Span.text(milliseconds: Double($0))
        }
    }
}

extension Scenario.Phase {
    fileprivate init(_ field: JSONField) throws(FileError) {
        let kinds = [["ramp", "over"], ["hold"], ["rate", "of", "for"]]
        guard let keys = kinds.first(where: { field.value[$0[0]] != nil }) else {
            throw field.isNot(
                "{\"ramp\": N, \"over\": TIME}, {\"hold\": TIME} or {\"rate\": X, \"of\": \"actions\"|\"sessions\", \"for\": TIME}"
            )
        }
        let members = try field.members(known: keys)
        if let bots = members["ramp"] {
            self = .ramp(bots: try bots.read(.int(0...1_000_000)), over: try members["over"]?.read(.span) ?? 0)
        } else if let time = members["hold"] {
            self = .hold(try time.read(.span))
        } else {
            guard let rate = try members["rate"]?.read(.double(0.001...10_000_000)), let time = members["for"] else {
                throw field.error("a rate needs \"for\": how long it lasts")
            }
            switch members["of"]?.value ?? "actions" {
            case "actions": self = .actions(perSecond: rate, try time.read(.span))
            case "sessions": self = .sessions(perSecond: rate, try time.read(.span))
            default: throw (members["of"] ?? field).isNot("\"actions\" or \"sessions\"")
            }
        }
    }
}

extension Scenario.Mix {
    fileprivate init(_ field: JSONField) throws(FileError) {
        self.init()
        let members = try field.members(known: ["name", "weight", "strategy", "spread", "think", "table", "stay", "away"])
        if let weight = members["weight"] { self.weight = try weight.read(.weight) }
        if let strategy = members["strategy"] {
            guard let text = strategy.value.string, !text.isEmpty else {
                throw strategy.isNot("\"basic\" or the path of a chart, a CSV file")
            }
            self.strategy = text == "basic" ? .basic : .chart(text)
            name = text
        }
        if let name = members["name"] { self.name = try name.read(.text()) }
        if let spread = members["spread"] { self.spread = try spread.read(as: BetSpread.expected) }
        if let think = members["think"] { self.think = try think.read(as: Distribution.expected) }
        if let table = members["table"] { self.table = try Scenario.TableChoice(table) }
        if let stay = members["stay"] { stayRounds = try stay.read(.int(1...1_000_000_000)) }
        if let away = members["away"] { self.away = try away.read(as: Distribution.expected) }
    }
}

extension Scenario.TableChoice {
    fileprivate init(_ field: JSONField) throws(FileError) {
        switch field.value.content {
        case .string("fill"): self = .fill
        case .string("even"): self = .even
        case .string("any"): self = .any
        case .array:
            var names: [String] = []
            for name in try field.some("names of tables") { names.append(try name.read(.text())) }
            self = .named(names)
        default: throw field.isNot("\"fill\", \"even\", \"any\", or a list of names of tables")
        }
    }
}

import CommandLineKit
import Operations
import Rules
import ServerCore
import Wire

/// A configuration that is well formed and can't be used all the same: in one sentence, why not. Status 65.
struct ConfigurationFault: Error, CustomStringConvertible {
    let description: String
}

/// Which rules, as an operator says it.
enum RulesSpec: Sendable, Equatable {
    /// A preset, or the path of a rules file; `default` for the rules' own defaults.
    case named(String)
    /// Written out in the configuration file.
    case inline(HouseRules)

    /// The rules themselves; reads a file if it is one.
    func load() throws(ConfigurationFault) -> HouseRules {
        switch self {
        case .named("default"): return HouseRules()
        case .named(let name):
            do { return try RulesSource.load(name) } catch { throw ConfigurationFault(description: "\(error)") }
        case .inline(let rules): return rules
        }
    }

    var text: String {
        switch self {
        case .named(let name): name
        case .inline: "{…}"
        }
    }

    static let format = ValueFormat<RulesSpec>(
        "PRESET|FILE", expected: "a preset or the path of a rules file",
        completion: .words(["default"] + HouseRules.presetNames, orFiles: true),
        parse: { $0.isEmpty || $0.count > 4096 ? nil : .named($0) }, print: \.text
    ).reading { field throws(ConfigurationError) in
        switch field.value {
        case .object: return .inline(try inlineRules(field))
        // A path in a file is meant from where the file is, not from where the server was started.
        case .text(let name) where name.contains("/") || name.contains("."):
            return .named(name.hasPrefix("/") ? name : field.folder + name)
        case .text(let name) where name == "default" || HouseRules.presetNames.contains(name): return .named(name)
        default:
            throw field.isNot(
                "a preset (default, \(HouseRules.presetNames.joined(separator: ", "))), a path or an object of rules")
        }
    }

    private static func inlineRules(_ field: ConfigurationField) throws(ConfigurationError) -> HouseRules {
        guard case .object(let members) = field.value else { throw field.isNot("an object of rules") }
        let values = members.map { ($0.key, RuleValue($0.value)) }
        do throws(HouseRulesError) { return try HouseRules(values) } catch { throw field.error(error.description) }
    }
}

extension RuleValue {
    fileprivate init(_ value: ConfigurationValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .bool(let flag): self = .flag(flag)
        case .number(let digits): self = Int(digits).map { .integer($0) } ?? Double(digits).map { .number($0) } ?? .other(digits)
        case .null: self = .other("null")
        case .list: self = .other("a list")
        case .object: self = .other("an object")
        }
    }
}

/// One table of the configuration, or several that are alike.
struct TableSpec: Sendable, Equatable {
    var name: String
    /// nil for the rules of `--rules`.
    var rules: RulesSpec?
    var minimumBet: Int?
    var maximumBet: Int?
    var pass: Secret?
    /// More than one table is called `name-1`, `name-2`, …
    var count = 1

    static let countRange = 1...10_000

    /// The names of its tables.
    var names: [String] { count == 1 ? [name] : (1...count).map { "\(name)-\($0)" } }

    /// The name and, after it, whatever is not as for every other table; a pass phrase only as being there.
    var text: String {
        var notes: [String] = []
        if let rules { notes.append("rules \(rules.text)") }
        if let minimumBet { notes.append("minimumBet \(minimumBet)") }
        if let maximumBet { notes.append("maximumBet \(maximumBet)") }
        if pass != nil { notes.append("pass (set)") }
        if count > 1 { notes.append("count \(count)") }
        return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
    }

    static let nameFormat = ValueFormat<String>(
        "NAME", expected: "a table's name of a-z, 0-9 and -, at most 32",
        parse: { ShardConfiguration.isTableName($0) ? $0 : nil }, print: { $0 })

    static let format = ValueFormat<TableSpec>(
        "NAME", expected: "a table's name of a-z, 0-9 and -, at most 32",
        parse: { nameFormat.parse($0).map { TableSpec(name: $0) } }, print: \.text
    ).reading { field throws(ConfigurationError) in
        if case .text = field.value { return TableSpec(name: try field.read(nameFormat)) }
        let members = try field.members(
            "a table's name or an object", known: ["name", "rules", "minimumBet", "maximumBet", "pass", "count"])
        guard let name = members["name"] else { throw field.error("name is missing") }
        var spec = TableSpec(name: try name.read(nameFormat))
        if let rules = members["rules"] { spec.rules = try rules.read(RulesSpec.format) }
        if let bet = members["minimumBet"] { spec.minimumBet = try bet.read(.int(HouseRules.betRange)) }
        if let bet = members["maximumBet"] { spec.maximumBet = try bet.read(.int(HouseRules.betRange)) }
        if let count = members["count"] { spec.count = try count.read(.int(countRange)) }
        if let pass = members["pass"] { spec.pass = try readPass(pass) }
        guard spec.names.allSatisfy({ ShardConfiguration.isTableName($0) }) else {
            throw name.error("with its number, \(spec.names.last ?? "") is longer than a table's name may be")
        }
        return spec
    }

    private static func readPass(_ field: ConfigurationField) throws(ConfigurationError) -> Secret {
        // The text itself must not stand in the error.
        guard case .text(let text) = field.value, (1...WireLimits.passBytes).contains(text.utf8.count) else {
            throw field.error("not a text of 1 to \(WireLimits.passBytes) bytes")
        }
        return Secret(text)
    }

    /// The settings of its tables.
    /// - Parameter common: the rules where it has none of its own.
    func settings(_ common: HouseRules) throws(ConfigurationFault) -> [ShardConfiguration.TableSetting] {
        var rules = try self.rules?.load() ?? common
        var changes: [(String, RuleValue)] = []
        if let minimumBet { changes.append(("minimumBet", .integer(minimumBet))) }
        if let maximumBet { changes.append(("maximumBet", .integer(maximumBet))) }
        do throws(HouseRulesError) {
            if !changes.isEmpty { rules = try rules.with(changes) }
        } catch {
            throw ConfigurationFault(description: "table \(name): \(error)")
        }
        return names.map { .init(name: $0, rules: rules, pass: pass?.revealed) }
    }
}

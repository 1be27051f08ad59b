import CommandLineKit
import Postgres
import Rules
import ServerCore
import Wire

/// A well-formed but unusable configuration: one sentence. Exit status 65.
struct ConfigurationFault: Error, CustomStringConvertible {
    let description: String
}

/// The rules of a table as specified.
enum RulesSpec: Sendable, Equatable {
    /// A preset, or the path of a rules file; `default` for the defaults.
    case named(String)
    /// Inline in the configuration file.
    case inline(HouseRules)

    /// Resolves the rules, reading a file if needed.
    func load() throws(ConfigurationFault) -> HouseRules {
        switch self {
        case .named("default"): return HouseRules()
        case .named(let name):
            do { return try RulesSource.load(name) { try RegularFile.read($0, upTo: RulesSource.limit) } } catch {
                throw ConfigurationFault(description: "\(error)")
            }
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
    ).reading { field throws(FileError) in
        switch field.value.content {
        case .object: return .inline(try inlineRules(field))
        // A relative path is relative to the configuration file.
        case .string(let name) where name.contains("/" as Character) || name.contains("." as Character):
            return .named(name.hasPrefix("/") ? name : field.folder + name)
        case .string(let name) where name == "default" || HouseRules.presetNames.contains(name): return .named(name)
        case .string(let name):
            throw field.error("\(HouseRulesError.unknownPreset(name)); a path or an object of rules is valid too")
        default:
            throw field.isNot(
                "a preset (default, \(HouseRules.presetNames.joined(separator: ", "))), a path or an object of rules")
        }
    }

    private static func inlineRules(_ field: JSONField) throws(FileError) -> HouseRules {
        guard case .object(let members) = field.value.content else { throw field.isNot("an object of rules") }
        let values = members.map { ($0.key, RuleValue($0.value)) }
        do throws(HouseRulesError) { return try HouseRules(values) } catch { throw field.error(error.description) }
    }
}

extension RuleValue {
    fileprivate init(_ value: JSONTree) {
        switch value.content {
        case .string(let text): self = .text(text)
        case .bool(let flag): self = .flag(flag)
        case .number(let digits): self = Int(digits).map { .integer($0) } ?? Double(digits).map { .number($0) } ?? .other(digits)
        case .null: self = .other("null")
        case .array: self = .other("a list")
        case .object: self = .other("an object")
        }
    }
}

/// A table of the configuration, or several equal ones.
struct TableSpec: Sendable, Equatable {
    var name: String
    /// nil for the rules of `--rules`.
    var rules: RulesSpec?
    var minimumBet: Int?
    var maximumBet: Int?
    var pass: Secret?
    /// The partition that has it; nil: that of the name's hash.
    var partition: Int?
    /// Above 1, tables are named `name-1`, `name-2`, …
    var count = 1

    static let countRange = 1...10_000

    /// Names of the tables.
    var names: [String] { count == 1 ? [name] : (1...count).map { "\(name)-\($0)" } }

    /// The name and all settings that differ from the defaults; a pass phrase only as set.
    var text: String {
        var notes: [String] = []
        if let rules { notes.append("rules \(rules.text)") }
        if let minimumBet { notes.append("minimumBet \(minimumBet)") }
        if let maximumBet { notes.append("maximumBet \(maximumBet)") }
        if pass != nil { notes.append("pass (set)") }
        if let partition { notes.append("partition \(partition)") }
        if count > 1 { notes.append("count \(count)") }
        return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
    }

    /// The keys of a table in a file.
    enum Key: String, CaseIterable {
        case name, rules, minimumBet, maximumBet, pass, partition, count

        /// One sentence.
        var meaning: String {
            switch self {
            case .name: "1 to 32 of a-z, 0-9 and -. Required."
            case .rules: "A preset, the path of a rules file, or an object of rules. Default: --rules."
            case .minimumBet: "The minimum bet. Overrides the rules."
            case .maximumBet: "The maximum bet. Overrides the rules."
            case .pass:
                "The pass phrase to sit or watch: 1 to \(WireLimits.passBytes) bytes. A phrase that the table's owner has set takes precedence, even after "
                    + "a restart, until this key changes."
            case .partition:
                "The partition that has the table, from 1. Default: derived from the name, the same on all servers."
            case .count: "Equal tables NAME-1, NAME-2 ...: 1 to \(TableSpec.countRange.upperBound)."
            }
        }

        static let words = allCases.map(\.rawValue).joined(separator: ", ")
    }

    static let nameFormat = ValueFormat<String>(
        "NAME", expected: "a table's name of a-z, 0-9 and -, at most 32",
        parse: { ShardConfiguration.isTableName($0) ? $0 : nil }, print: { $0 })

    static let format = ValueFormat<TableSpec>(
        "NAME", expected: "a table's name of a-z, 0-9 and -, at most 32",
        parse: { nameFormat.parse($0).map { TableSpec(name: $0) } }, print: \.text
    ).reading { field throws(FileError) in
        if case .string = field.value.content { return TableSpec(name: try field.read(nameFormat)) }
        let members = try field.members("a table's name or an object", known: Key.allCases.map(\.rawValue))
        guard let name = members[Key.name.rawValue] else { throw field.error("name is missing") }
        var spec = TableSpec(name: try name.read(nameFormat))
        for key in Key.allCases {
            guard let member = members[key.rawValue] else { continue }
            switch key {
            case .name: break
            case .rules: spec.rules = try member.read(RulesSpec.format)
            case .minimumBet: spec.minimumBet = try member.read(.int(HouseRules.betRange))
            case .maximumBet: spec.maximumBet = try member.read(.int(HouseRules.betRange))
            case .pass: spec.pass = try readPass(member)
            case .partition: spec.partition = try member.read(.int(PostgresStore.partitionCounts))
            case .count: spec.count = try member.read(.int(countRange))
            }
        }
        guard spec.names.allSatisfy({ ShardConfiguration.isTableName($0) }) else {
            throw name.error("\(spec.names.last ?? ""), the name with its number, is too long")
        }
        return spec
    }

    private static func readPass(_ field: JSONField) throws(FileError) -> Secret {
        // The error must not contain the phrase.
        guard case .string(let text) = field.value.content, (1...WireLimits.passBytes).contains(text.utf8.count) else {
            throw field.error("not a string of 1 to \(WireLimits.passBytes) bytes")
        }
        return Secret(text)
    }

    /// The default partition of a table. Must not change within a format of the store, since it determines where hands are stored.
    ///
    /// FNV-1a hardly carries the last characters, in which numbered tables differ, to its high bits: the finalizer of MurmurHash3 mixes them.
    static func partition(ofTable name: String, of count: Int) -> Int {
        var hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return Int((hash ^ hash >> 33) % UInt64(count)) + 1
    }

    /// The settings of the tables.
    /// - Parameter common: the rules of tables without their own.
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

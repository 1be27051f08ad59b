/// A command without its types: all that parser, help, completions and manual page need.
struct Syntax: Sendable {
    /// A term and its description, in help and manual page.
    struct Entry: Sendable {
        var term: String
        var text: String
    }

    let name: String
    let summary: String
    /// True when it runs without a subcommand.
    let runs: Bool
    var discussion = ""
    var version: String?
    var parameters: [Parameter] = []
    /// Index of the parameter that names a configuration file.
    var configuration: Int?
    var commands: [Syntax] = []
    var examples: [Entry] = []
    var exitStatuses: [Entry] = []
    var topics: [Topic] = []

    /// A section of the manual page.
    struct Topic: Sendable {
        var title: String
        var text: String
        var entries: [Entry]
    }

    /// The declared statuses, and those that every command ends with.
    var allStatuses: [Entry] {
        let standard = [
            Entry(term: "0", text: "Success."),
            Entry(term: String(UsageError.exitStatus), text: "The command line is invalid; nothing was done."),
            Entry(term: "74", text: "Standard output cannot be written."),
            Entry(term: "141", text: "The reader of standard output has gone."),
        ]
        let declared = Set(exitStatuses.map(\.term))
        return (exitStatuses + standard.filter { !declared.contains($0.term) }).sorted { Int($0.term) ?? 0 < Int($1.term) ?? 0 }
    }

    /// Options and flags, in declaration order.
    var options: [Parameter] { parameters.filter { $0.kind != .argument } }
    /// Arguments, in declaration order.
    var arguments: [Parameter] { parameters.filter { $0.kind == .argument } }

    init(name: String, summary: String, runs: Bool) {
        precondition(
            !name.isEmpty && !name.hasPrefix("-") && name.utf8.allSatisfy(\.isNameByte), "'\(name)' is not a valid command name")
        self.name = name
        self.summary = summary
        self.runs = runs
    }

    func command(named name: String) -> Int? {
        commands.firstIndex { $0.name == name }
    }

    /// Requests that every command answers, and those of the root alone.
    func requests(isRoot: Bool) -> [Parameter] {
        var requests = [Parameter(.help, "--help", short: "h", help: "Prints this help.")]
        guard isRoot else { return requests }
        if version != nil { requests.append(Parameter(.version, "--version", help: "Prints the version.")) }
        requests.append(Parameter(.manual, "--manual", help: "Prints the manual page, for 'man -l -'."))
        requests.append(
            Parameter(.completions, "--completions", .choice as ValueFormat<Shell>, help: "Prints completions for a shell."))
        return requests
    }

    /// This command and its subcommands, parents first, each with its path.
    func walk(from path: String = "") -> [(path: String, syntax: Syntax)] {
        let here = path.isEmpty ? name : "\(path) \(name)"
        return [(here, self)] + commands.flatMap { $0.walk(from: here) }
    }

    /// Adds a parameter; traps if the declaration is ambiguous.
    mutating func add(_ parameter: Parameter) {
        switch parameter.kind {
        case .argument:
            if let last = arguments.last {
                precondition(!last.isRepeated, "\(name): \(parameter.name) follows the variadic \(last.name)")
                precondition(last.isRequired || !parameter.isRequired, "\(name): required \(parameter.name) follows \(last.name)")
            }
        default:
            let isLong = parameter.name.hasPrefix("--") && parameter.name.utf8.count > 2
            precondition(isLong && parameter.name.utf8.allSatisfy(\.isNameByte), "\(parameter.name) is not a valid long name")
            let taken = Set((options + requests(isRoot: true)).flatMap(\.spellings)).union(["--version"])
            let twice = parameter.spellings.first(where: taken.contains)
            precondition(twice == nil, "\(name): \(twice ?? "") is declared twice")
        }
        if let key = parameter.key {
            precondition(!parameters.contains { $0.key == key }, "\(name): two options have the key \(key)")
        }
        parameters.append(parameter)
    }
}

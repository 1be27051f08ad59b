/// A declaration of one command: parser, help, shell completions and manual page derive from it, so they cannot disagree. A faulty one (a
/// duplicate name, an argument after a variadic one) traps at declaration.
///
/// ```swift
/// let command = Command("bjserver", "Hosts blackjack tables.", defaults: Serve(), program: Program.serve) {
///     $0.option("--listen", \.listen, .endpoint(), environment: "BJ_LISTEN", help: "Where to listen.")
///     $0.option("--bots", \.bots, .int(0...7), help: "House bots per table.")
///     $0.subcommand(Command("rules", "Prints a rule book.", defaults: ShowRules(), program: Program.rules))
/// }
/// ```
///
/// - `Options` is the command's own structure; its initial value holds the defaults.
/// - `Program` is the common type of all commands of an executable: an enumeration that `main` switches over.
public struct Command<Options: Sendable, Program>: Sendable {
    typealias Run = (program: Program, settings: [Setting])
    typealias Child = @Sendable (Selection, Int, Surroundings) throws(UsageError) -> Run

    var syntax: Syntax
    var slots: [Slot<Options>] = []
    var children: [Child] = []
    let defaults: Options
    let program: (@Sendable (Options) throws(UsageError) -> Program)?

    /// Declares a runnable command.
    ///
    /// - Parameters:
    ///   - name: The subcommand's word; for the root, the executable's name.
    ///   - summary: One sentence.
    ///   - defaults: The values used when no source sets a parameter.
    ///   - program: Maps the options to a program value. Throws ``UsageError/init(_:)`` to refuse a combination of options.
    ///   - declare: Adds options, arguments, subcommands and texts, one statement each: a single long expression exceeds the
    ///     type checker's limits.
    public init(
        _ name: String, _ summary: String, defaults: Options,
        program: @escaping @Sendable (Options) throws(UsageError) -> Program,
        declare: (inout Self) -> Void = { _ in }
    ) {
        self.syntax = Syntax(name: name, summary: summary, runs: true)
        self.defaults = defaults
        self.program = program
        declare(&self)
    }

    /// Options after a reload: parameters that are not ``ParameterTraits/reloadable`` keep their running value.
    public func reloading(_ new: Options, over running: Options) -> Options {
        var options = new
        for (parameter, slot) in zip(syntax.parameters, slots) where !parameter.traits.contains(.reloadable) {
            slot.copy(running, &options)
        }
        return options
    }

    /// Adds paragraphs after the summary. An empty line separates paragraphs.
    public mutating func discussion(_ text: String) {
        syntax.discussion = text
    }

    /// Adds an example: the full command line and its purpose.
    public mutating func example(_ line: String, _ explanation: String) {
        syntax.examples.append(.init(term: line, text: explanation))
    }

    /// Adds a section to the manual page, which the help has no room for. An empty line separates paragraphs. Of the root only.
    /// - Parameter entries: terms, each with its meaning, behind the text.
    public mutating func topic(_ title: String, _ text: String, entries: [(term: String, meaning: String)] = []) {
        syntax.topics.append(.init(title: title, text: text, entries: entries.map { .init(term: $0.term, text: $0.meaning) }))
    }

    /// Documents an exit status besides 0 (success), 64 (usage error), and 74 and 141 (standard output), or says more about one of these.
    public mutating func exitStatus(_ status: Int32, _ meaning: String) {
        syntax.exitStatuses.append(.init(term: String(status), text: meaning))
    }

    /// Adds `--version`, which prints `NAME VERSION`. Only the root command's version is used.
    public mutating func version(_ version: String) {
        syntax.version = version
    }

    /// Adds a subcommand, selected by its name as the first word that is not an option.
    public mutating func subcommand<Inner>(_ child: Command<Inner, Program>) {
        precondition(syntax.command(named: child.syntax.name) == nil, "\(syntax.name) has \(child.syntax.name) already")
        syntax.commands.append(child.syntax)
        children.append(child.bind)
    }
}

/// Sources of values besides the command line.
struct Surroundings {
    let environment: [String: String]
    /// Returns the bytes of a configuration file.
    let readFile: (String) throws(ConfigurationError) -> [UInt8]
}

extension Command where Options == Void {
    /// Declares a group of subcommands: run without one, it is a usage error that lists them.
    public init(group name: String, _ summary: String, declare: (inout Self) -> Void) {
        self.syntax = Syntax(name: name, summary: summary, runs: false)
        self.defaults = ()
        self.program = nil
        declare(&self)
    }
}

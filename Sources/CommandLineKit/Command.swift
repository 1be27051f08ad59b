/// A declaration of one command: what it is called, what it takes, and which value of the program it stands for.
///
/// From this one value come the parser, the help, the shell completions and the manual page, so they can't disagree.
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
/// - `Program` is what all commands of one executable map to: an enumeration that its `main` switches over.
///
/// A faulty declaration (one name twice, an argument after a variadic one, …) is a programmer's mistake and traps when declared.
public struct Command<Options: Sendable, Program>: Sendable {
    typealias Run = (program: Program, settings: [Setting])
    typealias Child = @Sendable (Selection, Int, Surroundings) throws(UsageError) -> Run

    var syntax: Syntax
    var slots: [Slot<Options>] = []
    var children: [Child] = []
    let defaults: Options
    let program: (@Sendable (Options) throws(UsageError) -> Program)?

    /// Declares a command that can be run.
    ///
    /// - Parameters:
    ///   - name: The word that calls it; for the root, the executable's name.
    ///   - summary: One sentence.
    ///   - defaults: What holds where neither the command line nor the environment says otherwise.
    ///   - program: Maps the options to the program's own value. It may refuse a combination of options by throwing
    ///     ``UsageError/init(_:)``.
    ///   - declare: Adds options, arguments, subcommands and texts, one statement each: as one long expression they
    ///     would be more than the type checker can take.
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

    /// New options as a program takes them over while it runs: what is not ``ParameterTraits/reloadable`` stays as it was.
    public func reloading(_ new: Options, over running: Options) -> Options {
        var options = new
        for (parameter, slot) in zip(syntax.parameters, slots) where !parameter.traits.contains(.reloadable) {
            slot.copy(running, &options)
        }
        return options
    }

    /// Adds further paragraphs, shown after the summary. An empty line separates paragraphs.
    public mutating func discussion(_ text: String) {
        syntax.discussion = text
    }

    /// Adds an example: the full command line, and what it is good for.
    public mutating func example(_ line: String, _ explanation: String) {
        syntax.examples.append(.init(term: line, text: explanation))
    }

    /// Documents an exit status beyond 0 (success) and 64 (not understood).
    public mutating func exitStatus(_ status: Int32, _ meaning: String) {
        syntax.exitStatuses.append(.init(term: String(status), text: meaning))
    }

    /// Adds `--version`, which prints `NAME VERSION`. Only the version of the root command is used.
    public mutating func version(_ version: String) {
        syntax.version = version
    }

    /// Adds a command below this one, called by its name as the first word that is no option.
    public mutating func subcommand<Inner>(_ child: Command<Inner, Program>) {
        precondition(syntax.command(named: child.syntax.name) == nil, "\(syntax.name) has \(child.syntax.name) already")
        syntax.commands.append(child.syntax)
        children.append(child.bind)
    }
}

/// What values can come from besides the command line.
struct Surroundings {
    let environment: [String: String]
    /// The bytes of a configuration file.
    let readFile: (String) throws(ConfigurationError) -> [UInt8]
}

extension Command where Options == Void {
    /// Declares a command that only holds others: called without one of them, it is a usage error that lists them.
    public init(group name: String, _ summary: String, declare: (inout Self) -> Void) {
        self.syntax = Syntax(name: name, summary: summary, runs: false)
        self.defaults = ()
        self.program = nil
        declare(&self)
    }
}

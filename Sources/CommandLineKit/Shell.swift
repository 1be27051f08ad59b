/// A shell that completions can be made for.
public enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Command {
    /// The help of this command, as `--help` prints it when the command is the root.
    public var help: String { syntax.helpText(path: syntax.name, isRoot: true) }

    /// The manual page in the `man` macros of roff, as `--manual` prints it.
    public var manualPage: String { syntax.manualPage }

    /// A script that teaches a shell to complete this command, as `--completions` prints it.
    public func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: syntax.bashCompletions
        case .zsh: syntax.zshCompletions
        case .fish: syntax.fishCompletions
        }
    }
}

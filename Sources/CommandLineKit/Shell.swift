/// A shell supported by completions.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

extension Command {
    /// The text of `--help` for this command as root.
    public var help: String { syntax.helpText(path: syntax.name, isRoot: true) }

    /// The text of `--manual`: a manual page in roff's `man` macros.
    package var manualPage: String { syntax.manualPage }

    /// The text of `--completions`: a completion script for the shell.
    package func completions(for shell: Shell) -> String {
        switch shell {
        case .bash: syntax.bashCompletions
        case .zsh: syntax.zshCompletions
        case .fish: syntax.fishCompletions
        }
    }
}

/// All three scripts walk the words before the cursor and track `at`, the command reached, and `option`, the option awaiting a
/// value. Suggestions depend on these two alone.
extension Syntax {
    var bashCompletions: String {
        let offers = places.map { place in
            let words = place.syntax.commands.map(\.name) + place.operands.words + place.options.flatMap(\.longNames)
            return "                \(place.path.quoted)) \(bashOffer(Completion(words: words, files: place.operands.files))) ;;"
        }
        let values = places.flatMap(\.values).filter { $0.completion != .none }.map {
            "        \($0.keys.map(\.quoted).joined(separator: " | "))) \(bashOffer($0.completion)) ;;"
        }
        return """
            # bash completion for \(name): source it, or put it into a bash-completion directory under the name \(name).
            \(function)() {
                local IFS=$' \\n' cur=${COMP_WORDS[COMP_CWORD]} at=\(name.quoted) option='' words='' files='' word
                COMPREPLY=()
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    if [[ $word == '=' ]]; then continue; fi
                    if [[ -n $option ]]; then option=''; continue; fi
                    case "$at $word" in
            \(walkArms(indent: 12, open: "", separator: " | "))
                    esac
                done
                if [[ $cur == '=' ]]; then cur=''; fi
                case $option in
            \((values + ["        '')", "            case $at in"] + offers).joined(separator: "\n"))
                        esac ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$cur"))
                if [[ -n $files ]]; then
                    IFS=$'\\n'
                    compopt -o filenames 2>/dev/null
                    COMPREPLY+=($(compgen -f -- "$cur"))
                fi
            }
            complete -F \(function) \(name)

            """
    }

    var zshCompletions: String {
        let offers = places.flatMap { place in
            let options = place.options.flatMap { option in option.longNames.map { "\($0):\(option.brief)".quoted } }
            let commands = place.syntax.commands.map { "\($0.name):\($0.summary.firstSentence)".quoted }
            return ["                (\(place.path.quoted))"]
                + (commands.isEmpty ? [] : list("subcommands", commands))
                + list("flags", options)
                + ["                    \(zshOffer(place.operands)) ;;"]
        }
        let values = places.flatMap(\.values).filter { $0.completion != .none }.map {
            "        (\($0.keys.map(\.quoted).joined(separator: "|"))) \(zshOffer($0.completion)) ;;"
        }
        return """
            #compdef \(name)
            # zsh completion for \(name): put it into a directory of $fpath under the name _\(name), or source it after compinit.
            \(function)() {
                local at=\(name.quoted) option='' files='' word
                local -a subcommands flags values
                for word in "${(@)words[2,CURRENT-1]}"; do
                    if [[ -n $option ]]; then option=''; continue; fi
                    case "$at $word" in
            \(walkArms(indent: 12, open: "(", separator: "|"))
                    esac
                done
                if [[ $words[CURRENT] == --*=* ]]; then
                    option="$at ${words[CURRENT]%%=*}"
                    compset -P '*='
                fi
                case $option in
            \((values + ["        ('')", "            case $at in"] + offers).joined(separator: "\n"))
                        esac ;;
                esac
                if (( $#subcommands )); then _describe -t commands command subcommands; fi
                if (( $#flags )); then _describe -o -t options option flags; fi
                if (( $#values )); then compadd -a values; fi
                if [[ -n $files ]]; then _files; fi
            }
            if [[ $funcstack[1] == _\(name) ]]; then \(function) "$@"; else compdef \(function) \(name); fi

            """
    }

    var fishCompletions: String {
        let lines = places.flatMap { place in
            let start = "complete -c \(name) -n \("_\(function)_at \(place.path.quoted)".quoted)"
            let commands = place.syntax.commands.map { "\(start) -a \($0.name.quoted) -d \($0.summary.firstSentence.fishQuoted)" }
            let operands = place.operands == .none ? [] : [start + fishOffer(place.operands)]
            let options = place.options.flatMap { option in
                let short = option.short.map { " -s \(String($0).quoted)" } ?? ""
                let value = option.takesValue ? (option.completion.files ? " -r" : " -x") + fishOffer(option.completion) : ""
                let about = " -d \(option.brief.fishQuoted)"
                let negation = option.negation.map { "\(start) -l \($0.dropFirst(2))\(about)" }
                return ["\(start) -l \(option.name.dropFirst(2))\(short)\(value)\(about)"] + [negation].compactMap(\.self)
            }
            return commands + operands + options
        }
        return """
            # fish completion for \(name): put it into ~/.config/fish/completions under the name \(name).fish.
            function _\(function)_at --description 'Whether the words before the cursor lead to this command'
                set -l at \(name.quoted)
                set -l option ''
                for word in (commandline -opc)[2..-1]
                    if test -n "$option"
                        set option ''
                        continue
                    end
                    switch "$at $word"
            \(fishWalkArms)
                    end
                end
                test "$at" = "$argv[1]"
            end
            complete -c \(name) -f
            \(lines.joined(separator: "\n"))

            """
    }

    private var function: String { "_" + name.map { $0.isLetter || $0.isNumber ? $0 : "_" } }

    /// Case arms from a command to a subcommand or to an option awaiting a value; `--` has none.
    private func walkArms(indent: Int, open: String, separator: String) -> String {
        let keys = places.flatMap(\.values).flatMap(\.keys).map(\.quoted).joined(separator: separator)
        let steps = places.dropFirst().map { "\(open)\($0.path.quoted)) at=\($0.path.quoted) ;;" }
        let arms = (keys.isEmpty ? [] : ["\(open)\(keys)) option=\"$at $word\" ;;"]) + steps + ["\(open)*' --') at='--' ;;"]
        return arms.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    private var fishWalkArms: String {
        let keys = places.flatMap(\.values).flatMap(\.keys).map(\.quoted).joined(separator: " ")
        let steps = places.dropFirst().flatMap { ["case \($0.path.quoted)", "    set at \($0.path.quoted)"] }
        let arms = (keys.isEmpty ? [] : ["case \(keys)", "    set option $word"]) + steps + ["case '* --'", "    set at '--'"]
        return arms.map { String(repeating: " ", count: 12) + $0 }.joined(separator: "\n")
    }

    private func bashOffer(_ completion: Completion) -> String {
        "words=\(completion.words.joined(separator: " ").quoted)" + (completion.files ? " files=1" : "")
    }

    private func zshOffer(_ completion: Completion) -> String {
        "values=(\(completion.words.map(\.quoted).joined(separator: " ")))" + (completion.files ? " files=1" : "")
    }

    private func fishOffer(_ completion: Completion) -> String {
        (completion.words.isEmpty ? "" : " -a \(completion.words.joined(separator: " ").quoted)")
            + (completion.files ? " -F" : "")
    }

    private func list(_ name: String, _ items: [String]) -> [String] {
        ["                    \(name)=("] + items.map { "                        \($0)" } + ["                    )"]
    }
}

extension Syntax {
    /// A command and the completions available in it.
    private struct Place {
        let path: String
        let syntax: Syntax
        let isRoot: Bool

        var options: [Parameter] { syntax.options + syntax.requests(isRoot: isRoot) }

        /// Completions for operands.
        var operands: Completion {
            let offers = syntax.arguments.map(\.completion)
            return Completion(words: offers.flatMap(\.words), files: offers.contains(where: \.files))
        }

        /// Completions for the value of each option, keyed by command and spelling.
        var values: [(keys: [String], completion: Completion)] {
            options.filter(\.takesValue).map { option in (option.spellings.map { "\(path) \($0)" }, option.completion) }
        }
    }

    private var places: [Place] {
        walk().enumerated().map { Place(path: $1.path, syntax: $1.syntax, isRoot: $0 == 0) }
    }
}

extension Parameter {
    /// Short names are not suggested.
    fileprivate var longNames: [String] { [name, negation].compactMap(\.self) }
}

extension String {
    /// As `quoted`, for fish, where a backslash within quotes is special.
    fileprivate var fishQuoted: String {
        split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\").quoted
    }

    /// The text in single quotes, valid in all three shells.
    fileprivate var quoted: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

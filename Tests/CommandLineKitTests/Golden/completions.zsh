#compdef bjsample
# zsh completion for bjsample: put it into a directory of $fpath under the name _bjsample, or source it after compinit.
_bjsample() {
    local at='bjsample' option='' files='' word
    local -a subcommands flags values
    for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $option ]]; then option=''; continue; fi
        case "$at $word" in
            ('bjsample --listen'|'bjsample -l'|'bjsample --bots'|'bjsample -b'|'bjsample --table'|'bjsample --rules'|'bjsample --seed'|'bjsample --turn'|'bjsample --penetration'|'bjsample --log'|'bjsample --completions'|'bjsample play --bots'|'bjsample play -n'|'bjsample play --shift'|'bjsample ctl tables --server'|'bjsample ctl tables -s'|'bjsample ctl drain --server'|'bjsample ctl drain -s') option="$at $word" ;;
            ('bjsample rules') at='bjsample rules' ;;
            ('bjsample play') at='bjsample play' ;;
            ('bjsample ctl') at='bjsample ctl' ;;
            ('bjsample ctl tables') at='bjsample ctl tables' ;;
            ('bjsample ctl drain') at='bjsample ctl drain' ;;
            (*' --') at='--' ;;
        esac
    done
    if [[ $words[CURRENT] == --*=* ]]; then
        option="$at ${words[CURRENT]%%=*}"
        compset -P '*='
    fi
    case $option in
        ('bjsample --rules') values=('vegas' 'european') files=1 ;;
        ('bjsample --log') values=('debug' 'info' 'error') ;;
        ('bjsample --completions') values=('bash' 'zsh' 'fish') ;;
        ('')
            case $at in
                ('bjsample')
                    subcommands=(
                        'rules:Prints a rule book'
                        'play:Seats bots at a server'\''s tables'
                        'ctl:Talks to a running server'
                    )
                    flags=(
                        '--listen:Where to listen'
                        '--bots:House bots at each table'
                        '--table:A table to open'
                        '--rules:The rules that the tables are played by'
                        '--seed:Makes the shoes repeatable'
                        '--turn:How long a player may think'
                        '--penetration:The part of a shoe that is dealt before the shuffle'
                        '--log:What is worth a line'
                        '--color:Colours in the log'
                        '--no-color:Colours in the log'
                        '--quiet:Logs errors only'
                        '--help:Prints help'
                        '--version:Prints the version'
                        '--manual:Prints the manual page, for '\''man -l -'\'''
                        '--completions:Prints completions for a shell'
                    )
                    values=() ;;
                ('bjsample rules')
                    flags=(
                        '--help:Prints help'
                    )
                    values=('vegas' 'european') files=1 ;;
                ('bjsample play')
                    flags=(
                        '--bots:How many'
                        '--shift:Added to each bet'
                        '--json:Prints one JSON object'
                        '--verbose:Tells every hand'
                        '--help:Prints help'
                    )
                    values=() ;;
                ('bjsample ctl')
                    subcommands=(
                        'tables:Lists the tables'
                        'drain:Lets no new round begin'
                    )
                    flags=(
                        '--help:Prints help'
                    )
                    values=() ;;
                ('bjsample ctl tables')
                    flags=(
                        '--server:The server'
                        '--help:Prints help'
                    )
                    values=() ;;
                ('bjsample ctl drain')
                    flags=(
                        '--server:The server'
                        '--help:Prints help'
                    )
                    values=() ;;
            esac ;;
    esac
    if (( $#subcommands )); then _describe -t commands command subcommands; fi
    if (( $#flags )); then _describe -o -t options option flags; fi
    if (( $#values )); then compadd -a values; fi
    if [[ -n $files ]]; then _files; fi
}
if [[ $funcstack[1] == _bjsample ]]; then _bjsample "$@"; else compdef _bjsample bjsample; fi

# bash completion for bjsample: source it, or put it into a bash-completion directory under the name bjsample.
_bjsample() {
    local IFS=$' \n' cur=${COMP_WORDS[COMP_CWORD]} at='bjsample' option='' words='' files='' word
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word == '=' ]]; then continue; fi
        if [[ -n $option ]]; then option=''; continue; fi
        case "$at $word" in
            'bjsample --listen' | 'bjsample -l' | 'bjsample --bots' | 'bjsample -b' | 'bjsample --table' | 'bjsample --rules' | 'bjsample --seed' | 'bjsample --turn' | 'bjsample --penetration' | 'bjsample --log' | 'bjsample --completions' | 'bjsample play --bots' | 'bjsample play -n' | 'bjsample play --shift' | 'bjsample ctl tables --server' | 'bjsample ctl tables -s' | 'bjsample ctl drain --server' | 'bjsample ctl drain -s') option="$at $word" ;;
            'bjsample rules') at='bjsample rules' ;;
            'bjsample play') at='bjsample play' ;;
            'bjsample ctl') at='bjsample ctl' ;;
            'bjsample ctl tables') at='bjsample ctl tables' ;;
            'bjsample ctl drain') at='bjsample ctl drain' ;;
            *' --') at='--' ;;
        esac
    done
    if [[ $cur == '=' ]]; then cur=''; fi
    case $option in
        'bjsample --rules') words='vegas european' files=1 ;;
        'bjsample --log') words='debug info error' ;;
        'bjsample --completions') words='bash zsh fish' ;;
        '')
            case $at in
                'bjsample') words='rules play ctl --listen --bots --table --rules --seed --turn --penetration --log --color --no-color --quiet --help --version --manual --completions' ;;
                'bjsample rules') words='vegas european --help' files=1 ;;
                'bjsample play') words='--bots --shift --json --verbose --help' ;;
                'bjsample ctl') words='tables drain --help' ;;
                'bjsample ctl tables') words='--server --help' ;;
                'bjsample ctl drain') words='--server --help' ;;
            esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ -n $files ]]; then
        compopt -o filenames -o default 2>/dev/null
        # Read, not split: a name may have [ or *. Readline itself completes a quoted one.
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    fi
}
complete -F _bjsample bjsample

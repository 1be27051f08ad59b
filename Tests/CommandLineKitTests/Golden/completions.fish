# fish completion for bjsample: put it into ~/.config/fish/completions under the name bjsample.fish.
function __bjsample_at --description 'Whether the words before the cursor lead to this command'
    set -l at 'bjsample'
    set -l option ''
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option ''
            continue
        end
        switch "$at $word"
            case 'bjsample --listen' 'bjsample -l' 'bjsample --bots' 'bjsample -b' 'bjsample --table' 'bjsample --rules' 'bjsample --seed' 'bjsample --turn' 'bjsample --penetration' 'bjsample --log' 'bjsample --completions' 'bjsample play --bots' 'bjsample play -n' 'bjsample play --shift' 'bjsample ctl tables --server' 'bjsample ctl tables -s' 'bjsample ctl drain --server' 'bjsample ctl drain -s'
                set option $word
            case 'bjsample rules'
                set at 'bjsample rules'
            case 'bjsample play'
                set at 'bjsample play'
            case 'bjsample ctl'
                set at 'bjsample ctl'
            case 'bjsample ctl tables'
                set at 'bjsample ctl tables'
            case 'bjsample ctl drain'
                set at 'bjsample ctl drain'
            case '* --'
                set at '--'
        end
    end
    test "$at" = "$argv[1]"
end
complete -c bjsample -f
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -a 'rules' -d 'Prints a rule book'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -a 'play' -d 'Seats bots at a server'\''s tables'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -a 'ctl' -d 'Talks to a running server'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l listen -s 'l' -x -d 'Where to listen'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l bots -s 'b' -x -d 'House bots at each table'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l table -x -d 'A table to open'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l rules -r -a 'vegas european' -F -d 'The rules that the tables are played by'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l seed -x -d 'Makes the shoes repeatable'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l turn -x -d 'How long a player may think'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l penetration -x -d 'The part of a shoe that is dealt before the shuffle'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l log -x -a 'debug info error' -d 'What is worth a line'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l color -d 'Colours in the log'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l no-color -d 'Colours in the log'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l quiet -s 'q' -d 'Logs errors only'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l help -s 'h' -d 'Prints help'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l version -d 'Prints the version'
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l manual -d 'Prints the manual page, for '\''man -l -'\'''
complete -c bjsample -n '__bjsample_at '\''bjsample'\''' -l completions -x -a 'bash zsh fish' -d 'Prints completions for a shell'
complete -c bjsample -n '__bjsample_at '\''bjsample rules'\''' -a 'vegas european' -F
complete -c bjsample -n '__bjsample_at '\''bjsample rules'\''' -l help -s 'h' -d 'Prints help'
complete -c bjsample -n '__bjsample_at '\''bjsample play'\''' -l bots -s 'n' -x -d 'How many'
complete -c bjsample -n '__bjsample_at '\''bjsample play'\''' -l shift -x -d 'Added to each bet'
complete -c bjsample -n '__bjsample_at '\''bjsample play'\''' -l json -s 'j' -d 'Prints one JSON object'
complete -c bjsample -n '__bjsample_at '\''bjsample play'\''' -l verbose -s 'v' -d 'Tells every hand'
complete -c bjsample -n '__bjsample_at '\''bjsample play'\''' -l help -s 'h' -d 'Prints help'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl'\''' -a 'tables' -d 'Lists the tables'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl'\''' -a 'drain' -d 'Lets no new round begin'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl'\''' -l help -s 'h' -d 'Prints help'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl tables'\''' -l server -s 's' -x -d 'The server'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl tables'\''' -l help -s 'h' -d 'Prints help'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl drain'\''' -l server -s 's' -x -d 'The server'
complete -c bjsample -n '__bjsample_at '\''bjsample ctl drain'\''' -l help -s 'h' -d 'Prints help'

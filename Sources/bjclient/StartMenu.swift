import CommandLineKit
import Foundation

/// `bjclient` alone at a terminal asks for one of its three uses, in lines.
enum StartMenu {
    /// - Returns: the chosen program; exits if the player wants none. Without a terminal nobody can choose.
    static func choose() -> ClientProgram {
        guard isatty(0) == 1, isatty(1) == 1 else {
            let uses = "'bjclient practice' against bots, 'bjclient host' with friends, or 'bjclient HOST:PORT' at their table"
            Console.fail("bjclient", "choose what to play: \(uses)", status: 64)
        }
        Console.print(
            """
            Blackjack at a terminal.

              1  practice against bots
              2  host a table for friends on this machine
              3  join a table: type its HOST:PORT, or paste the line from your host
            """)
        while true {
            Console.printText("\nYour choice (q quits): ")
            guard let line = readLine() else { exit(0) }
            // As a shell would split it; a pasted line begins with the program's name.
            let words = line.matches(of: /(?:'[^']*'|[^\s'])+/).map { String($0.output.filter { $0 != "'" }) }
            switch words.first {
            case nil: break
            case "q": exit(0)
            case "1": return .practice(.init())
            case "2": return .host(.init())
            case "3" where words.count == 1: Console.print("Type the address or paste the line here.")
            default:
                switch ClientProgram.command.parse(words.first == "bjclient" ? words.dropFirst() : words[...]) {
                case .run(let program, _): return program
                case .answer(let text): Console.print(text)
                case .refusal(let error): Console.print(error.message)
                }
            }
        }
    }
}

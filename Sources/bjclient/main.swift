import CommandLineKit
import Dispatch
import Foundation
import TerminalUI

let environment = ProcessInfo.processInfo.environment
if CommandLine.arguments.dropFirst().first == Keeper.word {
    Keeper.run(LocalServer.ownProgram, Array(CommandLine.arguments.dropFirst(2)))
}
let isAlone = CommandLine.arguments.count == 1 && environment["BJ_SERVER", default: ""].isEmpty
let program = isAlone ? StartMenu.choose() : ClientProgram.command.parseOrExit()

/// Exits with the session's status.
let finish: @Sendable (TableSession.Ending) -> Void = { ending in
    ClientProgram.show(ending)
    exit(ending.status)
}

switch program {
case .join(let options):
    let session = TableSession.start(options.session(environment, options.accounts(environment)), completion: finish)
    withExtendedLifetime(session) { dispatchMain() }
case .host(let options): options.run(environment)
case .door(let options): options.run()
case .accounts(let options): options.run(environment)
case .verify(let options): options.run()
case .history(let options): options.run(environment)
case .practice(let options): options.run(environment, finish)
}

import CommandLineKit
import Dispatch
import Foundation
import TerminalUI

if CommandLine.arguments.dropFirst().first == Keeper.word {
    Keeper.run(LocalServer.ownProgram, Array(CommandLine.arguments.dropFirst(2)))
}
let isAlone = CommandLine.arguments.count == 1 && ProcessInfo.processInfo.environment["BJ_SERVER", default: ""].isEmpty
var program = isAlone ? StartMenu.choose(ProcessInfo.processInfo.environment) : ClientProgram.command.parseOrExit()
if case .join(let options) = program, options.isBySSHKey {
    SSHLogin.forgetEnvironment()
    // Without a caller's variables.
    program = ClientProgram.command.parseOrExit()
}
let environment = ProcessInfo.processInfo.environment

/// Exits with the session's status.
let finish: @Sendable (TableSession.Ending) -> Void = { ending in
    ClientProgram.show(ending)
    exit(ending.status)
}

switch program {
case .join(let options): options.run(environment, finish)
case .host(let options): options.run(environment)
case .door(let options): options.run()
case .accounts(let options): options.run(environment)
case .verify(let options): options.run()
case .history(let options): options.run(environment)
case .replay(let options): options.run(environment, finish)
case .practice(let options): options.run(environment, finish)
}

import CommandLineKit
import Dispatch
import Foundation
import TerminalUI

let program = ClientProgram.command.parseOrExit()
let environment = ProcessInfo.processInfo.environment

/// Exits with the session's status.
let finish: @Sendable (TableSession.Ending) -> Void = { ending in
    for summary in ending.summaries { Console.print(summary.text) }
    if let reason = ending.reason { Console.printError("bjclient: \(reason)") }
    exit(ending.status)
}

switch program {
case .join(let options):
    let session = TableSession.start(options.session(environment, options.accounts(environment)), completion: finish)
    withExtendedLifetime(session) { dispatchMain() }
case .accounts(let options): options.run(environment)
case .verify(let options): options.run()
case .practice(let options):
    let practice = Practice(options)
    let session = TableSession.start(options.session(environment, at: practice.address), completion: finish)
    withExtendedLifetime((session, practice)) { dispatchMain() }
}

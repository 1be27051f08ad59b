import CommandLineKit
import Dispatch
import Foundation
import TerminalUI

let program = ClientProgram.command.parseOrExit()
let environment = ProcessInfo.processInfo.environment

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
case .accounts(let options): options.run(environment)
case .verify(let options): options.run()
case .practice(let options):
    let practice = Practice(options)
    let session = TableSession.start(options.session(environment, at: practice.address), completion: finish)
    withExtendedLifetime((session, practice)) { dispatchMain() }
}

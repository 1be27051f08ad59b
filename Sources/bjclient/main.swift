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
    let recorder = options.record.map(Recorder.init)
    var settings = options.session(environment, options.accounts(environment))
    settings.client.record = recorder?.write
    let session = TableSession.start(settings) { if let recorder { recorder.end($0) } else { finish($0) } }
    withExtendedLifetime(session) { dispatchMain() }
case .host(let options): options.run(environment)
case .door(let options): options.run()
case .accounts(let options): options.run(environment)
case .verify(let options): options.run()
case .history(let options): options.run(environment)
case .replay(let options): options.run(environment, finish)
case .practice(let options): options.run(environment, finish)
}

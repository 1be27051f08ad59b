import CommandLineKit
import Foundation
import Journal
import Rules
import ServerCore

signal(SIGPIPE, SIG_IGN)
switch ServerProgram.command.parseProcess() {
case .answer(let text):
    Console.printText(text)
case .refusal(let error):
    Console.printError(error.description)
    exit(error.status)
case .run(.serve(let options), let settings):
    // Validates everything, rules and tables included, before printing.
    let configuration = ServerConfiguration.resolvedOrExit(options, settings)
    if options.printsConfiguration {
        Console.printText(configuration.settings.table)
    } else if options.checks {
        StartCheck.run(configuration)
    } else {
        Host(configuration).run()
    }
case .run(.rules(let spec), _):
    let rules = Console.orFail("bjserver", status: 65) { try spec.load() }
    for sentence in rules.sentences { Console.print(sentence) }
    Console.print(HouseEdge.sentence(for: rules))
case .run(.schema(let options), _): options.run()
case .run(.data(let command), _):
    do throws(JournalError) { try command.run() } catch {
        DataFault.fail(type(of: command).program, error, in: command.folder)
    }
case .run(.installFiles(let options), _): options.run()
case .run(.control(let options), _): Control.run(options)
case .run(.healthCheck(let endpoint), _):
    let reason = HealthCheck.run(host: endpoint.host, port: Int(endpoint.port))
    if let reason { Console.fail("bjserver healthcheck", reason, status: 1) }
}

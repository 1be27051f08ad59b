import CommandLineKit
import Foundation
import Operations

/// `bjserver ctl`: one request, one reply.
enum Control {
    static func run(_ options: ControlOptions) -> Never {
        guard let path = options.socket, let request = try? options.request() else {
            preconditionFailure("options were checked when they were read")
        }
        let reply: AdminReply
        do {
            reply = try AdminClient.ask(request, path: path, milliseconds: options.timeout)
        } catch {
            Console.fail("bjserver ctl", error, status: error.code == ETIMEDOUT ? 75 : 69)
        }
        if options.json {
            Console.print(reply.json)
        } else {
            switch reply {
            case .done(let message): Console.print(Console.visible(message))
            case .table(let table): Console.printText(table.text)
            case .refused(_, let message): Console.printError("bjserver ctl: \(message)")
            }
        }
        if case .table(let table) = reply, let note = table.note { Console.printError("bjserver ctl: \(note)") }
        if case .refused = reply { exit(1) }
        exit(0)
    }
}

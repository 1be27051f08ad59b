import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// `bjserver ctl`: one request, one reply.
enum Control {
    static func run(_ options: ControlOptions) -> Never {
        if options.words.first == "help" {
            Console.print(AdminVerb.all.map { "\($0.usage)\n    \($0.meaning)" }.joined(separator: "\n"))
            exit(0)
        }
        let path = Console.orFail("bjserver ctl", status: 69) {
            try options.path().map(ServerSocket.target) ?? ServerSocket(environment: ProcessInfo.processInfo.environment).find()
        }
        var words = options.words
        if let file = options.file {
            words += Console.orFail("bjserver ctl", status: 65) {
                try BanFile.read(file, limit: BanList.limit).map(\.description)
            }
        }
        let reply: AdminReply
        do {
            reply = try AdminClient.ask(words, path: path, milliseconds: options.timeout)
        } catch {
            Console.fail("bjserver ctl", error, status: error.code == ETIMEDOUT ? 75 : 69)
        }
        if options.json {
            Console.print(Console.visibleJSON(reply.json))
        } else {
            switch reply {
            case .done(let message, _): Console.print(message)
            case .table(let table): Console.printText(table.text)
            case .refused(_, let message): Console.printError("bjserver ctl: \(message)")
            }
        }
        switch reply {
        case .done(_, let note?): Console.printError("bjserver ctl: \(note)")
        case .table(let table): if let note = table.note { Console.printError("bjserver ctl: \(note)") }
        case .refused(let code, _): exit(code == AdminVerb.usageCode ? UsageError.exitStatus : 1)
        case .done: break
        }
        exit(0)
    }
}

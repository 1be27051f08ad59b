import CommandLineKit
import Foundation
import Operations

/// `bjserver ctl`: one request, one reply.
enum Control {
    static func run(_ options: ControlOptions) -> Never {
        guard let path = options.socket, let request = try? options.request() else {
            preconditionFailure("options were checked when they were read")
        }
        var reply: AdminReply
        do {
            reply = try AdminClient.ask(request, path: path, milliseconds: options.timeout)
        } catch {
            Console.fail("bjserver ctl", error, status: error.code == ETIMEDOUT ? 75 : 69)
        }
        if options.verb == .config, !options.json, isatty(1) == 1, case .table(let table) = reply {
            reply = .table(table.shortened)
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
        if case .done = reply, options.verb == .resetSecret { Console.printError("bjserver ctl: \(AccountWording.importAdvice)") }
        if case .table(let table) = reply, let note = table.note { Console.printError("bjserver ctl: \(note)") }
        if case .refused = reply { exit(1) }
        exit(0)
    }
}

extension AdminTable {
    /// Characters of a cell at a terminal: of the settings, lists of tables and networks are far wider than one.
    private static let widest = 32

    /// The settings for a terminal: long values cut, and `=` for a configured value that is in effect.
    var shortened: AdminTable {
        var table = self
        table.rows = rows.map { row in
            var row = row
            if let effective = columns.firstIndex(of: "effective"), let configured = columns.firstIndex(of: "configured"),
                row[effective] == row[configured]
            {
                row[configured] = "="
            }
            return row.map { cell in
                guard case .text(let text) = cell, text.count > Self.widest else { return cell }
                return .text(text.prefix(Self.widest - 1) + "…")
            }
        }
        table.note = "'=' is the value in effect, '…' cuts a long one: --json shows all."
        return table
    }
}

import CommandLineKit
import Foundation
import ServerCore

/// `bjserver ctl`: one request, one reply.
enum Control {
    static func run(_ options: ControlOptions) -> Never {
        guard let request = try? options.request() else {
            preconditionFailure("options were checked when they were read")
        }
        let sockets = ServerSocket(environment: ProcessInfo.processInfo.environment)
        let arguments = ["bjserver"] + CommandLine.arguments.dropFirst()
        let path: String
        if let named = options.path() {
            path = ServerSocket.target(of: named)
        } else {
            do throws(ConfigurationFault) { path = try sockets.find(arguments) } catch {
                Console.fail("bjserver ctl", error, status: 69)
            }
        }
        var reply: AdminReply
        do {
            reply = try AdminClient.ask(request, path: path, milliseconds: options.timeout)
        } catch {
            let isStuck = error.code == ETIMEDOUT
            let advice = isStuck ? "" : sockets.advice(on: error.code, arguments)
            Console.fail("bjserver ctl", "\(error)\(advice)", status: isStuck ? 75 : 69)
        }
        if options.verb == .config, !options.json, let window = Console.windowSize(of: 1), case .table(let table) = reply {
            reply = .table(table.shortened(to: window.columns))
        }
        if options.json {
            Console.print(Console.visibleJSON(reply.json))
        } else {
            switch reply {
            case .done(let message): Console.print(message)
            case .table(let table): Console.printText(table.text)
            case .refused(_, let message): Console.printError("bjserver ctl: \(message)")
            }
        }
        if case .done = reply, options.verb == .resetSecret { Console.printError("bjserver ctl: \(AccountWording.importAdvice)") }
        if case .done = reply, options.verb == .owner { Console.printError("bjserver ctl: \(HostView.ownerAdvice)") }
        if case .table(let table) = reply, let note = table.note { Console.printError("bjserver ctl: \(note)") }
        if case .refused = reply { exit(1) }
        exit(0)
    }
}

extension AdminTable {
    /// The settings for a terminal: `=` for a configured value that is in effect, no column without a word, and the longest values cut.
    func shortened(to limit: Int) -> AdminTable {
        var table = self
        table.rows = rows.map { row in
            var row = row
            if let effective = columns.firstIndex(of: "effective"), let configured = columns.firstIndex(of: "configured"),
                row[effective] == row[configured]
            {
                row[configured] = "="
            }
            return row
        }
        let empty = table.columns.indices.filter { column in
            table.columns[column] != "effective" && table.rows.allSatisfy { $0[column] == .none || $0[column] == "=" }
        }
        for column in empty.reversed() {
            table.columns.remove(at: column)
            for row in table.rows.indices { table.rows[row].remove(at: column) }
        }
        var widths = table.columns.indices.map { column in
            table.rows.reduce(table.columns[column].count) { max($0, $1[column].text.count) }
        }
        // A space of two between columns; less than eight characters of a value say nothing.
        while widths.reduce(2 * (widths.count - 1), +) > limit, let widest = widths.max(), widest > 8,
            let column = widths.lastIndex(of: widest)
        {
            widths[column] -= 1
        }
        for row in table.rows.indices {
            for (column, width) in widths.enumerated() where table.rows[row][column].text.count > width {
                table.rows[row][column] = .text(table.rows[row][column].text.prefix(width - 1) + "…")
            }
        }
        table.note = "'=' is the value in effect, '…' cuts a long one: --json shows all."
        return table
    }
}

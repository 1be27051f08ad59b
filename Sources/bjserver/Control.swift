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
        var words = options.words
        if let file = options.file {
            do throws(ConfigurationFault) {
                words += try BanFile.read(file, limit: BanList.limit).map(\.description)
            } catch { Console.fail("bjserver ctl", error, status: 65) }
        }
        var reply: AdminReply
        do {
            reply = try AdminClient.ask(words, path: path, milliseconds: options.timeout)
        } catch {
            let isStuck = error.code == ETIMEDOUT
            let advice = isStuck ? "" : sockets.advice(on: error.code, arguments)
            Console.fail("bjserver ctl", "\(error)\(advice)", status: isStuck ? 75 : 69)
        }
        if options.words == ["config"], !options.json, let window = Console.windowSize(of: 1), case .table(let table) = reply {
            reply = .table(table.shortened(to: window.columns))
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

extension AdminTable {
    /// The settings for a terminal: the longest values are cut.
    func shortened(to limit: Int) -> AdminTable {
        var table = self
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
        table.note = "'…' cuts a long value: --json shows all."
        return table
    }
}

import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// `bjserver ctl`: one request, one reply.
enum Control {
    /// Blocks of a file at most: each is a request.
    private static let mostBlocks = 10_000

    static func run(_ options: ControlOptions) -> Never {
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
        func ask(for block: AddressBlock? = nil) -> AdminReply {
            guard let request = try? options.request(for: block) else {
                preconditionFailure("options were checked when they were read")
            }
            do {
                return try AdminClient.ask(request, path: path, milliseconds: options.timeout)
            } catch {
                let isStuck = error.code == ETIMEDOUT
                let advice = isStuck ? "" : sockets.advice(on: error.code, arguments)
                Console.fail("bjserver ctl", "\(error)\(advice)", status: isStuck ? 75 : 69)
            }
        }
        if let file = options.file {
            let blocks: [AddressBlock]
            do throws(ConfigurationFault) { blocks = try BanFile.read(file, limit: mostBlocks) } catch {
                Console.fail("bjserver ctl", error, status: 65)
            }
            for block in blocks {
                guard case .refused(let code, let message) = ask(for: block), code != "no_such_ban" else { continue }
                Console.fail("bjserver ctl", "\(block): \(message)", status: 1)
            }
            Console.print(
                "\(blocks.count) \(blocks.count == 1 ? "block is" : "blocks are") \(options.verb == .ban ? "" : "no longer ")banned."
            )
            exit(0)
        }
        var reply = ask()
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

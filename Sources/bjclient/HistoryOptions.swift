import ClientCore
import CommandLineKit
import Foundation
import TerminalUI
import Wire

/// The options of `bjclient history`.
struct HistoryOptions: Sendable {
    var server: Endpoint?
    var name: String?
    var last = 1_000_000
    var isJSON = false
    var isCSV = false

    static let command = Command<HistoryOptions, ClientProgram>(
        "history", "Prints your own hands, from the server.", defaults: HistoryOptions(), program: checked
    ) { command in
        command.discussion(
            """
            Prints the past rounds of an account of this device, newest first, as far back as the server's journal goes. The login ends another \
            session of the account; a seat and a hand in play stay for a while. A server of 1.0 sends the last \(WireLimits.historyRounds) rounds.

            --csv prints a row per hand, as RFC 4180 has it, with times in UTC; --json a JSON object per round, as in the message 'history'.
            """)
        command.argument(
            "HOST:PORT", \.server, ClientProgram.serverAddress,
            help: "The server. Default: the environment variable BJ_SERVER, else 127.0.0.1:2121.")
        command.option(
            "--name", \.name, ClientProgram.playerName, short: "n",
            help: "The account. Default: the last or only one at this server.")
        command.option("--last", \.last, .int(1...1_000_000), help: "Only the last N rounds.")
        command.flag("--json", \.isJSON, help: "Prints a JSON object per round, one per line.")
        command.flag("--csv", \.isCSV, help: "Prints CSV with a row per hand.")
        command.example("bjclient history example.org --csv > hands.csv", "all hands for a spreadsheet")
        command.example("bjclient history --name ann --last 20", "ann's last twenty rounds")
        command.exitStatus(69, "The server is unreachable, keeps no history, or ended the session.")
        command.exitStatus(74, "The accounts cannot be read, or standard output cannot be used.")
        command.exitStatus(77, "This device does not have the account.")
    }

    private static func checked(_ given: HistoryOptions) throws(UsageError) -> ClientProgram {
        if given.isJSON, given.isCSV { throw UsageError("--json and --csv cannot be used together") }
        var options = given
        if given.server == nil { options.server = try ClientProgram.serverOfEnvironment() }
        return .history(options)
    }

    func run(_ environment: [String: String]) -> Never {
        let server = server ?? ClientProgram.ownServer
        let address = "\(server)"
        guard let accounts = AccountFile(environment: environment) else {
            Console.fail("bjclient history", "HOME is not set: there are no accounts", status: 74)
        }
        guard let name = name ?? accounts.lastName(server: address) else { Self.failUnknown(nil, address) }
        var options = GameClient.Options(host: server.host, port: Int(server.port), name: nil)
        options.accounts = accounts
        if isCSV { Console.printText(HandTable.header) }
        let isShown = isatty(2) == 1 && isatty(1) == 0
        let download = HistoryDownload.start(options, name: name, limit: last) { [self] event in
            switch event {
            case .rounds(let rounds, let total):
                for round in rounds { Console.printText(text(of: round, name)) }
                if isShown { Console.write("\r\(total) rounds", to: 2) }
            case .end(let isCut):
                if isShown { Console.printError("") }
                if isCut { Console.printError("bjclient history: older rounds are not kept, or this server does not send them") }
                exit(0)
            case .unknownAccount: Self.failUnknown(name, address)
            case .failed(let reason): Console.fail("bjclient history", reason, status: 69)
            }
        }
        withExtendedLifetime(download) { dispatchMain() }
    }

    private func text(of round: PastRound, _ name: String) -> String {
        if isCSV { return Console.visible(HandTable.rows(of: round) { _ in name }, keeping: ["\r", "\n"]) }
        if isJSON { return Console.visibleJSON(String(decoding: round.json, as: UTF8.self)) + "\n" }
        return PastRounds.sentences(of: round).map { Console.visible($0) + "\n" }.joined()
    }

    private static func failUnknown(_ name: String?, _ address: String) -> Never {
        let whose = name.map { "has no account '\($0)' at \(address)" } ?? "has no account at \(address)"
        Console.fail(
            "bjclient history",
            "this device \(whose): name one with --name ('bjclient accounts' lists them), or import it with 'bjclient accounts import'",
            status: 77)
    }
}

import CommandLineKit
import Foundation
import Testing

@testable import bjbots
@testable import bjclient
@testable import bjserver

/// Each status that the code ends with is in the help of its command.
struct ExitStatusTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    /// The commands of a file; the root command is an empty name.
    private static let commands: [String: [String]] = [
        "bjclient/ClientProgram.swift": [""], "bjclient/Practice.swift": ["practice"],
        "bjclient/HostOptions.swift": ["host"], "bjclient/Keeper.swift": ["host"], "bjclient/DoorOptions.swift": ["door"],
        "bjclient/AccountCommand.swift": ["accounts"], "bjclient/VerifyOptions.swift": ["verify"],
        "bjclient/HistoryOptions.swift": ["history"], "bjclient/ReplayOptions.swift": ["replay"],
        "bjclient/SSHLogin.swift": [""],
        "bjserver/ServerConfiguration.swift": [""], "bjserver/Host.swift": [""], "bjserver/PartitionKeeper.swift": [""],
        "bjserver/SchemaOptions.swift": ["schema"], "bjserver/Control.swift": ["ctl"],
        "bjserver/Data/HistoryOptions.swift": ["history"], "bjserver/Data/BackupOptions.swift": ["backup"],
        "bjserver/Data/StoreOptions.swift": ["store"], "bjserver/Data/JournalOptions.swift": ["journal"],
        "bjserver/Data/AccountsOptions.swift": ["accounts"],
        "bjserver/Install/InstallOptions.swift": ["install-files"],
        "bjbots/Load.swift": ["load"], "bjbots/Chaos.swift": ["chaos"],
        "bjbots/Simulate.swift": ["simulate"],
        "bjbots/OddsOptions.swift": ["odds"],
        "bjbots/ChartOptions.swift": ["chart"],
        "bjbots/Play.swift": ["play"],
    ]

    /// The statuses of a file: numbers behind `status:` and `exit(`, and those of signals.
    private static func statuses(_ text: String) -> Set<Int> {
        var found: Set<Int> = []
        for line in text.split(separator: "\n") where !line.contains("exitStatus(") && !line.contains("func ") {
            guard let place = line.firstMatch(of: /status: |exit\(/) else { continue }
            let rest = line[place.range.upperBound...]
            if rest.contains("128 + ") { found.formUnion([130, 143]) }
            for number in rest.matches(of: /\b\d{1,3}\b/) { found.insert(Int(number.0) ?? 0) }
        }
        return found.subtracting([0, 64, 128])
    }

    /// The numbers of the block `Exit status:`.
    private static func documented(_ program: String, _ command: String) -> Set<Int> {
        let words = (command.isEmpty ? [] : [command]) + ["--help", "all"]
        let help: String? =
            switch program {
            case "bjclient": text(ClientProgram.command.parse(words))
            case "bjserver": text(ServerProgram.command.parse(words))
            default: text(BotsProgram.command.parse(words))
            }
        guard let block = help?.firstMatch(of: /Exit status:\n((?:  .*\n)+)/) else { return [] }
        return Set(block.1.split(separator: "\n").compactMap { $0.firstMatch(of: /^\s\s(\d+)\s/).flatMap { Int($0.1) } })
    }

    private static func text<Program>(_ outcome: Outcome<Program>) -> String? {
        if case .answer(let text) = outcome { text } else { nil }
    }

    private static func files(_ folder: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: ["bjclient", "bjserver", "bjbots"])
    func everyStatus_isInTheHelpOfItsCommand(_ program: String) throws {
        var checked = 0
        // Of data folders and of single lines of `main`: below.
        let others = ["bjserver/main.swift", "bjserver/Data/DataFault.swift"]
        for file in Self.files(program) where !others.contains(file) {
            let statuses = Self.statuses(try Self.read(file))
            guard !statuses.isEmpty else { continue }
            let commands = try #require(
                Self.commands[file], "\(file) ends with \(statuses), and the test does not know its commands")
            for command in commands {
                let missing = statuses.subtracting(Self.documented(program, command))
                #expect(missing.isEmpty, "\(program) \(command): \(missing.sorted()) of \(file)")
                checked += 1
            }
        }
        #expect(checked > 3)
    }

    /// A table in `practice` has no pass phrase.
    @Test(arguments: [("", Set<Int>()), ("practice", Set([77]))])
    func everyStatusOfASession_isInTheHelp(_ command: String, _ impossible: Set<Int>) throws {
        var statuses: Set<Int> = []
        for file in Self.files("TerminalUI") {
            statuses.formUnion(try Self.read(file).matches(of: /status: (\d+)/).compactMap { Int($0.1) }.filter { $0 > 0 })
        }
        #expect(statuses.isSuperset(of: [65, 69, 77]))
        let missing = statuses.subtracting(impossible).subtracting(Self.documented("bjclient", command))
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test(arguments: ["audit", "history", "journal", "backup", "accounts"])
    func everyStatusOfADataFolder_isInTheHelp(_ command: String) {
        #expect(Self.documented("bjserver", command).isSuperset(of: [65, 66, 74]))
    }

    @Test func theStatusesOfEveryCommand_areInEachHelp() {
        for (program, command) in [("bjclient", "accounts"), ("bjserver", ""), ("bjserver", "rules"), ("bjbots", "load")] {
            #expect(Self.documented(program, command).isSuperset(of: [0, 64, 65, 74, 141]), "\(program) \(command)")
        }
        #expect(Self.documented("bjserver", "healthcheck").contains(1))
    }
}

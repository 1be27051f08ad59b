import ClientCore
import CommandLineKit
import Foundation
import Sockets
import TerminalUI

/// `bjclient` alone at a terminal asks where to play, in lines: where this device has played, the last first.
enum StartMenu {
    /// - Returns: the chosen program; exits if the player wants none. Without a terminal nobody can choose.
    static func choose(_ environment: [String: String]) -> ClientProgram {
        guard isatty(0) == 1, isatty(1) == 1 else {
            let uses = "'bjclient practice' against bots, 'bjclient host' with friends, or 'bjclient HOST:PORT' at their table"
            Console.fail("bjclient", "choose what to play: \(uses)", status: 64)
        }
        let settings = PrivateFile.stateFolder(environment, of: "bjserver").flatMap(LocalServer.settings)
        let items = items(Visit.all(environment), settings, now: .now)
        Console.print("Blackjack at a terminal.\n")
        for (number, item) in items.enumerated() { Console.print("  \(number + 1)  \(item.words)") }
        while true {
            Console.printText("\nYour choice (Enter for 1, q quits): ")
            guard let line = readLine() else { exit(0) }
            // As a shell would split it; a pasted line begins with the program's name.
            let words = line.replacing("'\\''", with: "\0").matches(of: /(?:'[^']*'|[^\s'])+/)
                .map { $0.output.filter { $0 != "'" }.replacing("\0", with: "'") }
            let first = words.first ?? "1"
            if first == "q" { exit(0) }
            if let number = Int(first), words.count < 2, items.indices.contains(number - 1) {
                if let program = items[number - 1].program { return program }
                Console.print("Type the address or paste the line here.")
                continue
            }
            switch ClientProgram.command.parse(first == "bjclient" ? words.dropFirst() : words[...]) {
            case .run(.join(let options), _):
                let host = options.server?.host ?? ""
                if (try? SocketAddress.resolve(host: host, port: 0)) != nil { return .join(options) }
                Console.print("There is no host '\(host)': type a number above, its HOST:PORT, or paste the line from your host.")
            case .run(let program, _): return program
            case .answer(let text): Console.print(text)
            case .refusal(let error): Console.print(error.message)
            }
        }
    }

    /// The lines of the menu; the last one, without a program, has the player type more.
    static func items(_ visits: [Visit], _ settings: HostOptions.Settings?, now: Date) -> [(
        words: String, program: ClientProgram?
    )] {
        let own = [Visit.Place.practice, .host].filter { !visits.map(\.place).contains($0) }.map { Visit(place: $0, time: 0) }
        let items: [(String, ClientProgram?)] = (visits + own).map { visit in
            switch visit.place {
            case .practice:
                let chips = visit.chips.map { " (\($0) chips)" } ?? ""
                return ("practice against bots\(chips)", .practice(.init()))
            case .host:
                guard let settings, let table = settings.tables.first else {
                    return ("host a table for friends on this machine", .host(.init()))
                }
                let bots = settings.bots == 0 ? "" : settings.bots == 1 ? ", 1 bot" : ", \(settings.bots) bots"
                return ("host again (\(table.name)\(bots))", .host(.init()))
            case .table:
                let table = visit.owner.map { "\($0)'s table" } ?? "the table \(visit.table ?? "") at \(visit.server ?? "")"
                let server = visit.server.flatMap { ClientProgram.serverAddress.parse($0) }
                return (
                    Console.visible("join \(table) (\(visit.day(at: now)))"), .join(.init(server: server, table: visit.table))
                )
            }
        }
        let other = visits.contains { $0.place == .table } ? "join another table" : "join a table"
        return items + [("\(other): type its HOST:PORT, or paste the line from your host", nil)]
    }
}

/// Where this device has played, for the menu: `visits.json` beside the preferences. Has no pass phrase.
struct Visit: Codable, Equatable {
    enum Place: String, Codable { case practice, host, table }

    var place: Place
    /// Of somebody else's table, as typed, and the names of table and owner.
    var server, table, owner: String?
    /// The player's; nil while bets decided about them.
    var chips: Int?
    /// Seconds since 1970.
    var time: Int

    /// Tables of others.
    private static let limit = 8

    private static func file(_ environment: [String: String]) -> PrivateFile? {
        PrivateFile.stateFolder(environment).map { PrivateFile(folder: $0, name: "visits", byteLimit: 1 << 16) }
    }

    /// The last first.
    static func all(_ environment: [String: String]) -> [Visit] {
        file(environment)?.kept([Visit].self) ?? []
    }

    /// Keeps a visit that a person made, at its end. A file that can't be written keeps nothing.
    static func keep(_ place: Place, server: String? = nil, _ ending: TableSession.Ending, _ environment: [String: String]) {
        guard isatty(0) == 1, let last = ending.table, let file = file(environment) else { return }
        var visit = Visit(place: place, chips: last.chips, time: Int(Date().timeIntervalSince1970))
        if place == .table { (visit.server, visit.table, visit.owner) = (server, last.name, last.owner) }
        file.keep { visit.first(of: all(environment)) }
    }

    /// This visit, and the others that are kept.
    func first(of others: [Visit]) -> [Visit] {
        let kept = [self] + others.filter { ($0.place, $0.server, $0.table) != (place, server, table) }
        let tables = kept.filter { $0.place == .table }.prefix(Self.limit)
        return kept.filter { $0.place != .table || tables.contains($0) }
    }

    /// `today`, `yesterday`, `last Friday`, `3 weeks ago`, by this device's calendar.
    func day(at now: Date) -> String {
        let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        var (seconds, local) = (time_t(now.timeIntervalSince1970), tm())
        localtime_r(&seconds, &local)
        // 1970 began on a Thursday.
        let (today, day) = ((seconds + local.tm_gmtoff) / 86_400, (time + local.tm_gmtoff) / 86_400)
        return switch today - day {
        case ...0: "today"
        case 1: "yesterday"
        case 2...7: "last \(weekdays[(day + 4) % 7])"
        case 8...13: "last week"
        default: "\((today - day) / 7) weeks ago"
        }
    }
}

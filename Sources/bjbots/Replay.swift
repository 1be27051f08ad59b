import CommandLineKit
import Dispatch
import Foundation
import LoadGenerator
import Sockets
import Synchronization

/// Options of `bjbots replay`.
struct ReplayOptions: Sendable {
    var server = Endpoint(host: "127.0.0.1", port: 2121)
    var files: [String] = []
    var name = "replay"
    var timeout = 30_000
    var transcripts = "."

    static let command = Command<ReplayOptions, BotsProgram>(
        "replay", "Plays scripted sessions, one bot for each file.", defaults: ReplayOptions(), program: BotsProgram.replay
    ) { command in
        command.discussion(
            """
            A script has a step in each line: '> LINE' sends a line ($name and $secret are put in; a $secret is made for each script), '< PATTERN' waits for a line that has at \
            least the pattern's members ("*" is any value), 'until betting' and 'until asked' wait until the player may act, 'wait TIME' waits, \
            'cut' cuts the connection and makes another one. Lines with # are comments.

            Transcripts of violations that 'bjbots load' has saved are such scripts.
            """)
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), required: true, help: "The server.")
        command.argument("FILE", \.files, .path, required: true, help: "A script; all are played at the same time.")
        command.option("--name", \.name, .text(upTo: 16), help: "The first bot's $name; the others get a number behind it.")
        command.option("--timeout", \.timeout, .milliseconds(1...3_600_000), help: "How long a step waits.")
        command.option("--transcripts", \.transcripts, .path, value: "FOLDER", help: "Where transcripts of violations are saved.")
        command.example("bjbots replay 127.0.0.1:2121 bjbots-violation-1.txt", "does it happen again?")
        command.exitStatus(1, "a session went otherwise than its script says")
        command.exitStatus(3, "the server has broken a law of the game or of the protocol")
        command.exitStatus(65, "a script is faulty")
        command.exitStatus(69, "the server can't be reached")
    }

    func run() -> Never {
        let scripts = files.map { path in
            let text = Load.read(path)
            do {
                return try ReplayScript(parsing: text, name: path)
            } catch {
                Console.fail("bjbots", "\(error)", status: 65)
            }
        }
        let loop = Loop(label: "bj.replay")
        let options = self
        let outcomes = Mutex<[ReplaySession.Outcome]>([])
        let sessions = scripts.enumerated().map { index, script in
            let player = index == 0 ? name : "\(name)-\(index + 1)"
            let session = ReplaySession(
                script, player: player, host: server.host, port: Int(server.port), loop: loop, timeout: Int64(timeout)
            ) { outcome in
                let all = outcomes.withLock { outcomes in
                    outcomes.append(outcome)
                    return outcomes
                }
                if all.count == scripts.count { options.finish(all.sorted { $0.name < $1.name }) }
            }
            return LoopConfined(sending: session, on: loop)
        }
        for session in sessions { session.perform { $0.start() } }
        withExtendedLifetime(sessions) { dispatchMain() }
    }

    private func finish(_ outcomes: [ReplaySession.Outcome]) -> Never {
        var status: Int32 = 0
        var saved = 0
        for outcome in outcomes {
            Console.print(
                "\(outcome.name): \(outcome.failure ?? "as the script says"), \(outcome.lines) lines, \(outcome.violations.count) violations"
            )
            for (violation, script) in zip(outcome.violations, outcome.scripts).prefix(20) {
                saved += 1
                let path = "\(transcripts)/bjbots-replay-violation-\(saved).txt"
                Load.write(script, to: path)
                Console.print("violation: \(violation) (transcript: \(path))")
            }
            if outcome.failure != nil, status == 0 { status = outcome.isUnreachable ? 69 : 1 }
            if !outcome.violations.isEmpty { status = 3 }
        }
        exit(status)
    }
}

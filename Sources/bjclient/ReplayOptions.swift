import ClientCore
import CommandLineKit
import Foundation
import Synchronization
import TerminalUI
import Wire

/// The options of `bjclient replay`.
struct ReplayOptions: DisplayedOptions {
    var file = ""
    var round: Int?
    var speed = 1
    var display = ClientSettings()

    static let command = Command<ReplayOptions, ClientProgram>(
        "replay", "Shows a recording again, without a server.", defaults: ReplayOptions(), program: ClientProgram.replay
    ) { command in
        command.discussion(
            """
            Shows a file of 'bjclient --record', or the lines that 'bjbots load' keeps of a violation, as a watcher sees the table. On a screen \
            the space bar pauses, left and right go by a change, up and down by a round. In plain mode all of it is printed at once.

            Rounds of 'bjserver history --json' are dealt again, without bankrolls. If the proof file of a shoe lies beside them, as \
            main-3.json for shoe 3 of the table main, the shoe is verified first, and whether these cards are from it.
            """)
        command.argument("FILE", \.file, .path, required: true, help: "The recording.")
        command.option("--from", \.round, .int(1...Int.max), value: "ROUND", help: "Begins with this round.")
        command.option("--speed", \.speed, .int(1...100), help: "Times as fast as it was. Default: 1.")
        command.displayOptions(isWatching: true)
        command.example("bjclient replay evening.txt --from 12 --speed 2", "from round 12, twice as fast")
        command.exitStatus(65, "The file is not a recording, is cut or too long, or lacks the round.")
        command.exitStatus(74, "The file cannot be read.")
    }

    func run(_ environment: [String: String], _ finish: @escaping @Sendable (TableSession.Ending) -> Void) -> Never {
        var session = TableSession.Options(host: file, port: 0, name: .given(""))
        (session.settings, session.environment) = (display, environment)
        do {
            let bytes = try RegularFile.read(file, upTo: Recording.byteLimit, cuts: true, takesStreams: true)
            let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
            let recording =
                DealtRounds.isHistory(bytes) ? try DealtRounds.recording(of: bytes, in: folder) : try Recording(bytes)
            if let round, !recording.moments.contains(where: { $0.round == round }) {
                Console.fail("bjclient replay", "\(file): there is no round \(round)", status: 65)
            }
            let replay = Replay(recording, speed: speed, from: round)
            session.replay = replay
            guard session.drawsScreen else {
                replay.tell(session, Console.printText)
                exit(0)
            }
        } catch let fault as Recording.Unreadable {
            Console.fail("bjclient replay", "\(file): \(fault)", status: 65)
        } catch {
            Console.fail("bjclient replay", "\(error)", status: 74)
        }
        let shown = TableSession.start(session, completion: finish)
        withExtendedLifetime(shown) { dispatchMain() }
    }
}

/// The file of a recording. A session goes on without it, and says so at its end.
final class Recorder: Sendable {
    private let file: OutputFile
    private let state: Mutex<(begin: Int64?, fault: FileFault?)>

    /// Exits if the file can't be written.
    init(_ path: String) {
        do throws(FileFault) {
            file = try OutputFile(path)
            try file.append(RecordedLine.header + "\n")
        } catch { Console.fail("bjclient", error, status: 74) }
        state = Mutex((nil, nil))
    }

    func write(_ line: [UInt8], at now: Int64) {
        state.withLock { state in
            guard state.fault == nil else { return }
            state.begin = state.begin ?? now
            do throws(FileFault) { try file.append(RecordedLine.text(line, at: now - (state.begin ?? now))) } catch {
                state.fault = error
            }
        }
    }

    /// The end of a session, with that of its recording.
    func end(_ ending: TableSession.Ending) -> Never {
        ClientProgram.show(ending)
        if let fault = state.withLock(\.fault) { Console.fail("bjclient", "the recording is cut: \(fault)", status: 74) }
        exit(ending.status)
    }
}

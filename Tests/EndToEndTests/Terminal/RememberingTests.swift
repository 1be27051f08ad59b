import ClientCore
import Foundation
import ServerCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Names and settings that a session leaves for the next one.
@Suite(.ownThread, .timeLimit(.minutes(2)))
struct RememberingTests {
    private let scratch = ScratchFolder(isMade: false)
    private var home: String { scratch.path }

    @Test func aPassPhraseThatIsMissing_leavesNoNameForTheNextSession() async throws {
        let server = try RunningServer { $0.tables += [.init(name: "private", rules: .patient, pass: "open sesame")] }
        let file = AccountFile(folder: home)
        let address = AccountFile.address(host: "127.0.0.1", port: server.port)
        let pipes = try PipeTerminal()
        pipes.type("bet 10")
        pipes.endInput()
        let refused = SessionRun(port: server.port, terminal: pipes.terminal, name: .asked(suggestion: "ann")) {
            $0.accounts = file
            $0.wish = .sit(table: "private", seat: nil)
        }
        #expect(await refused.ending()?.status == 77)
        #expect(try file.accounts().map(\.name) == ["ann"] && file.lastName(server: address) == nil, "her account is there")
        let again = try PipeTerminal()
        let played = SessionRun(port: server.port, terminal: again.terminal, name: .asked(suggestion: "bob")) {
            $0.accounts = file
            $0.wish = .sit(table: "main", seat: nil)
        }
        #expect(again.shows("Your bet, 10 to 500"))
        again.type("leave")
        again.endInput()
        #expect(await played.ending()?.status == 0, "\(again.rest())")
        #expect(file.lastName(server: address) == "bob")
        await server.stop()
    }

    /// Without an answer of the player the secret goes to the address alone at which the account was made, also on one machine.
    @Test func aHouseAtAnotherAddress_getsTheSecret_onceThePlayerAgrees() async throws {
        let server = try RunningServer()
        let file = AccountFile(folder: home)
        func play(_ host: String, _ name: String, _ lines: String...) async throws -> (ending: TableSession.Ending?, text: String)
        {
            let pipes = try PipeTerminal()
            for line in lines { pipes.type(line) }
            pipes.endInput()
            let run = SessionRun(port: server.port, terminal: pipes.terminal, name: .given(name)) {
                ($0.host, $0.accounts, $0.wish) = (host, file, .sit(table: "main", seat: nil))
            }
            return (await run.ending(), pipes.rest())
        }
        // From the first hand on the account lasts.
        #expect(try await play("127.0.0.1", "ann", "bet 10", "stand", "leave").ending?.status == 0)
        #expect(Waiting.until { (try? server.server.account(named: "ann"))?.table == nil })
        let chips = try server.server.account(named: "ann").chips
        _ = try server.server.change(accountNamed: "ann", .credit(1000 - chips))
        for host in ["127.1", "localhost", "0.0.0.0"] {
            let other = try await play(host, "ann", "leave")
            let reason = other.ending?.reason?.text ?? ""
            #expect(
                other.ending?.status == 69 && reason.contains("| bjclient accounts import --server \(host):\(server.port)'"),
                "\(reason)")
        }
        #expect(try file.accounts().map(\.server) == ["127.0.0.1:\(server.port)"])
        // On the screen the word is the answer.
        let (screen, run) = try startSession(server.port, name: .given("ann")) {
            ($0.host, $0.accounts, $0.wish) = ("0.0.0.0", file, .sit(table: "main", seat: nil))
        }
        // The account used last; both of the same second may be it.
        #expect(screen.shows { $0.text.contains("yours at 127.") || $0.text.contains("yours at localhost") })
        screen.press("\r")
        #expect(screen.shows("Type yes"))
        screen.press("yes\r")
        #expect(screen.shows("Your bet:") && screen.shows("ann, 1000 chips"))
        screen.press("q")
        #expect(await run.ending()?.status == 0)
        #expect(try file.accounts().count == 2 && Set(file.accounts().map(\.secret)).count == 1)
        #expect(try await play("0.0.0.0", "ann", "leave").ending?.status == 0, "agreed to before")
        await server.stop()
    }

    @Test func accountsThatCannotBeStored_endTheSession_withAWayOut() async throws {
        #expect(FileManager.default.createFile(atPath: home, contents: nil))
        let server = try ScriptedServer { server, request in
            if request.type == "available" { server.send(.ok(id: request.id, .available(true))) }
        }
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) {
            $0.accounts = AccountFile(folder: home + "/bjclient")
        }
        let ending = await run.ending()
        #expect(ending?.status == 74)
        #expect(
            ending?.reason?.text.hasSuffix("Not a directory: --guest plays without an account") == true,
            "\(String(describing: ending))")
        server.stop()
    }

    /// A server that turns into another house on each connection: the consent was to one of them.
    @Test func aConsent_isToOneHouse_andAtMostThreeAccountsAreMade() async throws {
        let houses = { (connection: Int) in "00000000000000e\(connection)" }
        let server = try ScriptedServer(house: houses) { server, request in
            switch request.message {
            case .success(.available): server.send(.ok(id: request.id, .available(!server.secrets.isEmpty)))
            case .success(.login):
                server.answer(request)
                server.cut()
            default: server.answer(request)
            }
        }
        let file = AccountFile(folder: home)
        let kept = try (1...2).map { try file.make("ann", house: "00000000000000e\($0)", server: "old\($0):1") }
        let (screen, run) = try startSession(server.port, columns: 100, name: .given("ann")) {
            $0.accounts = file
        }
        #expect(screen.shows("yours at old1:1, and"))
        screen.press("\r\r")
        #expect(server.loop.performAndWait { server.secrets.isEmpty })
        screen.press("yes\r")
        let ending = await run.ending()
        let reason = ending?.reason?.text ?? ""
        #expect(ending?.status == 74 && reason.hasPrefix("the server has had 3 accounts made"), "\(reason)")
        let sent = server.loop.performAndWait { server.secrets }
        #expect(sent.first == kept[0] && !sent.contains(kept[1]) && Set(sent).count == 4)
        server.stop()
    }

    @Test func aLoginThatIsRefused_leavesNoSecret() async throws {
        let server = try ScriptedServer { server, request in
            switch request.type {
            case "available": server.send(.ok(id: request.id, .available(true)))
            case "login": server.refuse(request, .serverFull, "This house is full.")
            default: server.answer(request)
            }
        }
        let file = AccountFile(folder: home)
        let pipes = try PipeTerminal()
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.accounts = file }
        #expect(await run.ending()?.status == 69)
        #expect(try file.accounts().isEmpty)
        server.stop()
    }

    @Test func aFolderThatCannotBeWritten_isSaidOnce_andTheSettingsHold() async throws {
        // A file where the folder would be.
        #expect(FileManager.default.createFile(atPath: home, contents: nil))
        let server = try RunningServer()
        let (screen, run) = try startSession(server.port, columns: 120, rows: 30) {
            $0.settingsFile = SettingsFile(folder: home + "/bjclient")
        }
        #expect(screen.shows("Your bet:"))
        screen.press("c")
        #expect(screen.shows("Settings, kept in \(home)/bjclient/config.json"))
        screen.press("/suits 4\r")
        #expect(screen.shows { $0.text.contains("suits 4: ") && $0.text.contains("Settings, until you leave.") })
        #expect(screen.shows("Settings are not kept, and hold"), "\(screen.grid.text)")
        screen.press("/coach on\r")
        #expect(screen.shows("coach on: "))
        // The key of the table, seen in the list.
        screen.press(" ac")
        #expect(screen.shows("coach off: "))
        screen.press(" ac")
        #expect(screen.shows("coach on: "))
        #expect(screen.grid.text.ranges(of: "not kept").count == 1, "said once, in the log beside the list")
        #expect(run.onQueue { run.session.settings.suits == .four && run.session.settings.coach && run.session.coach.isOn })
        run.send(SIGTERM)
        #expect(await run.ending()?.status == 0)
        await server.stop()
    }

    @Test func settings_areListedAndChangedByWords() async throws {
        let server = try RunningServer()
        let pipes = try PipeTerminal()
        let file = SettingsFile(folder: home)
        let run = SessionRun(port: server.port, terminal: pipes.terminal) { $0.settingsFile = file }
        pipes.type("settings suits 4")
        pipes.type("settings coach on")
        #expect(pipes.shows("suits 4.\n") && pipes.shows("The coach is on") && pipes.shows("coach on.\n"))
        pipes.type("settings suits default")
        pipes.type("settings")
        #expect(pipes.shows("suits 2.\n") && pipes.shows("Settings, kept in \(home)/config.json. 'settings NAME VALUE' changes"))
        #expect(pipes.shows("  bet none: the first bet offered at a table (chips).\n"))
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "{\n  \"coach\" : true\n}\n")
        pipes.type("max")
        #expect(pipes.shows("You bet 500."))
        pipes.type("stand")
        #expect(pipes.shows("The round brings you"))
        pipes.type("status")
        #expect(pipes.shows("Connected to 127.0.0.1:\(server.port) as ann"))
        pipes.type("leave")
        _ = await run.ending()
        await server.stop()
    }
}

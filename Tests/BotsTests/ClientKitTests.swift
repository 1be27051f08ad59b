import Dispatch
import Foundation
import Rules
import ServerCore
import Synchronization
import TestKit
import Testing

@testable import Conformance

/// Where `python3` is, if it is anywhere.
private let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

/// Scenarios that are yet to be played, and the verdicts of the others.
private final class Rounds: Sendable {
    private let scenarios: [ClientKit.Scenario]
    private let next = Mutex(0)
    private let results = Mutex<[String: ClientKit.Verdict]>([:])

    init(_ scenarios: [ClientKit.Scenario]) { self.scenarios = scenarios }

    var verdicts: [String: ClientKit.Verdict] { results.withLock { $0 } }

    func playAll(_ command: String, _ patience: Int64) {
        while true {
            let index = next.withLock { next in
                next += 1
                return next - 1
            }
            guard index < scenarios.count else { return }
            let verdict = play(command, scenarios[index], patience)
            results.withLock { $0[scenarios[index].name] = verdict }
        }
    }
}

/// Plays scenarios, several at a time, each at a server of its own where no clock runs out.
private func play(
    _ command: String, _ scenarios: [ClientKit.Scenario] = ClientKit.scenarios, patience: Int64 = 120_000
) -> [String: ClientKit.Verdict] {
    let rounds = Rounds(scenarios)
    let group = DispatchGroup()
    for _ in 0..<min(12, scenarios.count) {
        group.enter()
        // Threads of their own: a trial blocks the one that it is run on.
        Thread.detachNewThread {
            rounds.playAll(command, patience)
            group.leave()
        }
    }
    group.wait()
    return rounds.verdicts
}

private func play(_ command: String, _ scenario: ClientKit.Scenario, _ patience: Int64) -> ClientKit.Verdict {
    var shards = ShardConfiguration(tables: [.init(name: "main", rules: .patient)])
    shards.settledMilliseconds = 100
    shards.requests = .unreached
    var options = Server.Options()
    (options.port, options.seed) = (0, 1)
    let server = Server(shards: shards, options: options)
    guard let port = try? server.start().port else { return .failed("no server") }
    var settings = ClientKit.Trial.Options(host: "127.0.0.1", port: Int(port), command: command)
    settings.timeout = patience
    let verdict = ClientKit.Trial(scenario, options: settings).run().verdict
    let stopped = DispatchSemaphore(value: 0)
    server.stop { stopped.signal() }
    stopped.wait()
    return verdict
}

private func failures(_ verdicts: [String: ClientKit.Verdict]) -> [String: String] {
    verdicts.compactMapValues { if case .failed(let reason) = $0 { reason } else { nil } }
}

private func python(_ file: String, _ arguments: String) -> String {
    "python3 '\(repository.appending(path: "Tests").appending(path: file).path)' \(arguments)"
}

/// Clients under test: good ones pass, and each fault is found by the scenarios that are about it.
@Suite(.ownThreadMostlyIdle, .serialized, .enabled(if: hasPython, "python3 is not in the PATH"))
struct ClientKitTests {
    private static let steady = "BotsTests/Clients/steady.py"

    @Test func aClientWithoutAFault_passesEverything() {
        let verdicts = play(python(Self.steady, "{host} {port}"))
        #expect(verdicts.count == ClientKit.scenarios.count)
        #expect(verdicts.allSatisfy { $0.value == .passed() }, "\(verdicts.filter { $0.value != .passed() })")
    }

    @Test func theClientThatSurvivesLostConnections_passesEverything() {
        let verdicts = play(python("ServerCoreTests/Python/client.py", "{host} {port} 1000 0"))
        #expect(failures(verdicts) == [:])
    }

    @Test func theBotOfTheProtocolDocument_failsWhereThePageSays() throws {
        let document = try String(contentsOf: repository.appending(path: "Protocol.md"), encoding: .utf8)
        let code = try #require(
            document.matches(of: /```python\n([\s\S]*?)```/).map { String($0.1) }.first { $0.contains("import json, socket") })
        let scratch = ScratchFolder()
        let file = try scratch.file("bot.py", code)
        let verdicts = withExtendedLifetime(scratch) { play("python3 '\(file)' {host} {port} 1000") }
        let cuts = ClientKit.only(["cut/*"]).map(\.name)
        #expect(Set(failures(verdicts).keys) == Set(cuts + ["table/gap", "refused/rate-limited"]), "\(failures(verdicts))")
        for name in cuts { #expect(failures(verdicts)[name]?.contains("when its connection was lost") == true) }
        #expect(verdicts["table/wrong-check"] == .passed(note: "does not look at check values"))
    }

    @Test func ourBot_passesEverything() {
        let verdicts = play("'\(Tool.path("bjbots"))' play {host}:{port} --rounds 1000")
        #expect(failures(verdicts) == [:])
    }

    @Test(arguments: [
        ("torn", ["table/gap"]),
        ("fragile", ["unknown/types"]),
        ("narrow", ["unknown/kinds"]),
        ("storm", ["end/draining", "end/server-full", "end/shutting-down"]),
        ("renamed", ["cut/act-unanswered", "cut/bet-lost", "cut/bet-unanswered"]),
        ("hasty", ["refused/rate-limited"]),
        ("clinging", ["end/kicked", "end/replaced"]),
        ("forgetful", ["fair/repeated-commitment"]),
        ("trusting", ["fair/left-out"]),
        ("talkative", ["fair/second-list"]),
    ])
    func aFault_isFoundByTheScenariosThatAreAboutIt(_ fault: String, _ scenarios: [String]) {
        // The whole kit where time is no matter; otherwise the scenarios of the same groups, which are the nearest to a false alarm.
        let groups = Set(scenarios.map { $0.prefix { $0 != "/" } + "/*" } + ["plain/*"])
        let played = Thorough.isWanted ? ClientKit.scenarios : ClientKit.only(groups.sorted())
        let found = failures(play(python(Self.steady, "{host} {port} \(fault)"), played))
        #expect(found.keys.sorted() == scenarios, "\(found)")
    }

    @Test func aClientThatTakesEachPieceForWholeLines_failsWhereLinesComeInPieces() {
        let played = Thorough.isWanted ? ClientKit.scenarios : ClientKit.only(["bytes/*", "plain/*", "hello/*", "unknown/*"])
        let found = failures(play(python(Self.steady, "{host} {port} chunks"), played)).keys
        // A long line may come in one piece or in several.
        #expect(Set(found).subtracting(["bytes/long-lines"]) == ["bytes/split", "bytes/trickle"])
    }
}

/// Clients that never play: each is bounded, and named.
@Suite(.ownThread, .enabled(if: hasPython, "python3 is not in the PATH"))
struct HopelessClientTests {
    private func reason(_ command: String, patience: Int64 = 120_000) -> String {
        failures(play(command, ClientKit.only(["plain/*"]), patience: patience))["plain/rounds"] ?? "passed"
    }

    private func peer(_ code: String) -> String {
        "python3 -c 'import socket; s=socket.create_connection((\"{host}\",{port})); \(code); print(*iter(lambda: s.recv(4096), b\"\"))'"
    }

    @Test func aClientThatEndsAtOnce_isNamed() {
        #expect(reason("exit 7").hasPrefix("the client has not connected") == false)
        #expect(reason("exit 7").contains("the client ended (status 7)"))
    }

    @Test func aClientThatNeverConnects_isNamed() {
        #expect(reason("tail -f /dev/null", patience: 300).hasPrefix("the client has not connected"))
    }

    @Test func aClientThatSaysNothing_isNamed() {
        let reason = reason(peer("1"), patience: 3000)
        #expect(reason.contains("waited in vain") || reason.contains("has not connected"), "\(reason)")
    }

    @Test func aLineWithoutAnEnd_isNamed() {
        #expect(reason(peer("s.sendall(b\"x\"*200000)")).hasPrefix("a line without an end"))
    }

    @Test func aLineThatIsNoRequest_isNamedWithItsNumber_andHarmsNoTerminal() {
        let reason = reason(peer("s.sendall(b\"{\\\"type\\\":\\\"ping\\\"}\\n\\x1b[2J\\n\")"))
        #expect(reason.hasPrefix("line 2 is no request") && reason.contains("\\u{1b}[2J"), "\(reason)")
        #expect(!reason.unicodeScalars.contains("\u{1b}"))
    }

    @Test func aFieldThatNoRequestHas_isNamed() {
        let reason = reason(peer("s.sendall(b\"{\\\"type\\\":\\\"ping\\\",\\\"when\\\":1}\\n\")"))
        #expect(reason.contains("\"ping\" has no field \"when\""), "\(reason)")
    }

    @Test func aFloodAndAStorm_areNamed() {
        #expect(reason(peer("s.sendall(b\"{\\\"type\\\":\\\"ping\\\"}\\n\"*3000)")).hasPrefix("a flood"))
        let storm = peer("a=[socket.create_connection((\"{host}\",{port})) for i in range(60)]")
        #expect(reason(storm).hasPrefix("a storm"))
    }
}

@Test(.ownThread, .enabled(if: hasPython, "python3 is not in the PATH"))
func aClientThatEndsWhenItKnowsNoneOfTheVersions_passes() {
    let client = "python3 -c 'import socket; s=socket.create_connection((\"{host}\",{port})); s.recv(4096)'"
    #expect(play(client, ClientKit.only(["hello/other-versions"])) == ["hello/other-versions": .passed()])
}

struct ClientKitCatalogTests {
    @Test func scenariosHaveNamesOfTheirOwn_andAreChosenByPattern() {
        let names = ClientKit.scenarios.map(\.name)
        #expect(Set(names).count == names.count && names.count == 40)
        #expect(ClientKit.only(["cut/*", "plain/rounds"]).map(\.name).first == "plain/rounds")
        #expect(ClientKit.only(["none"]).isEmpty)
    }
}

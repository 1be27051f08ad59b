import Foundation
import Operations
import Rules
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Where `python3` is, if it is anywhere.
private let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Clients in another language, written from Protocol.md alone, at a real server.
@Suite(.ownThread, .enabled(if: python != nil, "python3 is not in the PATH"))
struct PythonClientTests {
    private func withServer(requests: RateLimit = .perSecond(20, burst: 60), _ body: (_ port: String) throws -> Void) async throws
        -> Ledger
    {
        var shards = ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        shards.settledMilliseconds = 5
        shards.requests = requests
        var options = Server.Options()
        options.port = 0
        options.seed = 11
        let server = Server(shards: shards, options: options)
        let port = try server.start().port
        try body(String(port))
        let ledger = server.ledger
        await withCheckedContinuation { done in server.stop { done.resume() } }
        return ledger
    }

    /// Runs a program to its end.
    private static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: python ?? "")
        process.arguments = [path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // A program that hangs is ended, and fails.
        let guardian = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: guardian)
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guardian.cancel()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func aClientThatLosesItsConnectionAgainAndAgain_playsAHundredRounds_andNoBetIsLostOrDoubled() async throws {
        // It has to wait now and then, but not for most of its time.
        let ledger = try await withServer(requests: .perSecond(100, burst: 20)) { port in
            let path = root.appending(path: "Tests/ServerCoreTests/Python/client.py").path
            let (status, output) = try Self.run(path, ["127.0.0.1", port, "100", "1"])
            #expect(status == 0, "\(output)")
            func figure(_ name: String) -> Int {
                output.firstRange(of: "\"\(name)\": ").flatMap {
                    Int(output[$0.upperBound...].prefix { "-0123456789".contains($0) })
                } ?? -1
            }
            #expect(figure("rounds") == 100, "\(output)")
            #expect(figure("cuts") > 3, "\(output)")
            #expect(figure("retried") > 0, "\(output)")
            #expect(figure("checks") >= 100, "\(output)")
            // What it did not see of a round was over while it was away: never more rounds than it has lost connections.
            #expect(figure("unseen") <= figure("cuts"), "\(output)")
        }
        #expect(ledger.imbalance == 0)
    }

    @Test func theBotOfTheProtocolDocument_playsItsRounds() async throws {
        let document = try String(contentsOf: root.appending(path: "Protocol.md"), encoding: .utf8)
        let code = try #require(
            document.matches(of: /```python\n([\s\S]*?)```/).map { String($0.1) }.first { $0.contains("import") })
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 51)
        let ledger = try await withServer { port in
            let file = FileManager.default.temporaryDirectory.appending(path: "bot-\(UUID().uuidString).py")
            defer { try? FileManager.default.removeItem(at: file) }
            try code.write(to: file, atomically: true, encoding: .utf8)
            let (status, output) = try Self.run(file.path, ["127.0.0.1", port, "20"])
            #expect(status == 0 && output == "20 rounds\n", "\(output)")
        }
        #expect(ledger.imbalance == 0)
    }

    /// The generated module in a folder of its own, gone when `body` ends.
    private static func withModule(_ body: (_ path: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "module-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "blackjack.py")
        try Catalog.pythonModule.write(to: file, atomically: true, encoding: .utf8)
        try body(file.path)
    }

    @Test func theGeneratedModule_playsItsRounds_andProvesEachCheckValue() async throws {
        let ledger = try await withServer { port in
            try Self.withModule { path in
                let (status, output) = try Self.run(path, ["127.0.0.1", port, "20", "generated"])
                #expect(status == 0 && output == "20 rounds, 1000 chips at first\n", "\(output)")
            }
        }
        #expect(ledger.imbalance == 0)
    }

    /// Annotations are never evaluated while a program runs, so that a name that does not exist would go unnoticed.
    @Test func everyTypeOfTheGeneratedModule_resolves_andEachRequestHasAMethod() throws {
        let check = """
            import inspect, runpy, sys, typing
            module = runpy.run_path(sys.argv[1], run_name="module")
            scope = dict(module)
            for value in list(module.values()):
                if isinstance(value, type) and value.__module__ == "module":
                    typing.get_type_hints(value, scope)
                    for _, method in inspect.getmembers(value, inspect.isfunction):
                        if method.__module__ == "module":
                            typing.get_type_hints(method, scope)
                elif inspect.isfunction(value) and value.__module__ == "module":
                    typing.get_type_hints(value, scope)
            print(" ".join(name for name, _ in inspect.getmembers(module["Connection"], inspect.isfunction)))
            """
        try Self.withModule { path in
            let script = path + ".check.py"
            try check.write(toFile: script, atomically: true, encoding: .utf8)
            let (status, output) = try Self.run(script, [path])
            #expect(status == 0, "\(output)")
            let methods = Set(output.split(whereSeparator: \.isWhitespace).map { $0.replacing("_", with: "").lowercased() })
            for type in ClientMessage.types { #expect(methods.contains(type.lowercased()), "\(type)") }
        }
        #expect(Catalog.pythonModule == Catalog.pythonModule)
    }
}

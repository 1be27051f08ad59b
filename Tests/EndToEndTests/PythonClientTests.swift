import Foundation
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Where `python3` is, if it is anywhere.
private let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Clients in another language, written from Protocol.md alone, at a real server.
@Suite(.ownThread, .enabled(if: python != nil, "python3 is not in PATH"))
struct PythonClientTests {
    private func withServer(
        requests: RateLimit = .perSecond(20, burst: 60), rules: HouseRules = HouseRules(), seed: UInt64 = 11,
        match: Int = 0, _ body: (_ port: String) throws -> Void
    ) async throws -> Ledger {
        let server = try RunningServer(rules: rules, seed: seed, ceremonies: true) {
            $0.settledMilliseconds = 5
            $0.requests = requests
            $0.bankMilliseconds = ShardConfiguration(tables: []).bankMilliseconds
        }
        let owner = try #require(RawPeer(port: server.port))
        if match > 0 {
            #expect(server.server.expectOwner(ofTable: "main", code: "12345678"))
            let secret = String(repeating: "5e", count: 32)
            owner.send(#"{"type":"login","name":"ann","secret":"\#(secret)","owner":"12345678"}"#)
            owner.send(#"{"type":"watch"}"#)
            owner.send(#"{"type":"match","rounds":\#(match),"round":0}"#)
            owner.send(#"{"type":"pause","on":true}"#)
            owner.send(#"{"type":"pause","on":false}"#)
            _ = try #require(owner.line(with: #""pause":null"#))
        }
        try body(String(server.port))
        if match > 0 { #expect(owner.line(with: #""kind":"match""#) != nil) }
        let ledger = server.ledger
        await server.stop()
        return ledger
    }

    /// Runs a program to its end.
    private static func run(
        _ path: String, _ arguments: [String], input: String? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Tool.process(python ?? "", [path] + arguments)
        if let input { process.standardInput = FileHandle(forReadingAtPath: input) }
        let ending = try process.ending()
        return (ending.status, ending.text)
    }

    @Test func aClientThatLosesItsConnectionAgainAndAgain_playsAHundredRounds_andNoBetIsLostOrDoubled() async throws {
        // It has to wait now and then, but not for most of its time.
        let ledger = try await withServer(requests: .perSecond(100, burst: 20)) { port in
            let path = root.appending(path: "Tests/EndToEndTests/Python/client.py").path
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

    /// Its connections are cut at random, and its pauses left out.
    @Test func theBotOfTheProtocolDocument_playsItsRounds_andComesBack() async throws {
        let document = try String(contentsOf: root.appending(path: "Protocol.md"), encoding: .utf8)
        let code = try #require(
            document.matches(of: /```python\n([\s\S]*?)```/).map { String($0.1) }.first { $0.contains("create_connection") })
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 43)
        let script = """
            import random, runpy, socket, sys, time
            connect, chance, cuts = socket.create_connection, random.Random(7), []
            class Cut:
                def __init__(self, socket):
                    self.socket, self.left = socket, chance.randrange(1, 200)
                def makefile(self, mode):
                    self.file = self.socket.makefile(mode)
                    self.write, self.flush = self.file.write, self.file.flush
                    return self
                def __iter__(self):
                    for line in self.file:
                        self.left -= 1
                        if self.left < 0:
                            self.socket.shutdown(socket.SHUT_RDWR)
                            cuts.append(line)
                            raise ConnectionResetError
                        yield line
            socket.create_connection = lambda *address: Cut(connect(*address))
            time.sleep = lambda pause: None
            sys.argv = sys.argv[1:]
            runpy.run_path(sys.argv[0], run_name="__main__")
            print(len(cuts) > 3)
            """
        // Among these rounds is a blackjack against an ace.
        let ledger = try await withServer(requests: .perSecond(1000, burst: 1000), seed: 2) { port in
            let scratch = ScratchFolder()
            let (status, output) = try withExtendedLifetime(scratch) {
                try Self.run(scratch.file("cut.py", script), [scratch.file("bot.py", code), "127.0.0.1", port, "150"])
            }
            #expect(status == 0 && output == "done\nTrue\n", "\(output)")
        }
        #expect(ledger.imbalance == 0)
    }

    @Test func theVerifierInPython_comesToTheVectors_andMissesNoChangedBit() throws {
        let script = """
            import copy, json, runpy, sys
            from base64 import urlsafe_b64encode
            module = runpy.run_path(sys.argv[1], run_name="module")
            vectors = json.load(open(sys.argv[2]))
            text = lambda digits: urlsafe_b64encode(bytes.fromhex(digits)).decode().rstrip("=")
            shoe = vectors["shoe"]
            proof = {
                "table": shoe["table"], "shoe": shoe["shoe"], "secret": text(shoe["serverSecret"]),
                "commitment": text(shoe["serverCommit"]),
                "contributors": [
                    {"name": client["id"], "commitment": text(commitment), "contribution": text(client["r"])}
                    for client, commitment in zip(shoe["clients"], shoe["clientCommits"])]}
            rules = {"digest": shoe["rulesDigest"]}
            assert module["list_of"](bytes.fromhex(shoe["serverCommit"]), proof["contributors"]).hex() == shoe["listHash"], "list"
            assert module["key_of"](proof, rules).hex() == shoe["shoeKey"], "key"
            [(number, cards, digests)] = module["orders_of"](proof, rules, shoe["decks"])
            assert " ".join(module["NAMES"][card] for card in cards) == shoe["cards"], "cards"
            assert digests[0].hex() == shoe["orderDigest"], "order"
            part = vectors["segment"]
            segment = {"number": part["n"], "first": part["first"], "from": part["discardsFrom"], "to": part["discardsTo"] + 1}
            cards, digests = module["order_of"](bytes.fromhex(part["key"]), part["decks"], [segment])
            assert " ".join(module["NAMES"][card] for card in cards[part["first"]:]) == part["cards"], "segment"
            assert digests[1].hex() == part["orderDigest"], "segment's order"
            def changed(digits):
                return text(digits[:10] + "0123456789abcdef"[int(digits[10], 16) ^ 1] + digits[11:])
            caught = 0
            for change in (
                lambda p: p.update(secret=changed(shoe["serverSecret"])),
                lambda p: rules.update(digest="0" + shoe["rulesDigest"][1:]),
                lambda p: p.update(shoe=2), lambda p: p.update(table="T2"),
                lambda p: p["contributors"][2].update(contribution=changed(shoe["clients"][2]["r"])),
                lambda p: p["contributors"][0].update(name="alicf"),
            ):
                wrong, rules = copy.deepcopy(proof), {"digest": shoe["rulesDigest"]}
                change(wrong)
                try:
                    module["key_of"](wrong, rules)
                except AssertionError:
                    caught += 1
            print("caught", caught)
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "vectors-\(UUID().uuidString).py")
        defer { try? FileManager.default.removeItem(at: file) }
        try script.write(to: file, atomically: true, encoding: .utf8)
        let vectors = root.appending(path: "Tests/FairnessTests/Golden/bj1.json").path
        let (status, output) = try Self.run(file.path, [Self.verifier.path, vectors])
        #expect(status == 0 && output == "caught 6\n", "\(output)")
    }

    /// Short shoes, shoes that run out in mid-round, and 32 shoes of one ceremony.
    @Test(arguments: [
        ("main", [("penetration", RuleValue.number(0.3))], 3), ("main", [("penetration", .number(0.95))], 4),
        ("main", [("continuousShuffle", .flag(true))], 2),
    ])
    func aContributorInPython_isInEachShoe_andTheVerifierInPythonFindsEachCardThere(
        table: String, rules: [(String, RuleValue)], shoes: Int
    ) async throws {
        let rules = try HouseRules(rules + [("decks", .integer(1))])
        let ledger = try await withServer(requests: .unreached, rules: rules) { port in
            let client = root.appending(path: "Tests/EndToEndTests/Python/contributor.py").path
            let (status, lines) = try Self.run(client, ["127.0.0.1", port, table, "\(shoes)"])
            try #require(status == 0, "\(lines.suffix(2000))")
            let verdict = try Self.verify(lines)
            #expect(verdict.status == 0, "\(verdict.output)")
            #expect(verdict.output.split(separator: "\n").count == (rules.continuousShuffle ? 32 * shoes : shoes))
            // The last card seen under another face.
            let cards = lines.matches(of: /"c[0-9]+":\["1\.1","([2-9TJQKA][SHDC])"\]/)
            let proofs = lines.ranges(of: "\"to\":\"proof\"")
            let last = try #require(proofs.last?.lowerBound)
            // Of the shoe before the last, whose proof comes after it.
            let before = proofs.dropLast().last?.lowerBound ?? last
            let card = try #require(cards.last { $0.range.upperBound < before }).output.1
            let changed = lines.replacingCharacters(in: card.startIndex..<card.endIndex, with: card == "KD" ? "KH" : "KD")
            let failure = try Self.verify(changed)
            #expect(failure.status == 1 && failure.output.contains("AssertionError: card "), "\(failure.output)")
        }
        #expect(ledger.imbalance == 0)
    }

    private static func verify(_ lines: String) throws -> (status: Int32, output: String) {
        let scratch = ScratchFolder()
        return try withExtendedLifetime(scratch) { try run(verifier.path, [], input: scratch.file("lines", lines)) }
    }

    private static let verifier = root.appending(path: "Tests/EndToEndTests/Python/verify.py")

    @Test func theVerifierOnThePage_isTheTestedOne_in40Lines() throws {
        let document = try String(contentsOf: root.appending(path: "Sources/Wire/Wire.docc/Shuffle.md"), encoding: .utf8)
        let code = try #require(document.matches(of: /```python\n(import hashlib[\s\S]*?)```/).first.map { String($0.1) })
        #expect(try String(contentsOf: Self.verifier, encoding: .utf8).contains(code))
        let lines = code.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) && !$0.contains("\"\"\"") }
        #expect(lines.count <= 40)
    }

    /// Every vector on the page is one of the file's, or of the two that ``FairnessTests`` add to them.
    @Test func theVectorsOnThePage_areTheTestedOnes() throws {
        let document = try String(contentsOf: root.appending(path: "Sources/Wire/Wire.docc/Shuffle.md"), encoding: .utf8)
        let vectors = try String(contentsOf: root.appending(path: "Tests/FairnessTests/Golden/bj1.json"), encoding: .utf8)
        let tests = try String(contentsOf: root.appending(path: "Tests/FairnessTests/VectorTests.swift"), encoding: .utf8)
        let table = try #require(document.firstMatch(of: /\| value \| digits \|\n([\s\S]*?)\n\n/)).1
        let values = table.matches(of: /`([0-9a-f]{64}|[2-9TJQKA][SHDC] [^`]*)`/).map { String($0.1) }
        #expect(values.count == 10)
        for value in values { #expect(vectors.contains(value) || tests.contains(value), "\(value)") }
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
                #expect(status == 0 && output == "20 rounds, 1000 chips at the start\n", "\(output)")
            }
        }
        #expect(ledger.imbalance == 0)
    }

    @Test func theGeneratedModule_hasTheTablesOfTheRecordedDiffs() throws {
        let script = """
            import json, runpy, sys
            table = runpy.run_path(sys.argv[1], run_name="module")["Table"]()
            for count, record in enumerate(map(json.loads, open(sys.argv[2])), 1):
                table.take(record["line"])
                assert table.items == record["items"] and not table.torn, record
            print(count > 100)
            """
        try Self.withModule { path in
            let file = path + ".diffs.py"
            try script.write(toFile: file, atomically: true, encoding: .utf8)
            let diffs = root.appending(path: "Tests/WireTests/Golden/diffs.jsonl").path
            let (status, output) = try Self.run(file, [path, diffs])
            #expect(status == 0 && output == "True\n", "\(output)")
        }
    }

    @Test func theGeneratedModule_countsTheChipsOfAKeptSeat_withWhatIsBet() throws {
        let script = #"""
            import runpy, sys
            module = runpy.run_path(sys.argv[1], run_name="module")
            class Kept:
                def __init__(self, host, port, take):
                    asked = {"phase": "playing", "p2": {"chips": 960}, "b1.1": 5, "b2.1": 10, "b2.2": 10, "r2.2": {"net": 10}}
                    self.take, self.tables = take, iter([asked, {"phase": "waiting", "p2": {"chips": 9}}])
                login = lambda self, *words, **more: {"chips": 0, "table": "main", "seats": [2]}
                sit = lambda self: {"seat": 2}
                logout = lambda self: None
                def receive(self):
                    self.take({"type": "snapshot", "table": "main", "epoch": "e", "rev": 1, "items": next(self.tables)})
            module["play"].__globals__["Connection"] = Kept
            module["play"]("", 0, 0, "kept")
            """#
        try Self.withModule { path in
            try script.write(toFile: path + ".kept.py", atomically: true, encoding: .utf8)
            let (status, output) = try Self.run(path + ".kept.py", [path])
            #expect(status == 0 && output == "0 rounds, 970 chips at the start\n", "\(output)")
        }
    }

    /// A server that sends a line without an end, one that is no message, or one for the terminal ends the client, which shows nothing of it raw.
    @Test func aHostileServer_isBounded_andReachesNoTerminalRaw() throws {
        let script = """
            import io, resource, runpy, sys
            module = runpy.run_path(sys.argv[1], run_name="module")
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            class Endless(io.RawIOBase):
                def readable(self):
                    return True
                def readinto(self, buffer):
                    buffer[:] = b"x" * len(buffer)
                    return len(buffer)
            class Peer:
                def __init__(self, stream):
                    self.recv, self.gettimeout = stream.read, lambda: 20
            def told(lines):
                module["socket"].create_connection = lambda address, timeout: Peer(lines)
                connection = module["Connection"]("", 0)
                try:
                    return connection.receive()
                except module["Closed"] as closed:
                    return str(closed)
            print(told(io.BufferedReader(Endless())))
            for line in (b"[" * 100000 + b"\\n", b"[]\\n", b"{}\\n", b"x\\n", b"\\xff\\n", b"{"):
                print(told(io.BytesIO(line)))
            print(told(io.BytesIO(b'{"type":"bye","code":"\\\\u001b[2J\\\\u202e"}\\n')))
            print(module["Refused"]({"to": "sit", "code": "\\x1b]0;x\\x07", "message": "\\u202eolleh"}))
            """
        try Self.withModule { path in
            let file = path + ".hostile.py"
            try script.write(toFile: file, atomically: true, encoding: .utf8)
            let (status, output) = try Self.run(file, [path])
            let none = String(repeating: "a line that is not a message\n", count: 5)
            #expect(status == 0, "\(output)")
            #expect(
                output == "a line that is too long\n" + none + "closed\n" + #"\u{1b}[2J\u{202e}"# + "\n"
                    + #"sit: \u{1b}]0;x\u{7}: \u{202e}olleh"# + "\n", "\(output)")
        }
    }

    /// Its clock is advanced by the time that it waits.
    @Test func theGeneratedModule_livesThroughSilence_andEndsWithAServerThatDoesNotAnswer() throws {
        let script = """
            import runpy, socket, sys
            module = runpy.run_path(sys.argv[1], run_name="module")
            class Server:
                now, wait, answers, pings, out = 0.0, 20.0, True, [], b'{"type":"hello","idleSeconds":15}\\n{"type":'
                def settimeout(self, seconds):
                    self.wait = seconds
                def gettimeout(self):
                    return self.wait
                def sendall(self, line):
                    self.pings.append((round(self.now), line))
                    self.out += b'"x"}\\n{"type":' if self.answers else b""
                def recv(self, size):
                    if not self.out:
                        self.now += self.wait
                        raise socket.timeout
                    out, self.out = self.out[:7], self.out[7:]
                    return out
            server = Server()
            module["socket"].create_connection = lambda address, timeout: server
            module["time"].monotonic = lambda: server.now
            connection = module["Connection"]("", 0)
            print([connection.receive()["type"] for _ in range(31)][-2:], server.pings[:2], len(server.pings))
            server.answers = False
            try:
                connection.receive()
            except module["Closed"] as closed:
                print(closed, server.now)
            """
        try Self.withModule { path in
            let file = path + ".silent.py"
            try script.write(toFile: file, atomically: true, encoding: .utf8)
            let (status, output) = try Self.run(file, [path])
            let ping = #"b'{"type": "ping"}\n'"#
            #expect(status == 0 && output == "['x', 'x'] [(5, \(ping)), (10, \(ping))] 30\nno answer 210.0\n", "\(output)")
        }
    }

    @Test func theBotOfTheReadme_playsTenRoundsTwice_withOneAccount_whoseSecretIsForItsUserAlone() async throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let code = try #require(readme.firstMatch(of: /```python bot.py\n([\s\S]*?)```/)).1
        #expect(code.split(separator: "\n").count <= 9)
        // Half of it in a match, which ends meanwhile.
        _ = try await withServer(requests: .unreached, match: 10) { port in
            try Self.withModule { path in
                let folder = URL(filePath: path).deletingLastPathComponent()
                try code.write(to: folder.appending(path: "bot.py"), atomically: true, encoding: .utf8)
                for _ in 0..<2 {
                    let process = Tool.process(python ?? "", ["bot.py", "127.0.0.1", port])
                    process.currentDirectoryURL = folder
                    let ending = try process.ending()
                    #expect(ending.status == 0 && ending.text.hasPrefix("10 rounds, "), "\(ending.text)")
                }
                let secret = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "robin.secret").path)
                #expect(secret[.posixPermissions] as? Int == 0o600 && secret[.size] as? Int == 64)
            }
        }
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
        // A request is three lines; the others are read in a sitting.
        let lines = Catalog.pythonModule.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(lines - 3 * ClientMessage.types.count <= 185)
        #expect(Catalog.pythonModule == Catalog.pythonModule)
    }
}

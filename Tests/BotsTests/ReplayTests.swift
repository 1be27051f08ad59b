import CommandLineKit
import Rules
import ServerCore
import Sockets
import Synchronization
import TestKit
import Testing

@testable import LoadGenerator
@testable import Referee

/// Plays a script against a server of this process.
private func replay(_ text: String, rules: HouseRules = .patient, patience: Int64 = 120_000) async throws
    -> ReplaySession.Outcome
{
    let script = try ReplayScript(parsing: text, name: "a.txt")
    var shards = ShardConfiguration(tables: [.init(name: "main", rules: rules)])
    shards.settledMilliseconds = 1
    var options = Server.Options.onAFreePort
    options.seed = 36
    let server = Server(shards: shards, options: options)
    let port = try server.start().port
    let loop = Loop(label: "replay")
    let kept = Mutex<LoopConfined<ReplaySession>?>(nil)
    let outcome = await withCheckedContinuation { done in
        let session = ReplaySession(script, player: "ann", host: "127.0.0.1", port: port, loop: loop, timeout: patience) {
            done.resume(returning: $0)
        }
        let handle = LoopConfined(sending: session, on: loop)
        kept.withLock { $0 = handle }
        handle.perform { $0.start() }
    }
    loop.stop()
    await withCheckedContinuation { done in server.stop { done.resume() } }
    return outcome
}

@Test(.ownThread) func aScript_isPlayedStepByStep() async throws {
    let outcome = try await replay(
        """
        # A hand, a lost connection, and what is left of it.
        < {"type":"hello","features":"*"}
        > {"type":"login","name":"$name","secret":"$secret","id":1}
        < {"type":"ok","to":"login","name":"ann","id":1}
        > {"type":"sit","id":2}
        until betting
        > {"type":"bet","amount":10,"id":3,"round":0}
        until asked
        > {"type":"act","action":"stand","id":4,"turn":1}
        < {"type":"diff"}
        wait 5ms
        cut
        > {"type":"login","name":"$name","secret":"$secret"}
        < {"type":"ok","to":"login","seats":[1]}
        > nonsense
        < {"type":"error","code":"invalid_json"}
        """)
    #expect(outcome.failure == nil && outcome.violations.isEmpty && outcome.lines > 8, "\(outcome)")
}

@Test(.ownThread) func aSessionThatGoesOtherwise_namesTheLineAndWhatWasWaitedFor() async throws {
    let outcome = try await replay("> {\"type\":\"ping\"}\n\n< {\"type\":\"jackpot\"}", patience: 50)
    #expect(outcome.failure == "line 3: waited 50 ms for a line with {\"type\":\"jackpot\"}" && !outcome.isUnreachable)
    let ended = try await replay("> {\"type\":\"login\",\"name\":\"$name\"}\n> {\"type\":\"logout\"}\nuntil asked")
    #expect(ended.failure?.hasPrefix("line 3: the connection ended") == true, "\(ended)")
}

@Test(.ownThread) func theTranscriptOfASession_canBeReplayed() async throws {
    var transcript = Transcript()
    for (line, isSent) in [
        (#"{"type":"hello","server":"x","house":"0123456789abcdef"}"#, false), (#"{"type":"login","id":1,"name":"bob"}"#, true),
        (#"{"type":"ok","id":1,"to":"login","name":"bob","chips":1000}"#, false), (#"{"type":"sit","id":2}"#, true),
        (#"{"type":"ok","id":2,"to":"sit","table":"main","seat":1}"#, false), (#"{"type":"snapshot","table":"main"}"#, false),
        (#"{"type":"bet","id":3,"amount":10,"round":0}"#, true), (#"{"type":"ok","id":3,"to":"bet"}"#, false),
        (#"{"type":"diff","from":1,"to":2}"#, false), (#"{"type":"act","id":4,"action":"stand","turn":1}"#, true),
    ] {
        transcript.note(Array(line.utf8), isSent: isSent)
    }
    let outcome = try await replay(transcript.script(["saved"], name: "bob"))
    #expect(outcome.failure == nil && outcome.violations.isEmpty, "\(outcome)")
}

@Test(arguments: [
    ("> x\njump", "a.txt:2", "one of: > LINE"), ("< {", "a.txt:1:4", "a key in double quotes"),
    ("> x\n  < {", "a.txt:2:6", "a key in double quotes"),
    ("wait soon", "a.txt:1", "'wait' with a time"),
    ("until midnight", "a.txt:1", "until betting"), ("cut now", "a.txt:1", "cut"),
])
func aFaultyScript_isRefusedByLine(_ text: String, _ place: String, _ part: String) {
    let error = #expect(throws: FileError.self) { try ReplayScript(parsing: text, name: "a.txt") }
    #expect(
        error?.description.contains(place) == true && error?.description.contains(part) == true, "\(String(describing: error))")
}

@Test func aPattern_isMatchedByWhatHasAtLeastAsMuch() throws {
    func matches(_ value: String, _ pattern: String) throws -> Bool {
        try JSONTree(parsing: value.utf8).matches(JSONTree(parsing: pattern.utf8))
    }
    #expect(try matches(#"{"a":1,"b":[1,{"c":2}]}"#, #"{"b":["*",{}]}"#))
    #expect(try !matches(#"{"a":1}"#, #"{"a":2}"#) && !matches(#"{"a":1}"#, #"{"b":"*"}"#) && !matches("[1]", "[1,2]"))
}

import Sockets
import TestKit
import Testing

@testable import Bots
@testable import LoadGenerator

// Extreme values in files and flags: used as meant or refused with a reason; nothing traps.

private let digits = String(repeating: "9", count: 400)

@Test(arguments: [
    "p99<\(digits)s", "p99<1e9ms", "p99<nans", "p99<", "pnan<1s", "p101<1s", "p<1s", "p99=1s", "p99>=1s", "p99>50", "errors>0ms",
    "errors<nan",
    "errors<\(digits)", "errors<0x10", "rounds/s>", "speed>3", "errors", "", ">", "mean>1m", "max>-1s",
])
func aConditionOfNoUse_isRefused(_ text: String) { #expect(FailureCondition(text) == nil) }

@Test func aFigureTooLargeForDigits_isWrittenAsAPowerOfTen() {
    #expect(fixed(1e300, 2) == "1e+300" && fixed(-1e300, 0) == "-1e+300" && fixed(4e18, 3) == "4000000000000000000")
    #expect(
        spoken(microseconds: -1e300) == "-1e+294 s" && plain(1e308) == "1e+308" && plain(1200) == "1200" && plain(12.34) == "12.3"
            && plain(-0.04) == "0")
}

/// The report of a crew whose bots get no hello.
private func unreached(port: Int, greetingTimeout: Int64) async -> BotCrew.Report {
    let loop = Loop(label: "bots")
    let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
    var options = BotCrew.Options(host: "127.0.0.1", port: port, bots: 3, rounds: 1)
    options.greetingTimeout = greetingTimeout
    let report = await withCheckedContinuation { done in
        crew.perform { [options] crew in crew.start(options) { done.resume(returning: $0) } }
    }
    loop.stop()
    return report
}

/// Accepts and says nothing.
private func silentListener(on loop: Loop) throws -> Int {
    try loop.performAndWait { () -> Result<Int, SocketError> in
        Result { () throws(SocketError) in try Listener(host: "127.0.0.1", port: 0, loop: loop) { _ in }.address.port }
    }.get()
}

@Test(.ownThread) func botsThatAreRefusedAtFirst_giveUpAtOnce_withOneReason() async throws {
    // No time-out comes: the refusal alone ends the run.
    let closed = try ClosedPort()
    let report = await unreached(port: closed.number, greetingTimeout: 3_600_000)
    #expect(report.isUnreachable && report.bots == 3 && report.errors.count == 1)
    #expect(report.errors.first?.contains("Connection refused") == true)
}

@Test(.ownThread) func aServerThatSaysNothing_isGivenUp() async throws {
    let loop = Loop(label: "silent")
    let port = try silentListener(on: loop)
    let report = await unreached(port: port, greetingTimeout: 20)
    #expect(report.isUnreachable && report.errors.first?.contains("is not a blackjack server") == true)
    let fault = #expect(throws: SocketError.self) { try Lobby.ask("127.0.0.1", port, timeout: 20) }
    #expect(fault?.description == "cannot ask 127.0.0.1:\(port): it accepts connections but sends nothing")
    loop.stop()
}

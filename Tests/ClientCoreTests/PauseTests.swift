import Testing
import Wire

@testable import ClientCore

/// Logs in again and again at a server that ends each connection soon after it.
private func pauses(_ count: Int, lasting: Int64 = 100, jitter: UInt64 = 0, _ end: (inout Talk, Int64) -> Void) -> [Int64] {
    var talk = Talk({ ($0.retries, $0.jitterSeed, $0.pingInterval) = (.max, jitter, nil) }, hello: false)
    var (pauses, now): ([Int64], Int64) = ([], 0)
    for _ in 0..<count {
        talk.greet(at: now)
        talk.acceptLogin(at: now)
        now += lasting
        end(&talk, now)
        guard case .lost = talk.session.status.link else { break }
        pauses.append((talk.armed ?? 0) - now)
        now = talk.armed ?? now
        talk.note(talk.session.tick(at: now))
    }
    return pauses
}

private func goodbye(_ talk: inout Talk, _ now: Int64) {
    talk.take(.bye(code: GoodbyeCode.shuttingDown.rawValue, message: "Bye."), at: now)
    talk.note(talk.session.connectionLost(.connection("closed"), at: now))
}

@Test func aServerThatSendsEverybodyAway_isTriedAgainAfterGrowingPauses_howeverOftenItTakesTheLogin() {
    #expect(pauses(8, goodbye) == [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    #expect(pauses(3, lasting: 10_000, goodbye) == [250, 250, 250], "a steady connection forgets")
    #expect(
        pauses(3) { $0.note($0.session.connectionLost(.connection("cut"), at: $1)) } == [250, 250, 250], "a network that breaks")
    let jittered = pauses(8, jitter: 7, goodbye)
    #expect(zip(jittered, pauses(8, goodbye)).allSatisfy { $0 <= $1 && $0 >= $1 - $1 / 4 } && jittered != pauses(8, goodbye))
    #expect(jittered != pauses(8, jitter: 8, goodbye))
}

@Test func aServerThatBreaksTheProtocol_isGivenUp_withTheReason() {
    var last: LinkState?
    let times = pauses(9) {
        $0.note($0.session.connectionLost(.malformed(.invalidText(reason: "A line is not JSON.")), at: $1))
        last = $0.session.status.link
    }
    #expect(times == [250, 500, 1_000])
    #expect(last == .ended("the server does not speak the protocol: A line is not JSON"))
}

import TestKit
import Testing

@testable import ServerCore

private let pages = OperatorPages(metrics: { "bj_up 1\n" }, unreadiness: { nil })

private struct Answer {
    var status = 0
    var fields: [String: String] = [:]
    var body = ""
}

/// The answers in a stream of bytes; what HEAD asked for has no body.
private func answers(_ bytes: [UInt8], heads: Set<Int> = []) -> [Answer] {
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    var answers: [Answer] = []
    while let end = rest.firstRange(of: "\r\n\r\n") {
        let lines = rest[..<end.lowerBound].split(separator: "\r\n")
        var answer = Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1)
            answer.fields[String(parts[0])] = String(parts[1])
        }
        rest = rest[end.upperBound...]
        let length = heads.contains(answers.count) ? 0 : Int(answer.fields["Content-Length"] ?? "") ?? -1
        answer.body = String(decoding: rest.utf8.prefix(length), as: UTF8.self)
        rest = rest[(rest.utf8.index(rest.startIndex, offsetBy: length))...]
        answers.append(answer)
    }
    #expect(rest.isEmpty)
    return answers
}

private func ask(_ text: String, _ pages: OperatorPages = pages) -> (answers: [Answer], closes: Bool) {
    var conversation = HTTPConversation()
    let step = conversation.receive(Array(text.utf8)) { pages.response(to: $0) }
    return (answers(step.output), step.closes)
}

private let host = "Host: x\r\n\r\n"

@Test func theThreePagesAreThere() {
    let (all, closes) = ask(
        "GET /metrics HTTP/1.1\r\n\(host)GET /livez HTTP/1.1\r\n\(host)GET /readyz?verbose HTTP/1.1\r\n\(host)")
    #expect(all.map(\.status) == [200, 200, 200] && all.map(\.body) == ["bj_up 1\n", "ok\n", "ok\n"] && !closes)
    #expect(all[0].fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
}

@Test func whoIsNotReadySaysWhyWith503() {
    let draining = OperatorPages(metrics: { "" }, unreadiness: { "draining" })
    let (all, _) = ask("GET /readyz HTTP/1.1\r\n\(host)GET /livez HTTP/1.1\r\n\(host)", draining)
    #expect(all.map(\.status) == [503, 200] && all[0].body == "draining\n")
}

@Test func headTellsTheLengthAndSendsNoBody() {
    var conversation = HTTPConversation()
    let step = conversation.receive(Array("HEAD /metrics HTTP/1.1\r\n\(host)".utf8)) { pages.response(to: $0) }
    #expect(answers(step.output, heads: [0]).first?.fields["Content-Length"] == "8")
}

@Test(arguments: [
    ("GET /nothing HTTP/1.1\r\n\(host)", 404, false), ("POST /metrics HTTP/1.1\r\n\(host)", 405, false),
    ("BREW /metrics HTTP/1.1\r\n\(host)", 405, false), ("GET /livez HTTP/1.0\r\n\r\n", 200, true),
    ("GET /livez HTTP/1.0\nConnection: keep-alive\n\n", 200, false),
    ("GET /livez HTTP/1.1\r\nConnection: Foo, Close\r\n\(host)", 200, true),
    ("GET http://h:9/livez HTTP/1.1\r\n\(host)", 200, false), ("GET http://h HTTP/1.1\r\n\(host)", 404, false),
    ("OPTIONS * HTTP/1.1\r\n\(host)", 404, false), ("\r\n\r\nGET /livez HTTP/1.1\r\n\(host)", 200, false),
    ("GET /livez HTTP/1.1\r\nContent-Length: 0\r\n\(host)", 200, false),
    ("GET /livez HTTP/2.0\r\n\(host)", 505, true), ("GET /livez HTTP/0.9\r\n\(host)", 505, true),
    ("PRI * HTTP/2.0\r\n\r\n", 505, true), ("GET /livez\r\n\r\n", 400, true), ("GET  /livez HTTP/1.1\r\n\(host)", 400, true),
    ("GET livez HTTP/1.1\r\n\(host)", 400, true), ("GET /livez http/1.1\r\n\(host)", 400, true),
    ("GET /livez HTTP/1.1\r\n\r\n", 400, true),
    ("GET /livez HTTP/1.1\r\nHost: a\r\n\(host)", 400, true), ("GET /livez HTTP/1.1\r\nHost : a\r\n\r\n", 400, true),
    ("GET /livez HTTP/1.1\r\nA: b\r\n c\r\n\(host)", 400, true), ("GET /livez HTTP/1.1\r\nA: b\rc\r\n\(host)", 400, true),
    ("GET /livez HTTP/1.1\r\nnothing\r\n\(host)", 400, true), ("G(T /livez HTTP/1.1\r\n\(host)", 400, true),
    ("GET /livez\u{0} HTTP/1.1\r\n\(host)", 400, true), ("GET /livez HTTP/1.1\r\nContent-Length: 1x\r\n\(host)", 400, true),
    ("POST /livez HTTP/1.1\r\nContent-Length: 5\r\n\(host)GET /", 413, true),
    ("POST /livez HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\(host)", 413, true),
    ("GET /" + String(repeating: "a", count: 9_000), 431, true),
    ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 9_000) + "\r\n\(host)", 431, true),
])
func eachRequestHasItsStatus(_ text: String, _ status: Int, _ closes: Bool) {
    let result = ask(text)
    #expect(result.answers.map(\.status) == [status] && result.closes == closes, "\(text.prefix(60))")
    #expect((result.answers.first?.fields["Connection"] == "close") == closes)
}

@Test func aMethodThatIsNotAllowedIsToldWhichAre() {
    #expect(ask("DELETE /livez HTTP/1.1\r\n\(host)").answers.first?.fields["Allow"] == "GET, HEAD")
}

@Test func requestsAreAnsweredHoweverTheyAreCut() {
    let text = Array(
        "GET /livez HTTP/1.1\r\n\(host)\r\nHEAD /metrics HTTP/1.1\r\nA:\t b \r\n\(host)GET /no HTTP/1.1\r\n\(host)".utf8)
    var reference = HTTPConversation()
    let expected = reference.receive(text) { pages.response(to: $0) }.output
    for cut in 0...text.count {
        var conversation = HTTPConversation()
        let first = conversation.receive(text[..<cut]) { pages.response(to: $0) }
        let second = conversation.receive(text[cut...]) { pages.response(to: $0) }
        #expect(first.output + second.output == expected, "cut at \(cut)")
    }
    var conversation = HTTPConversation()
    let single = text.flatMap { byte in conversation.receive([byte]) { pages.response(to: $0) }.output }
    #expect(single == expected)
}

@Test func pipeliningAndKeepingAliveAreBounded() {
    let request = "GET /livez HTTP/1.1\r\n\(host)"
    let (many, closes) = ask(String(repeating: request, count: 50))
    #expect(many.count == HTTPConversation.pipelineLimit && closes && many.last?.fields["Connection"] == "close")
    var conversation = HTTPConversation()
    var answered = 0
    var closed = false
    while !closed, answered < 1_000 {
        let step = conversation.receive(Array(request.utf8)) { pages.response(to: $0) }
        answered += 1
        closed = step.closes
    }
    #expect(answered == HTTPConversation.requestLimit)
    #expect(conversation.receive(Array(request.utf8)) { pages.response(to: $0) } == .init())
}

@Test func aRequestThatTakesTooLongIsToldAndAnIdleConnectionIsJustClosed() {
    var slow = HTTPConversation()
    _ = slow.receive(Array("GET /liv".utf8)) { pages.response(to: $0) }
    let step = slow.timeIsUp()
    #expect(answers(step.output).map(\.status) == [408] && step.closes)
    var idle = HTTPConversation()
    #expect(idle.timeIsUp() == .init(output: [], closes: true))
}

@Test func randomBytesAreAnsweredNotTrappedOn() {
    var draws = SeededGenerator()
    let base = Array("GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n".utf8)
    for _ in 0..<5_000 {
        var bytes = base + base
        for _ in 0..<Int.random(in: 1...6, using: &draws) {
            bytes[Int.random(in: 0..<bytes.count, using: &draws)] = UInt8.random(in: 0...255, using: &draws)
        }
        var conversation = HTTPConversation()
        let step = conversation.receive(bytes) { pages.response(to: $0) }
        #expect(!step.closes || !step.output.isEmpty, "seed \(Seed.value)")
    }
}

@Test func aFloodOfBlankLinesIsRefusedAtOnce() {
    for text in ["\n\n\n", "\r\n\r\n\r\n", String(repeating: "\n", count: 65_536), "\n\n\nGET /livez HTTP/1.1\r\n\(host)"] {
        let (all, closes) = ask(text)
        #expect(all.map(\.status) == [400] && closes)
    }
    // However it is cut, and between two requests.
    var conversation = HTTPConversation()
    let steps = [[10], [10], [10], [10]].map { bytes in conversation.receive(bytes as [UInt8]) { pages.response(to: $0) } }
    #expect(steps.map(\.closes) == [false, false, true, false])
    let (all, closes) = ask("GET /livez HTTP/1.1\r\n\(host)\r\n\r\n\r\nGET /livez HTTP/1.1\r\n\(host)")
    #expect(all.map(\.status) == [200, 400] && closes)
}

import TestKit
import Testing

@testable import ServerCore

private let pages = OperatorPages(metrics: { "bj_up 1\n" }, unreadiness: { nil })

/// The answer to a request: its status and its body.
private func ask(_ text: String, _ pages: OperatorPages = pages) -> (status: Int, head: String, body: String)? {
    guard let bytes = pages.answer(to: Array(text.utf8)) else { return nil }
    let answer = String(decoding: bytes, as: UTF8.self)
    guard let end = answer.firstRange(of: "\r\n\r\n") else { return (0, answer, "") }
    let (head, body) = (String(answer[..<end.lowerBound]), String(answer[end.upperBound...]))
    #expect(head.contains("\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"))
    return (Int(head.dropFirst(9).prefix(3)) ?? 0, head, body)
}

private let host = "Host: x\r\n\r\n"

@Test func theThreePagesAreThere() {
    let metrics = ask("GET /metrics HTTP/1.1\r\n\(host)")
    #expect(metrics?.status == 200 && metrics?.body == "bj_up 1\n")
    #expect(metrics?.head.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n") == true)
    for path in ["livez", "readyz?verbose"] {
        let page = ask("GET /\(path) HTTP/1.1\r\n\(host)")
        #expect(page?.status == 200 && page?.body == "ok\n")
    }
    let draining = ask("GET /readyz HTTP/1.1\r\n\(host)", OperatorPages(metrics: { "" }, unreadiness: { "draining" }))
    #expect(draining?.status == 503 && draining?.body == "draining\n")
}

@Test(arguments: [
    ("GET /nothing HTTP/1.1\r\n\(host)", 404), ("POST /metrics HTTP/1.1\r\n\(host)", 405), ("HEAD /livez HTTP/1.1\n\n", 405),
    ("GET /livez HTTP/1.0\r\n\r\n", 200), ("GET /livez HTTP/1.0\n\n", 200), ("GET /livez HTTP/1.1\r\n\(host)GET /no", 200),
    ("GET http://x:9/livez HTTP/1.1\r\n\(host)", 200), ("GET HTTP://x/livez?a=/b HTTP/1.1\r\n\(host)", 200),
    ("GET http://x HTTP/1.1\r\n\(host)", 404), ("GET /x://livez HTTP/1.1\r\n\(host)", 404),
    ("GET /livez HTTP/2.0\r\n\(host)", 400), ("PRI * HTTP/2.0\r\n\r\n", 400), ("GET /livez\r\n\r\n", 400),
    ("GET  /livez HTTP/1.1\r\n\(host)", 400), ("GET livez HTTP/1.1\r\n\(host)", 404), ("\n\n\n", 400),
    ("GET /livez\u{0} HTTP/1.1\r\n\(host)", 404), ("GET /" + String(repeating: "a", count: 9_000), 431),
    ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 9_000) + "\r\n\(host)", 431),
])
func eachRequestHasItsStatus(_ text: String, _ status: Int) { #expect(ask(text)?.status == status, "\(text.prefix(60))") }

@Test func anAnswerWaitsForTheEmptyLine() {
    let text = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    for count in 0..<text.utf8.count { #expect(pages.answer(to: Array(text.utf8.prefix(count))) == nil) }
    #expect(ask(text)?.status == 200 && ask("DELETE /livez HTTP/1.1\n\n")?.head.contains("\r\nAllow: GET") == true)
}

@Test func randomBytesAreAnsweredNotTrappedOn() {
    var draws = SeededGenerator()
    for _ in 0..<5_000 {
        var bytes = Array("GET /livez HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n".utf8)
        for _ in 0..<Int.random(in: 1...6, using: &draws) {
            bytes[Int.random(in: 0..<bytes.count, using: &draws)] = UInt8.random(in: 0...255, using: &draws)
        }
        #expect(pages.answer(to: bytes)?.starts(with: "HTTP/1.1 ".utf8) != false, "seed \(Seed.value)")
    }
}

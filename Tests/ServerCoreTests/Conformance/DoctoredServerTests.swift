import Conformance
import Testing

@testable import ServerCore

/// A server behind somebody who breaks one rule: what goes in and what comes out pass through his hands.
private final class DoctoredStage: ServerKit.Stage {
    private let stage: VirtualStage
    private let doctor: Doctor
    private var pending: [String: [ServerKit.Event]] = [:]
    /// What the doctor remembers.
    private var memory = Doctor.Memory()

    init(_ stage: VirtualStage, _ doctor: Doctor) {
        self.stage = stage
        self.doctor = doctor
    }

    var now: Int { stage.now }
    func keep(requestsPerSecond: Int, burst: Int) {}

    func connect(_ who: String) throws(ServerKit.Unreachable) {
        pending[who] = nil
        try stage.connect(who)
    }

    func cut(_ who: String) { stage.cut(who) }

    func send(_ bytes: [UInt8], by who: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        stage.send(Array(doctor.request(text, &memory).utf8), by: who)
    }

    func next(_ who: String, within milliseconds: Int) -> ServerKit.Event {
        let deadline = stage.now + milliseconds
        while pending[who, default: []].isEmpty {
            let event = stage.next(who, within: max(0, deadline - stage.now))
            switch event {
            case .line(let line):
                let lines = doctor.line(String(decoding: line, as: UTF8.self), &memory)
                pending[who, default: []] += lines.map { .line(Array($0.utf8)) }
            case .closed where doctor.staysOpen: return .silence
            case .closed, .silence: return event
            }
        }
        return pending[who]?.removeFirst() ?? .silence
    }
}

/// One way to be wrong.
private struct Doctor: CustomTestStringConvertible {
    struct Memory {
        var held: String?
        var count = 0
    }

    let name: String
    /// The transcripts that are to find it.
    let only: String
    /// Whether what it says is something that no server may say, whatever was asked.
    var isBreach = false
    var staysOpen = false
    var request: @Sendable (String, inout Memory) -> String = { line, _ in line }
    var line: @Sendable (String, inout Memory) -> [String] = { line, _ in [line] }

    var testDescription: String { name }

    static func replacing(
        _ name: String, _ only: String, isBreach: Bool = false, _ old: String, _ new: String
    ) -> Doctor {
        Doctor(name: name, only: only, isBreach: isBreach, line: { line, _ in [line.replacing(old, with: new)] })
    }

    static func dropping(_ name: String, _ only: String, isBreach: Bool = false, _ part: String) -> Doctor {
        Doctor(name: name, only: only, isBreach: isBreach, line: { line, _ in line.contains(part) ? [] : [line] })
    }

    static let all: [Doctor] = [
        Doctor(
            name: "forgets ids", only: "requests/an-id*",
            line: { line, _ in [line.replacing(/^{"type":"ok","id":("[^"]*"|-?[0-9]+)/, with: #"{"type":"ok""#)] }),
        Doctor(
            name: "answers twice", only: "requests/ping*",
            line: { line, _ in line.contains(#""to":"ping""#) ? [line, line] : [line] }),
        dropping("does not answer", "requests/ping*", #""id":2"#),
        replacing("calls refusals otherwise", "before-login/*", "not_logged_in", "forbidden"),
        replacing("takes a name for free that is not", "available/*", #""free":false"#, #""free":true"#),
        replacing("does not say what is legal", "split/of-what*", #""legal":"#, #""allowed":"#),
        replacing("does not say what may be tried again", "act/out-of-turn*", #","retryable":true"#, ""),
        replacing("does not say that it is the end", "lines/a-line-that-is-too-long*", #","fatal":true"#, ""),
        Doctor(name: "does not hang up", only: "lines/a-line-that-is-too-long*", staysOpen: true),
        dropping("goes without a word", "logout/says*", #""type":"bye""#),
        replacing("calls a wrong secret otherwise", "login/a-wrong-secret*", "wrong_secret", "wrong_password"),
        Doctor(
            name: "counts revisions wrongly", only: "act/seat-by-seat", isBreach: true,
            line: { line, _ in
                [line.replacing(/"type":"diff","from":([0-9]+)/) { #""type":"diff","from":\#((Int($0.1) ?? 0) + 1)"# }]
            }),
        dropping("loses diffs", "act/seat-by-seat", isBreach: true, #""clock""#),
        Doctor(
            name: "has wrong check values", only: "check/*", isBreach: true,
            line: { line, _ in [line.replacing(/"check":[0-9]+/, with: #""check":1"#)] }),
        Doctor(
            name: "has no check values", only: "check/*",
            line: { line, _ in [line.replacing(/"check":[0-9]+,/, with: "")] }),
        Doctor(
            name: "shows the hole card", only: "dealer/the-hole*",
            line: { line, _ in [line.replacing(#","??"]"#, with: #","2H"]"#)] }),
        Doctor(
            name: "shows another hand than the one dealt", only: "dealer/*", isBreach: true,
            line: { line, _ in [line.replacing(/"t1\.1":"[0-9]+"/, with: #""t1.1":"4""#)] }),
        Doctor(
            name: "cuts lines off", only: "before-login/what-needs-none*", isBreach: true,
            line: { line, _ in [line.contains(#""to":"lobby""#) ? String(line.dropLast(3)) : line] }),
        Doctor(
            name: "says hello without limits", only: "lines/the-server*", isBreach: true,
            line: { line, _ in [line.replacing(#""limits""#, with: #""bounds""#)] }),
        Doctor(
            name: "tells the table before the answer", only: "sit/takes-a-free*",
            line: { line, memory in
                if line.contains(#""to":"sit""#) {
                    memory.held = line
                    return []
                }
                guard let held = memory.held else { return [line] }
                memory.held = nil
                return [line, held]
            }),
        dropping("does not tell of the lobby", "lobby/tells*", #""type":"lobby","from""#),
        dropping("does not pass on what is said", "chat/everybody*", #""type":"chat""#),
        dropping("keeps to itself what was missed", "watch/what-was-missed*", #""type":"diff""#),
        Doctor(
            name: "writes down another win", only: "round/the-chips*", isBreach: true,
            line: { line, _ in [line.replacing(/"net":-?[0-9]+/, with: #""net":1"#)] }),
        Doctor(
            name: "takes a decision twice", only: "requests/a-decision-that-is-sent-again*",
            request: { line, memory in line.replacing(/"turn":[0-9]+/, with: "\"turn\":\(memory.count)") },
            line: { line, memory in
                if let turn = line.firstMatch(of: /"turn":([0-9]+)/) { memory.count = Int(turn.1) ?? 0 }
                return [line]
            }),
    ]
}

@Test(arguments: Doctor.all)
private func aServerThatBreaksARule_isFoundOut(_ doctor: Doctor) throws {
    let transcripts = kit.only([doctor.only])
    #expect(!transcripts.isEmpty)
    func outcomes(_ stage: (VirtualStage) -> any ServerKit.Stage) throws -> [ServerKit.Outcome] {
        let server = VirtualStage(VirtualServer(try ConformingServer.configuration(), seed: 3))
        let performer = ServerKit.Performer(stage: stage(server), options: ConformingServer.options())
        return try transcripts.map { try performer.perform($0) }
    }
    #expect(try outcomes { $0 }.allSatisfy { $0 == .passed })
    let found = try outcomes { DoctoredStage($0, doctor) }
    let isFoundOut = found.contains { outcome in
        switch outcome {
        case .failed: !doctor.isBreach
        case .broken: doctor.isBreach
        case .passed, .skipped: false
        }
    }
    #expect(isFoundOut, "\(found)")
}

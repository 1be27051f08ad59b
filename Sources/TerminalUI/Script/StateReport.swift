import ClientCore
import ClientSession
import Foundation
import Rules
import TableModel
import Wire

/// Lines of JSON for programs: events in words, the table, the link, the end. Pure; ASCII only. See ``JSONLines``.
enum StateReport {
    static var hello: String { line(Hello()) }

    /// `{"type":"event","event":"dealer","text":"The dealer draws 5."}`.
    static func event(_ sentence: Sentence) -> String {
        line(Event(event: "\(sentence.kind)", text: sentence.text.text))
    }

    /// The table as a whole; nil without one.
    static func table(_ state: ClientState) -> String? {
        guard let snapshot = state.snapshot, let table = state.table else { return nil }
        return line(Table(state, snapshot, table))
    }

    static func link(_ state: ClientState) -> String {
        let (word, reason): (String, String?) =
            switch state.link {
            case .connecting: ("connecting", nil)
            case .connected: ("connected", nil)
            case .loggedIn: ("loggedIn", nil)
            case .lost(let failure): ("lost", failure.description)
            case .ended(let reason): ("ended", "\(reason)")
            }
        let isSilent = state.silentSince == nil ? nil : true
        return line(Link(link: word, reason: reason, player: state.login?.name, silent: isSilent))
    }

    static func lobby(_ tables: [TableSummary]) -> String { line(Lobby(tables: tables.map { Lobby.Table($0) })) }

    /// A verdict on a shoe; nil for any other finding.
    static func shoe(_ finding: ShoeFinding) -> String? {
        switch finding {
        case .verified(let report): line(Shoe(report, "verified"))
        case .unproven(let report, let reason): line(Shoe(report, "unproven", "\(reason)"))
        case .failed(let report, let fault): line(Shoe(report, "dishonest", fault.description))
        case .evidence, .noCeremonies, .voided, .notIncluded, .seatLost, .namedUnanswered, .namedAfterRefusal, .revealTooSlow,
            .leftOpen, .rejectedOften:
            nil
        }
    }

    /// The outcome of a command.
    /// - Parameter revision: the first revision of the table with its effect.
    static func command(_ name: SafeText, revision: Int? = nil, _ refusal: Refusal? = nil) -> String {
        line(Command(command: name.text, done: refusal == nil, revision: revision, code: refusal?.code))
    }

    static func end(_ ending: TableSession.Ending) -> String {
        let summary = ending.summaries.isEmpty ? nil : ending.summaries.map(\.text).joined(separator: " ")
        return line(End(status: Int(ending.status), reason: ending.reason?.text, summary: summary))
    }

    /// A message of the protocol, as it came.
    static func message(_ message: ServerMessage) -> String {
        bounded(escaped(String(decoding: message.encoded().prefix { $0 != 0x0A }, as: UTF8.self)) + "\n")
    }

    static func line(_ form: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers always encode.
        guard let data = try? encoder.encode(form) else { preconditionFailure("texts and numbers always encode") }
        return bounded(escaped(String(decoding: data, as: UTF8.self)) + "\n")
    }

    /// A line that no honest server makes necessary says only that it is left out.
    private static func bounded(_ line: String) -> String {
        line.utf8.count <= JSONLines.longest ? line : "{\"type\":\"skipped\",\"bytes\":\(line.utf8.count)}\n"
    }

    /// A terminal that shows the lines gets no character beyond ASCII, of which some are controls.
    private static func escaped(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7F }) else { return json }
        var text = ""
        for unit in json.utf16 {
            if unit < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                text += "\\u" + unit.hexadecimal(digits: 4)
            }
        }
        return text
    }
}

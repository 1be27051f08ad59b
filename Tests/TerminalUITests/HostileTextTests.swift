import ClientCore
import Foundation
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Names, chat, tables and reasons of any bytes, on their way to sentences.
struct HostileTextTests {
    private let narrator = LinkNarrator(wording: Wording(hasKeys: false))
    /// Columns of a sentence at most.
    private let longest = 1000

    private func events(_ text: String) -> [ClientEvent] {
        let refusal = Refusal(type: "sit", .rule, code: "x", message: text)
        return [
            .chat(ChatLine(sequence: 1, name: text, text: text, time: 0)),
            .notice(HostNotice(HostNotice.kicked, name: text, reason: text, time: 0)),
            .notice(HostNotice(HostNotice.said, name: HostNotice.host, reason: text, time: 0)),
            .refused(refusal), .goodbye(code: text, message: text), .note(text),
            .reply(nil, .login(LoginReply(name: text, chips: 1))),
        ]
    }

    private func summary(_ text: String) -> TableSummary {
        TableSummary(
            name: text, seats: 7, freeSeats: 0, players: Array(repeating: text, count: 40), watchers: 0, rules: HouseRules(),
            owner: text)
    }

    private func table(_ text: String) -> TableSnapshot {
        TableSnapshot([
            .round(1), .phase(.playing), .closing(ClosingNotice(.server, reason: text)),
            .pause(TablePause(by: text, reason: text, until: 1)),
            .match(TableMatch(round: 1, rounds: 2, leads: [.init(name: text, net: 5)])),
            .rules(TableRules(HouseRules(), digest: "")), .player(1, Player(name: text, chips: 5)),
        ])
    }

    /// `BJ_THOROUGH=1` for 200,000 texts.
    @Test func nothingThatATerminalObeys_comesOut_andNoLineIsTooLong() throws {
        var generator = SeededGenerator()
        for number in 0..<Thorough.count(1_000, most: 200_000) {
            let text = HostileText.random(using: &generator)
            var state = ClientState()
            state.link = .loggedIn
            var sentences: [SafeText] = []
            for event in events(text) {
                sentences += narrator.sentences(from: state, to: ClientUpdate(state: state, event: event)).map(\.text)
            }
            sentences += [narrator.wording.summary(summary(text)), narrator.wording.closed(text, nil, keepsChips: true)]
            // The whole table is dearer.
            if number.isMultiple(of: 8) {
                let snapshot = table(text)
                let told = Narrator(me: "me", wording: narrator.wording).description(of: snapshot, table: text, now: 0)
                sentences += told.map(\.text)
            }
            for sentence in sentences {
                #expect(sentence.columns <= longest, "BJ_SEED=\(Seed.value) \(sentence.columns)")
                #expect(HostileText.isHarmless(sentence.text), "BJ_SEED=\(Seed.value) \(sentence.text.debugDescription)")
                #expect(sentence.inASCII.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "BJ_SEED=\(Seed.value)")
            }
        }
    }
}

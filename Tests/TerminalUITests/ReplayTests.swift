import ClientCore
import TableModel
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// Two rounds of ann and bob, with chat and a comment, as a recording.
struct ReplayTests {
    private let recording: Recording
    private let options: TableSession.Options

    init() throws {
        var scene = try Scene(me: "bob", cards: "9H 8S KD 7D 10C 5C 3S 2C 9H 8S KD 7D 10C 5C 3S 2C")
        var (text, revision) = (RecordedLine.header + "\n", 1)
        func add(_ message: ServerMessage) {
            text += RecordedLine.text(Array(message.encoded().dropLast()), at: Int64(revision) * 1000)
        }
        add(.snapshot(table: "main", epoch: "e", revision: 1, scene.snapshot))
        text += RecordedLine.comment("Bob \u{1B}[31mis late\n5 < {}")
        func step(_ play: (inout Scene) throws -> Void) throws {
            try play(&scene)
            guard let change = scene.change, case .changed(_, let difference) = change.origin else { return }
            revision += 1
            add(.diff(from: revision - 1, to: revision, check: change.new.check, difference, news: change.news))
        }
        for _ in 0..<2 {
            for seat in 1...2 { try step { try $0.bet(seat, 10) } }
            add(.chat(ChatLine(sequence: revision, name: "ann", text: "hello \(revision)", time: 0)))
            for seat in 1...2 { try step { try $0.stand(seat) } }
            try step { try $0.wait() }
        }
        recording = try Recording(Array(text.utf8))
        options = TableSession.Options(host: "", port: 0, name: .given(""))
    }

    private func told(from round: Int? = nil) -> String {
        var (text, options) = ("", options)
        options.replay = Replay(recording, from: round)
        options.replay?.tell(options) { text += $0 }
        return text
    }

    @Test func aRecording_isToldTwiceInTheSameWords_alsoFromARound() {
        let text = told()
        #expect(text == told())
        for words in ["Bob ?[31mis late 5 < {}\n", "ann bets 10.\n", "Round 2.\n", "<ann> hello 3\n"] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(!text.contains("You ") && !text.contains("missing") && !text.contains("\u{1B}"), "\(text)")
        let second = told(from: 2)
        #expect(
            second.hasPrefix("Table main, round 2, playing.\n") && !second.contains("hello 3")
                && second.contains("<ann> hello 8\n"))
        #expect(text.hasSuffix(second.suffix(120)))
    }

    private func press(_ key: Key, _ player: inout PlayerSession, at now: Int64) {
        if let intent = KeyMap(player).intent(for: key) { _ = player.handle(.intent(intent), at: now) }
    }

    @Test func aStepBack_showsThePlaceAsBefore_andAPauseWaits() throws {
        var options = options
        options.replay = Replay(recording, speed: 2)
        var (player, places) = (PlayerSession(options, .keys), [(TableSnapshot?, [Sentence])]())
        while let due = player.nextTick {
            _ = player.handle(.tick, at: max(due, 1_000_000))
            places.append((player.state.snapshot, player.messages))
        }
        #expect(
            places.count == recording.moments.count && player.now == 1_000_000 + (recording.moments.last?.time ?? 0) / 2 - 500)
        #expect(player.replay?.place.text == "end \(places.count)/\(places.count)")
        for place in places.indices.dropLast().reversed() {
            press(.left, &player, at: 2_000_000)
            #expect((player.state.snapshot, player.messages) == places[place])
        }
        #expect(player.nextTick == nil && player.replay?.place.text.hasPrefix("paused 1/") == true)
        press(.left, &player, at: 2_000_000)
        #expect(player.replay?.place.text.hasPrefix("paused 1/") == true && player.state.snapshot != nil)
        press(.down, &player, at: 2_000_000)
        let first = try #require(player.state.snapshot?.round?.number)
        press(.down, &player, at: 2_000_000)
        #expect((first, player.state.snapshot?.round?.number) == (1, 2))
        press(.up, &player, at: 2_000_000)
        #expect(player.state.snapshot?.round?.number == 1)
        press(.character(" "), &player, at: 2_000_000)
        #expect(player.nextTick != nil && player.state.seat == nil && player.deadline == nil)
        press(.character("?"), &player, at: 2_000_000)
        #expect(player.keyAnswer?.text.hasPrefix("Space pauses, left and right ") == true)
        press(.character("q"), &player, at: 2_000_000)
        #expect(player.stage == .ended)
    }
}

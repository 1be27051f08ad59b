import ClientCore
import Foundation
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// Clicks: from the bytes of the terminal to their effect.
struct MouseTests {
    @Test func reports_becomeClicks_howeverTheyAreCut() {
        let bytes = Array("x\u{1B}[<0;12;3M\u{1B}[<0;12;3m\u{1B}[<64;1;1M\u{1B}[<65;1;1My".utf8)
        let keys: [Key] = [.character("x"), .click(column: 11, row: 2), .wheelUp, .wheelDown, .character("y")]
        for cut in bytes.indices {
            var parser = KeyParser()
            let first = parser.feed(bytes[..<cut])
            let all = first + parser.feed(bytes[cut...])
            #expect(all == keys)
            #expect(!parser.isWaiting)
        }
    }

    @Test func otherReports_areNothing_andNeverAKey() {
        var parser = KeyParser()
        for report in ["<2;1;1M", "<35;4;4M", "<0;1;1m", "<99999999999999999999;1;1M"] {
            let keys = parser.feed(Array("\u{1B}[\(report)".utf8))
            #expect(keys.isEmpty, "\(report): \(keys)")
        }
        for report in ["<0;1M", "<0x"] {
            let keys = parser.feed(Array("\u{1B}[\(report)".utf8))
            #expect(keys == [.unknown])
        }
        let next = parser.feed([0x61])
        #expect(next == [.character("a")])
    }

    /// Each key on the screen, and its meaning where it has one, is a place to click.
    @Test func aHint_isClickable() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        try scene.bet(1, 10)
        let frame = scene.frame(80, 24)
        #expect(try target(frame, "hit") == .key(.character("h")))
        #expect(try target(frame, "stand") == .key(.character("s")))
        #expect(try target(frame, "? help") == .key(.character("?")))
        #expect(
            frame.target(column: 0, row: 0) == nil && frame.target(column: 79, row: 99) == nil
                && frame.target(column: -1, row: 1) == nil)
        _ = scene.press(.character("v"))
        #expect(try target(scene.frame(80, 24), "down") == .key(.down))
        #expect(try target(scene.frame(80, 24), "any other") == .key(.escape))
    }

    @Test(arguments: [(80, 24), (40, 18), (120, 36)])
    func aFreeSeat_isTakenByAClick_whenWatching(columns: Int, rows: Int) throws {
        var scene = try Scene(me: "zoe", chips: [1: 1000], cards: "TS TD 6H 7C")
        let frame = scene.frame(columns, rows)
        let seats = frame.lines.flatMap(\.spans).compactMap { span in
            if case .seat(let seat)? = span.target { seat } else { nil }
        }
        #expect(Set(seats) == [2, 3, 4, 5, 6, 7] && scene.view.canSit)
        scene.edit { $0.client.link = .connecting(attempt: 2) }
        #expect(!scene.view.canSit)
        let seated = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        #expect(!seated.view.canSit, "the house gives one seat to each")
    }

    @Test func aRowOfTheList_isSelected_andChosenByTheSecondClick() throws {
        let scene = try LobbyScene()
        var lobby = LobbyView()
        let frame = LobbyScreen(lobby, scene.view, size: ScreenSize(columns: 80, rows: 24)).frame
        #expect(try target(frame, "european") == .table("european"))
        let clicks = (0..<2).map { _ in lobby.click("european", scene.view.client) }
        #expect(clicks == [false, true])
        let isGone = !lobby.click("gone", scene.view.client)
        #expect(isGone)
    }

    @Test func theWheel_scrolls_andOpensTheLogAtTheTable() {
        #expect(Key.wheelUp.asKey(isAtTable: true) == .pageUp && Key.wheelDown.asKey(isAtTable: true) == nil)
        #expect(Key.wheelUp.asKey(isAtTable: false) == .up && Key.wheelDown.asKey(isAtTable: false) == .down)
        #expect(Key.enter.asKey(isAtTable: true) == .enter)
    }

    private func target(_ frame: Frame, _ words: String) throws -> ClickTarget? {
        for (row, line) in frame.lines.enumerated() {
            guard let range = line.text.range(of: words) else { continue }
            let column = String(line.text[..<range.lowerBound]).columns
            return frame.target(column: column, row: row)
        }
        throw Missing(words: words)
    }

    private struct Missing: Error { let words: String }
}

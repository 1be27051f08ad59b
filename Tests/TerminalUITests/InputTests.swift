import ClientCore
import TestKit
import Testing
import Wire

@testable import TerminalUI

struct KeyParserTests {
    @Test func keys_areRead() {
        var parser = KeyParser()
        let keys = parser.feed(Array("h\r\u{7F}\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[3~\u{1B}[1;5D\u{C}é王".utf8))
        #expect(
            keys == [
                .character("h"), .enter, .backspace, .up, .down, .right, .delete, .left, .control("l"), .character("é"),
                .character("王"),
            ])
    }

    /// ctlseqs, VT220-style function keys.
    @Test func theKeypadInApplicationMode_typesItsDigitsAndSigns() {
        let bytes = (Array("jklmnopqrstuvwxyXM".utf8)).flatMap { [0x1B, UInt8(ascii: "O"), $0] }
        var parser = KeyParser()
        #expect(parser.feed(bytes) == "*+,-./0123456789=".unicodeScalars.map { .character($0) } + [.enter])
    }

    @Test func keys_areTheSame_whereverTheBytesAreCut() {
        var generator = SeededGenerator()
        let pieces = ["h", "\u{1B}[A", "\u{1B}OB", "\u{1B}[15~", "é", "王", "🎲", "\r", "\u{1B}\u{1B}[C", "\u{1B}x", "\u{1B}[1;2H"]
        for _ in 0..<300 {
            var bytes = (0..<8).flatMap { _ in Array((pieces.randomElement(using: &generator) ?? "").utf8) }
            bytes.append(contentsOf: (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) })
            bytes.shuffle(using: &generator)
            var whole = KeyParser()
            let expected = whole.feed(bytes) + whole.flush()
            for cut in 0...bytes.count {
                var parser = KeyParser()
                #expect(
                    parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...]) + parser.flush() == expected, "BJ_SEED=\(Seed.value)")
            }
        }
    }

    @Test func loneEscape_isKnownByTheSilenceAfterIt() {
        var parser = KeyParser()
        #expect(parser.feed([0x1B]).isEmpty && parser.timeout == 50)
        #expect(parser.flush() == [.escape] && parser.timeout == nil)
        #expect(parser.feed([0xE7]).isEmpty && parser.flush().isEmpty)
        #expect(parser.feed(Array("\u{1B}[999999999999999999999~".utf8)).isEmpty)
    }

    @Test(arguments: ["\u{1B}[<0;1", "\u{1B}[<", "\u{1B}O", "\u{1B}[1;", "\u{1B}[?2026"])
    func aSequenceThatIsBrokenOff_takesNothingOfTheNextOne(_ start: String) {
        var parser = KeyParser()
        #expect(parser.feed(Array((start + "\u{1B}[Bh").utf8)) == [.down, .character("h")])
        #expect(parser.feed(Array((start + "\r").utf8)) == [.enter])
    }

    @Test(arguments: ["\u{1B}OP", "\u{1B}[P", "\u{1B}[11~"]) func theFirstFunctionKey_isHelp(sequence: String) throws {
        var parser = KeyParser()
        #expect(parser.feed(Array(sequence.utf8)) == [.f1])
        #expect(KeyMap(try Scene(cards: "2C").view).intent(for: .f1) == .perform(.help))
    }

    /// Late answers, reports, Alt combinations, other function keys: none is a key, in one piece or byte by byte.
    @Test func noSequence_isAKey_whereverItIsCut() {
        let sequences = [
            "\u{1B}]10;rgb:ffff/ffff/ffff\u{1B}\\", "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}Xsd\u{1B}\\",
            "\u{1B}^hd\u{1B}\\", "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[?62;1;4c", "\u{1B}[>0;276;0c", "\u{1B}[24;80R",
            "\u{1B}[?2026;2$y",
            "\u{1B}[97;5u", "\u{1B}[1;1:3A", "\u{1B}[0n", "\u{1B}[<0;10;20M", "\u{1B}[<0;10;20m", "\u{1B}[M sh", "\u{1B}[[A",
            "\u{1B}[15~", "\u{1B}OQ", "\u{1B}d", "\u{1B}é", "\u{1B}\r", "\u{1B}(B", "\u{1B}[I", "\u{1B}[8;24;80t",
            "\u{9D}10;dsh\u{7}",
        ]
        var generator = SeededGenerator()
        for sequence in sequences {
            let bytes = Array(sequence.utf8)
            for cut in 0...bytes.count {
                var parser = KeyParser()
                let keys = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
                #expect(keys.isEmpty && parser.timeout == nil, "\(sequence.debugDescription) cut at \(cut)")
            }
        }
        for _ in 0..<500 {
            let bytes = (0..<10).flatMap { _ in Array((sequences.randomElement(using: &generator) ?? "").utf8) }
            var (whole, single) = (KeyParser(), KeyParser())
            #expect(whole.feed(bytes + [0x68]) == [.character("h")], "BJ_SEED=\(Seed.value)")
            #expect(bytes.flatMap { single.feed([$0]) }.isEmpty, "BJ_SEED=\(Seed.value)")
        }
    }

    @Test func anUnfinishedString_endsBySilence_andActsOnNothing() {
        for start in ["\u{1B}]10;rgb", "\u{1B}P", "\u{1B}[24;", "\u{1B}O", "\u{1B}]1\u{1B}"] {
            var parser = KeyParser()
            #expect(parser.feed(Array(start.utf8)).isEmpty && parser.timeout == 1000)
            #expect(parser.flush().isEmpty && parser.feed([0x68]) == [.character("h")], "\(start.debugDescription)")
        }
    }

    // MARK: Pastes

    private func pasted(_ text: String) -> [UInt8] { Array("\u{1B}[200~\(text)\u{1B}[201~".utf8) }

    @Test func aPaste_isOneKey_whereverTheBytesAreCut() {
        let texts = ["hi\nds", "", "\u{1B}[A\u{1B}", "\u{1B}[201", "é王🎲\r\n", "\u{1B}\u{1B}[201x", "[201~"]
        for text in texts {
            let bytes = Array("a".utf8) + pasted(text) + Array("b".utf8)
            for cut in 0...bytes.count {
                var parser = KeyParser()
                let keys = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
                #expect(keys == [.character("a"), .paste(text), .character("b")], "\(text.debugDescription) cut at \(cut)")
            }
        }
    }

    @Test func aPasteWithoutItsEnd_endsBySilence_andALongOneIsCut() {
        var parser = KeyParser()
        #expect(parser.feed(Array("\u{1B}[200~sd".utf8)).isEmpty && parser.timeout == 1000)
        #expect(parser.flush() == [.paste("sd")] && parser.feed(Array("s\u{1B}[201~".utf8)) == [.character("s")])
        let long = parser.feed(pasted(String(repeating: "x", count: 100_000)))
        #expect(long == [.paste(String(repeating: "x", count: KeyParser.longestPaste))])
    }
}

/// The log of a session, which pushes nothing out without end.
struct MessageLogTests {
    @Test func theLog_hasABound_andOwnChatIsNotUnread() {
        var log = MessageLog()
        log.append(Sentence(.ownChat, "ann: hello"))
        #expect(log.unreadChat(below: 0) == 0)
        for number in 0..<2000 {
            log.append(Sentence(.chat, "line \(number)"))
            if number == 1000 { log.scroll(-100) }
        }
        #expect(log.sentences.count == MessageLog.limit && log.below < MessageLog.limit && log.newCount == MessageLog.limit)
        #expect(log.sentences.last?.text.text == "line 1999")
    }
}

struct PlayerCommandTests {
    @Test(arguments: [
        ("bet 10", PlayerCommand.bet(10)), ("  HIT ", .act(.hit, amount: nil)), ("double", .act(.double, amount: nil)),
        ("double 5", .act(.double, amount: 5)), ("insurance 3", .act(.insurance, amount: 3)), ("no", .act(.decline, amount: nil)),
        ("even", .act(.evenMoney, amount: nil)), ("sit", .sit(seat: nil)), ("sit 4", .sit(seat: 4)), ("out", .sitOut),
        ("in", .sitIn),
        ("bet max", .bet(nil)), ("max", .bet(nil)), ("status", .status), ("hands", .history), ("y", .history),
        ("t hello", .say("hello")),
        ("tables", .tables), ("rules", .rules), ("help", .help), ("leave", .leave),
        ("quit\r", .leave), ("table", .table),
    ])
    func words_areUnderstood(line: String, command: PlayerCommand) throws {
        #expect(try PlayerCommand(line: line) == command)
    }

    @Test(arguments: [
        ("bet", "Amount missing, for example 'bet 10'; 'bet 0' takes a bet back, 'bet max' bets the maximum."),
        ("mute \u{1B}", "'?' is not a player's name."),
        ("bet ten", "'ten' is not an amount."),
        ("bet -5", "'-5' is not an amount."), ("hit me", "'hit' takes no argument."),
        ("insure 5", "Unknown command 'insure'. Did you mean 'insurance'? 'help' lists the commands."),
        ("doubl", "Unknown command 'doubl'. Did you mean 'double'? 'help' lists the commands."),
        ("\u{1B}[2J", "Unknown command '?[2j'. 'help' lists the commands."),
        ("bet 1 2", "'bet' takes one number, for example 'bet 10'."), ("sit 1 2", "'sit' takes one number, for example 'sit 3'."),
        ("whats the time", "Unknown command 'whats'. 'help' lists the commands."),
        ("hti me", "Unknown command 'hti'. 'help' lists the commands."),
        ("lobbby low", "Unknown command 'lobbby'. Did you mean 'lobby'? 'help' lists the commands."),
        ("bet 99999999999999999999", "'99999999999999999999' is not an amount."),
    ])
    func wrongWords_getAClearSentence(line: String, sentence: String) {
        #expect(throws: PlayerCommand.Misunderstanding(text: SafeText(sentence))) { try PlayerCommand(line: line) }
    }

    @Test func emptyLine_isNothing() throws {
        #expect(try PlayerCommand(line: "  \t") == nil)
    }

    @Test func everyWord_isKnown() throws {
        for word in CommandWord.all {
            for name in word.names {
                let needsMore = !word.operands.isEmpty && !word.operands.text.hasPrefix("[")
                let command = try #require(try PlayerCommand(line: needsMore ? "\(name) 1" : name))
                #expect(command.word.names == word.names)
            }
        }
    }

    @Test func whatIsSaid_isTakenAsItIs_ifAllOfItCanBeSeen() throws {
        #expect(try PlayerCommand(line: "say  Good luck, Bob!\r") == .say("Good luck, Bob!"))
        for line in ["say", "say   ", "say \u{202E}x", "say " + String(repeating: "x", count: 201)] {
            #expect(throws: PlayerCommand.Misunderstanding.self) { try PlayerCommand(line: line) }
        }
        let long = PlayerCommand.Misunderstanding(
            text: "Not sent: 100000 characters. A text may have at most 200 characters and 800 bytes.")
        #expect(throws: long) { try PlayerCommand(line: "say " + String(repeating: "x", count: 100_000)) }
        #expect(throws: PlayerCommand.Misunderstanding(text: "Text missing, for example 'say good luck'.")) {
            try PlayerCommand(line: "say  ")
        }
    }
}

struct LinkNarratorTests {
    @Test func attempts_areToldMoreAndMoreRarely() {
        var (trying, lost) = (ClientState(), ClientState())
        lost.link = .lost(.silence)
        let count = (1...1000).count { attempt in
            trying.link = .connecting(attempt: attempt)
            return !told(.link, from: trying, to: lost).isEmpty
        }
        #expect(count == 8)
    }

    @Test func aGuest_hasNoHistory() {
        let refusal = Refusal(id: nil, type: "history", .init(.accountNeeded, "A guest has no history."))
        #expect(told(.refused(refusal)) == ["You are playing without an account, so the server keeps no history."])
    }

    @Test(arguments: ["SHOE 8 IS NOT HONEST", "Your hand", "The connection ended", "bjclient", "The host says"])
    func whatIsSaid_isNoSentenceOfTheClient_whateverTheSpeakerIsCalled(_ name: String) throws {
        #expect(try PlayerName(name).text == name)
        #expect(throws: ProtocolError.self) { try PlayerName(name + "<") }
        #expect(throws: ProtocolError.self) { try PlayerName(name + ", while") }
        let line = ChatLine(sequence: 1, name: name, text: String(repeating: "hello ", count: 8) + "SHOE 8", time: 0)
        let missed = CatchUp(epoch: "e", revision: 1, chat: [line])
        let notice = HostNotice(HostNotice.said, name: HostNotice.host, reason: line.text, time: 0)
        for (event, start) in [
            (.chat(line), "<\(name)> hello"), (.notice(notice), "<The host, to all> hello"),
            (.reply(nil, .watch(table: "main", missed)), "<\(name), while you were away> hello"),
        ] as [(ClientEvent, String)] {
            let told = try #require(told(event).first)
            #expect(told.hasPrefix(start))
            let lines = SafeText(told).paragraph(columns: 40)
            #expect(lines.count > 1 && lines.dropFirst().allSatisfy { $0.text.hasPrefix("  ") })
        }
    }

    @Test func aLongWait_isSaid_whereTheServerDoesNotSayItItself() {
        func words(_ message: String, _ wait: Int?) -> [String] {
            told(.refused(Refusal(type: "sit", .again, code: "rate_limited", message: message, retryAfter: wait)))
        }
        #expect(words("no room", 40_000) == ["No room. Try again in 40 seconds."])
        #expect(words("no room", 3_000) == ["No room."] && words("no room", nil) == ["No room."])
        #expect(words("too many requests: wait 40 seconds.", 40_000) == ["Too many requests: wait 40 seconds."])
    }

    @Test func refusals_areSentences_withNothingInThemThatATerminalObeys() {
        let refusal = Refusal(.rule, code: "x", message: "bad \u{1B}[2J thing")
        #expect(told(.refused(refusal)) == ["Bad ?[2J thing."])
    }

    @Test func newChips_areToldOf() {
        let sit = ClientEvent.reply(nil, .sit(table: "main", seat: 1, CatchUp(epoch: "e", revision: 1), rebuy: 1000))
        #expect(told(sit) == ["The house gives you 1000 new chips."])
        for (wait, time) in [(1, "1 second"), (90_000, "90 seconds"), (600_000, "10 minutes"), (3_540_001, "about 60 minutes")] {
            #expect(UniversalTime.duration(wait) == time)
        }
    }
}

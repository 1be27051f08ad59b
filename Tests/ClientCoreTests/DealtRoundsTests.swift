import ClientCore
import Fairness
import Rules
import TableModel
import TestKit
import Testing

/// Rounds of `bjserver history --json`.
struct DealtRoundsTests {
    private let scratch = ScratchFolder()

    /// Ann splits twice, and bob, who is insured, stands.
    private static let split = #"""
        {"table":"main","round":7,"shoe":1,"started":1795920183376,"ended":1795920183430,"sequence":16,"line":1,"dealer":["AH","6D","QD","2S"],"seats":[{"seat":2,"account":2,"name":"ann","bet":10,"hands":[{"cards":["2S","8C","KH"],"moves":[{"action":"split","amount":10},{"action":"split","amount":10},{"action":"double","amount":10,"card":"KH"}],"stake":20,"outcome":"win","paid":40,"net":20},{"cards":["2D","7C","AD"],"moves":[{"action":"hit","card":"AD"}],"stake":10,"outcome":"win","paid":20,"net":10},{"cards":["2C","7S"],"moves":[{"action":"stand"}],"stake":10,"outcome":"lose","paid":0,"net":-10}],"net":20},{"seat":3,"account":3,"name":"bob","bet":10,"insurance":{"stake":5,"paid":0},"hands":[{"cards":["8H","JC"],"moves":[{"action":"stand"}],"stake":10,"outcome":"lose","paid":0,"net":-10}],"net":-15}]}
        """#

    private func read(_ text: String) throws -> (notes: [String], tables: [TableChange]) {
        let recording = try DealtRounds.recording(of: Array(text.utf8), in: scratch.path)
        var (reader, notes, tables) = (RecordingReader(recording), [String](), [TableChange]())
        while let update = reader.next() {
            if case .note(let text) = update.event { notes.append(text) }
            if case .table(let change) = update.event { tables.append(change) }
        }
        return (notes, tables)
    }

    @Test func aRound_isDealtCardByCard_andEndsAsItEnded() throws {
        let (notes, tables) = try read(Self.split + "\n")
        let last = try #require(tables.last?.new)
        func cards(_ seat: Int, _ number: Int) -> String {
            last.cards(in: .hand(.init(seat: seat, number: number))).map { $0?.description ?? "??" }.joined(separator: " ")
        }
        #expect(notes == ["Round 7 at main, 2026-11-29 02:43 UTC"])
        #expect([cards(2, 1), cards(2, 2), cards(2, 3), cards(3, 1)] == ["2S 8C KH", "2D 7C AD", "2C 7S", "8H JC"])
        #expect(last.hands.map { last.result($0)?.net } == [20, 10, -10, -10] && last.hands.map(last.bet) == [20, 10, 10, 10])
        #expect(last.insuranceNet(3) == -5 && last.dealerTotal == .hard(19) && last.phase == .settled)
        // The deal, two splits, three second cards, a move of each hand, the insurance; the first table and the end.
        #expect(tables.count == 1 + 1 + 2 + 3 + 3 + 1 + 1 + 1)
        let unknown = try read(Self.split.replacing(/"moves":\[[^\]]*\]/, with: #""moves":[]"#) + "\n").tables.last?.new
        #expect(unknown?.hands.map { unknown?.cards(in: .hand($0)) } == last.hands.map { last.cards(in: .hand($0)) })
        let most = zip(tables, tables.dropFirst()).dropFirst().dropLast().map { old, new in
            new.new.hands.flatMap { new.new.cards(in: .hand($0)) }.count
                - old.new.hands.flatMap { old.new.cards(in: .hand($0)) }.count
        }
        #expect(most.allSatisfy { (0...1).contains($0) }, "\(most)")
    }

    @Test(arguments: [
        (#""AD""#, #""XX""#), (#""seat":3"#, #""seat":8"#), (#""seat":3"#, #""seat":2"#),
        (#""stake":5"#, #""stake":9223372036854775807"#),
        (#""round":7"#, #""round":-7"#), (#""table":"main""#, #""table":"\#(String(repeating: "x", count: 40))""#),
        (#""dealer""#, #""deal""#),
        (#"["2C","7S"]"#, "[]"), (#""hands":["#, #""hands":[],"more":["#), (#""net":-15}]}"#, #""net":-15}]"#),
    ])
    func aRoundThatNobodyPlayed_isRefused_orHarmless(old: String, new: String) throws {
        let text = Self.split + "\n" + Self.split.replacing(old, with: new) + "\n"
        do { _ = try read(text) } catch let error as Recording.Unreadable { return #expect(error.line == 2, "\(error)") }
        #expect(new == "[]", "\(old) \(new)")
    }

    @Test func aProofBesideIt_isVerified_andTheCardsAreLookedUpInItsOrder() throws {
        var house = try ShoeHouse()
        house.playAShoe()
        let report = try #require(house.verified.first)
        let (proof, rules) = (try #require(report.proof), try #require(report.watched.rules))
        let order = proof.key.order(decks: rules.decks).map { Card(code: $0).description }
        func round(_ number: Int, _ cards: [String]) -> String {
            let hand = #"{"cards":["\#(cards[0])","\#(cards[2])"],"moves":[],"stake":5,"outcome":"push","paid":5,"net":0}"#
            let seats = #"[{"seat":1,"name":"ann","bet":5,"hands":[\#(hand)]}]"#
            let start = #"{"table":"\#(report.table)","round":\#(number),"shoe":\#(report.shoe),"started":0,"ended":1,"#
            return start + #""dealer":["\#(cards[1])","\#(cards[3])"],"seats":\#(seats)}"# + "\n"
        }
        let text = round(1, Array(order[4...])) + round(2, Array(order[10...])) + round(3, order)
        #expect(try read(text).notes == (1...3).map { "Round \($0) at \(report.table), 1970-01-01 00:00 UTC" })
        let file = "\(report.table)-\(report.shoe).json"
        try scratch.file(file, ProofFile(report, nil).text)
        let verdict = "1970-01-01 00:00 UTC; shoe \(report.shoe): verified"
        let endings = [", these cards included", ", these cards included", ", but these cards do not follow in it"]
        let notes = try read(text).notes
        #expect(notes.count == 3 && zip(notes, endings).allSatisfy { $0.hasSuffix(verdict + $1) }, "\(notes)")
        try scratch.file(file, "{}")
        let unread = try read(text).notes
        #expect(unread.allSatisfy { $0.contains("the proof is unreadable: not a proof file") }, "\(unread)")
    }
}

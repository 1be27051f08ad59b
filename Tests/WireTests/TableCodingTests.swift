import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

struct TableCodingTests {
    @Test func everyIdentifier_hasItsOneSpelling() throws {
        var items: [TableItem] = [
            .round, .phase, .clock, .shoe, .cardsLeft, .rules, .dealerTotal, .card(0), .card(9), .card(10), .card(1_000_000),
        ]
        for seat in 1...7 {
            items += [.player(seat), .choice(seat), .insurance(seat), .insuranceResult(seat)]
            for hand in (1...4).map({ HandIdentifier(seat: seat, number: $0) }) {
                items += [.bet(hand), .total(hand), .result(hand)]
            }
        }
        for item in items {
            #expect(Array(item.wireName.utf8).withUnsafeBufferPointer { TableItem(wireName: $0) } == item)
        }
        #expect(Set(items.map(\.wireName)).count == items.count)
    }

    @Test(arguments: [
        "", "x", "c", "c01", "c-1", "c+1", "c1000001", "c99999999", "c1 ", "C1", "p", "p0", "p8", "p01", "p1.1", "b1", "b1.",
        "b1.0",
        "b1.5", "b0.1", "b8.1", "b11.1", "b1.11", "b1,1", "t1.1.1", "Round", "round ", "left_", "d3aler", "h1.1", "s1",
        "\u{661}",
        "p\u{661}", "c\u{661}", "cardcardcardcardcard",
    ])
    func whatIsNoItem_isRefused(_ text: String) {
        #expect(throws: ProtocolError.json(.mismatch("items", expected: "an item such as round, p3, b3.1 or c17"))) {
            try event(update(text, "1"))
        }
    }

    @Test(arguments: [
        "1", "[]", #"["dealer"]"#, #"["Dealer","KH"]"#, #"["h3.1","KH"]"#, #"["3","KH"]"#, #"["0.1","KH"]"#, #"["8.1","KH"]"#,
        #"["3.0","KH"]"#, #"["3.5","KH"]"#, #"["33.1","KH"]"#, #"["3.1",null]"#, #"["KH","3.1"]"#, #"["table","KH"]"#, #""KH""#,
    ])
    func whatIsNoPlaceOfACard_isRefused(_ content: String) {
        #expect(throws: ProtocolError.self) { try event(update("c3", content)) }
    }

    @Test(arguments: Card.deck) func everyCard_hasItsTwoCharacters(_ card: Card) throws {
        let line = ServerMessage.diff(
            from: 0, to: 1, check: nil, TableDifference(entries: [.card(3, .dealer, card)])
        ).encoded()
        #expect(text(line).contains("\"items\":{\"c3\":[\"dealer\",\"\(card)\"]}"))
    }

    @Test(arguments: ["K", "KHH", "10H", "kh", "1H", "KX", "?", "???", "\u{212A}H", ""]) func whatIsNoCard_isRefused(
        _ text: String
    ) {
        #expect(throws: ProtocolError.self) { try event(update("c3", "[\"dealer\",\"\(text)\"]")) }
    }

    @Test(arguments: [
        "22", "021", "-1", "soft 10", "soft 22", "soft  7", "soft", "bust 21", "bust 32", "Bust 22", "blackJack", "", "1e1",
        "hard 17", "+5", "07", "blackjack ", "soft  17", "bust 0x16",
    ])
    func whatIsNoTotal_isRefused(_ text: String) {
        #expect(throws: ProtocolError.self) { try event(update("dealer", "\"\(text)\"")) }
    }

    @Test func everyTotal_isReadBackAsItWas() throws {
        for total in (0...31).map(Total.hard) + (11...21).map(Total.soft) + [.blackjack] {
            let line = update("dealer", "\"\(total.text)\"")
            guard case .diff(_, _, _, let difference, _) = try event(line) else {
                Issue.record("no diff")
                continue
            }
            #expect(difference.entries == [.dealerTotal(total)])
            #expect(text(try event(line).encoded()) == line + "\n")
        }
    }

    @Test(arguments: [
        ("left", "417"), ("left", "-1"), ("b1", "1"), ("b1.1", "-1"), ("b1.1", "1000000000001"), ("r1", "1000000000001"),
        ("r1", "{}"),
        ("round", "-1"), ("round", #""1""#), ("phase", #""lunch""#), ("phase", "1"),
        ("shoe", #"{"number":1,"decks":9,"behindCut":1}"#),
        ("p1", #"{"name":"Ann"}"#), ("p1", #"{"name":"Ann","chips":1,"presence":"gone"}"#),
        ("a1", #"{"hand":5,"turn":1,"actions":{}}"#),
        ("a1", #"{"hand":1,"turn":1,"actions":{"hit":-1}}"#), ("a1", #"{"hand":1,"turn":1,"actions":[]}"#),
        ("a1", #"{"hand":1,"actions":{}}"#),
        ("r1.1", #"{"outcome":"luck","net":1}"#),
        ("rules", #"{"decks":9,"digest":""}"#), ("rules", #"{"decks":true,"digest":""}"#), ("rules", "{}"), ("clock", "\"soon\""),
    ])
    func whatAnItemCannotShow_isRefused(item: String, content: String) {
        #expect(throws: ProtocolError.self) { try event(update(item, content)) }
    }

    @Test(arguments: [
        #""items":1"#, #""items":[]"#, #""items":null"#, #""items":{"left":1,"left":1}"#,
        #""items":{"c1":["dealer","KH"],"c1":null}"#,
        #""items":{"Table":[]}"#, #""x":0"#,
    ])
    func whatIsNoTable_isRefused(_ sections: String) {
        #expect(throws: ProtocolError.self) {
            try event("{\"type\":\"snapshot\",\"table\":\"main\",\"epoch\":\"e\",\"rev\":1,\(sections)}")
        }
    }

    @Test(arguments: [
        #""clear":1,"items":{}"#, #""clear":true"#, #""items":{"c9":["dealer"]}"#, #""items":{"c9":null,"c9":null}"#,
        #""items":{"left":1,"left":null}"#, #""items":{"9c":null}"#,
    ])
    func aDifferenceThatIsNone_isRefused(_ parts: String) {
        #expect(throws: ProtocolError.self) { try event("{\"type\":\"diff\",\"table\":\"main\",\"from\":1,\"to\":2,\(parts)}") }
    }

    private func update(_ item: String, _ content: String) -> String {
        "{\"type\":\"diff\",\"from\":0,\"to\":1,\"items\":{\"\(item)\":\(content)}}"
    }
}

import Rules
import TableModel
import TestKit
import Testing

@testable import Wire

struct TableCodingTests {
    @Test func everyIdentifier_hasItsOneSpelling() throws {
        var items: [TableItem] = [
            .round, .phase, .clock, .shoe, .cardsLeft, .seen, .rules, .dealerTotal, .card(0), .card(9), .card(10),
            .card(1_000_000),
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

    @Test(arguments: Card.deck) func everyCard_hasItsTwoCharacters(_ card: Card) throws {
        let line = ServerMessage.diff(
            from: 0, to: 1, check: nil, TableDifference(entries: [.card(3, .dealer, card)])
        ).encoded()
        #expect(text(line).contains("\"items\":{\"c3\":[\"dealer\",\"\(card)\"]}"))
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

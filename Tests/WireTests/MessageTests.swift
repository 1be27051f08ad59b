import Rules
import TableModel
import Testing

@testable import Wire

struct MessageTests {
    @Test func everyRequest_isReadBackAsItWas() {
        for sample in Samples.requests {
            let line = sample.encoded()
            #expect(request(line.dropLast()) == sample)
            #expect(line.count <= WireLimits.requestBytes)
        }
        #expect(Set(Samples.requests.compactMap(\.type)) == Set(ClientMessage.types))
    }

    @Test func everyMessageOfAServer_isReadBackAsItWas() throws {
        for sample in try Samples.events() {
            #expect(try event(sample.encoded().dropLast()) == sample)
        }
    }

    @Test func everyLine_isOneLineOfUTF8_andTheSameBytesForTheSameMessage() throws {
        let events = try Samples.events()
        let lines = Samples.requests.map { $0.encoded() } + events.map { $0.encoded() }
        for line in lines {
            #expect(text(line).hasSuffix("}\n") && line.filter { $0 < 0x20 || $0 == 0x7F } == [10])
        }
        #expect(try Samples.events().map { $0.encoded() } == events.map { $0.encoded() })
    }

    @Test func aMessage_isAppendedToWhatTheBufferHolds() {
        var bytes: [UInt8] = [1, 2, 3]
        ServerMessage.bye(code: "a", message: "b").encode(into: &bytes)
        #expect(bytes == [1, 2, 3] + ServerMessage.bye(code: "a", message: "b").encoded())
    }

    @Test func aTextOfAnyLength_isWrittenWhole() throws {
        // Around the size of the memory in which a message is put together.
        for length in [0, 900, 980, 1000, 1010, 1020, 1023, 1024, 1025, 1100, 2047, 2049, 5000] {
            for unit in ["x", "\n", "\u{E9}"] {
                let sample = ServerMessage.bye(code: "c", message: String(repeating: unit, count: length))
                #expect(try event(sample.encoded().dropLast()) == sample)
            }
        }
    }

    @Test func anID_isGivenBackExactly() throws {
        for id in Samples.ids {
            let back = request(Request(id: id, .ping).encoded().dropLast()).id
            #expect(back == id)
            let line = ServerMessage.ok(id: back, .applied("bet", at: 3)).encoded()
            guard case .ok(let echoed, _) = try event(line.dropLast()) else {
                Issue.record("no ok: \(text(line))")
                continue
            }
            #expect(echoed == id)
        }
        #expect(Set(Samples.ids).count == Samples.ids.count)
    }

    private static let neither = "a string of at most 64 bytes or a whole number of at most 64 bits"

    static let wrongIDs = [
        (#""id":1.5"#, neither), (#""id":true"#, neither), (#""id":[1]"#, neither),
        (#""id":9223372036854775808"#, neither),
        ("\"id\":\"\(String(repeating: "x", count: 65))\"", "a string of at most 64 bytes"),
    ]

    @Test(arguments: wrongIDs) func anIDThatCannotBeKept_isRefused(field: String, expected: String) {
        let result = request("{\"type\":\"ping\",\(field)}")
        #expect(result.id == nil && result.message == .failure(.json(.mismatch("id", expected: expected))))
    }

    @Test func theID_isKnownEvenIfTheRestIsWrong() {
        for line in [
            #"{"type":"bet","id":"r1","round":0}"#, #"{"id":"r1","type":"nonsense"}"#, #"{"id":"r1"}"#, #"{"id":"r1","type":3}"#,
        ] {
            let result = request(line)
            #expect(result.id == .text("r1"))
            #expect(throws: ProtocolError.self) { try result.message.get() }
        }
        #expect(request(#"{"type":"bet","amount":-1,"id":5,"round":0}"#).type == "bet")
        #expect(request(#"{"type":"steal","id":5}"#).type == nil)
    }

    @Test func unknownFields_areIgnored_whateverTheyHold() throws {
        let extra = #""new":{"a":[1,{"b":null,"type":"x"}],"id":9},"zz":"\ud83c\udccf","#
        #expect(
            request("{\(extra)\"type\":\"bet\",\"id\":3,\"amount\":10,\"round\":0}")
                == Request(id: .number(3), .bet(amount: 10, seat: nil, round: 0)))
        #expect(try event("{\(extra)\"type\":\"bye\",\"code\":\"a\",\"message\":\"b\"}") == .bye(code: "a", message: "b"))
    }

    @Test func anUnknownType_canBeSkipped() throws {
        #expect(try event(#"{"type":"confetti","colour":"red"}"#) == .unknown(type: "confetti"))
        #expect(try event(#"{"type":"ok","to":"juggle","id":1}"#) == .ok(id: .number(1), .done("juggle")))
    }

    @Test func keysAndNames_mayBeWrittenWithEscapes() throws {
        #expect(
            request(#"{"\u0074ype":"\u0062et","amoun\u0074":10,"roun\u0064":0}"#)
                == Request(id: nil, .bet(amount: 10, seat: nil, round: 0)))
        #expect(
            request(#"{"type":"act","action":"h\u0069t","turn":1}"#)
                == Request(id: nil, .act(.hit, seat: nil, hand: nil, amount: nil, turn: 1)))
        let plain = try event(#"{"type":"diff","from":1,"to":2,"items":{"c17":["3.1","KH"],"t3.1":"soft 17"}}"#)
        let escaped =
            #"{"type":"diff","from":1,"to":2,"items":{"c\u00317":["3\u002e1","\u004bH"],"t3\u002e1":"soft\u002017"}}"#
        #expect(try event(escaped) == plain)
    }
}

@Test func tablesOfManyKindsOfRules_areEachToldTheirOwn() throws {
    // More kinds than are remembered, each of them twice and one of them the default.
    let kinds = try (0..<12).map {
        try HouseRules([("bettingSeconds", .integer($0 == 3 ? HouseRules().bettingSeconds : 40 + $0))])
    }
    let tables = (kinds + kinds.reversed()).enumerated().map { index, rules in
        TableSummary(name: "t\(index)", seats: 7, freeSeats: 7, players: [], watchers: 0, rules: rules, isLocked: false)
    }
    let line = ServerMessage.ok(id: nil, .lobby(revision: 1, total: tables.count, tables)).encoded()
    let read = try line.dropLast().withUnsafeBufferPointer { try ServerMessage(line: $0) }
    guard case .ok(_, .lobby(_, _, let told)) = read else {
        Issue.record("\(read)")
        return
    }
    #expect(told == tables.sorted { $0.precedes($1) })
    var memory = RulesMemory()
    for rules in kinds + kinds { #expect(memory.fields(of: rules).map(\.0) == rules.written { _ in false }.map(\.0)) }
}

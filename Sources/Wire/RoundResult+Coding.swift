import Rules
import TableModel

extension Missed {
    init(_ object: JSONObject) throws(JSONError) {
        var (results, chat): ([RoundResult], [ChatLine]) = ([], [])
        if var list = try object.find("results")?.array() {
            results = try list.map(maximum: WireLimits.results) { value throws(JSONError) in try RoundResult(value.object()) }
        }
        if var list = try object.find("chat")?.array() {
            chat = try list.map(maximum: WireLimits.chatLines) { value throws(JSONError) in try ChatLine(value.object()) }
        }
        self.init(results: results, chat: chat)
    }

    /// Each list, absent when empty.
    func writeFields(to writer: inout JSONWriter) {
        if !results.isEmpty {
            writer.key("results")
            writer.beginArray()
            for result in results { result.write(to: &writer) }
            writer.endArray()
        }
        if !chat.isEmpty {
            writer.key("chat")
            writer.beginArray()
            for line in chat {
                writer.beginObject()
                line.writeFields(to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}

extension RoundResult {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        let insurance = try object.find("insurance")?.object()
        var hands = try object.required("hands").array()
        self.init(
            round: try object.required("round").integer(in: WireRange.revision),
            seat: try object.required("seat").integer(in: WireRange.seat),
            hands: try hands.map { value throws(JSONError) in try Hand(value.object()) },
            insurance: try insurance.map { object throws(JSONError) in try Insurance(object) },
            chips: try object.required("chips").integer(in: WireRange.bankroll))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("round")
        writer.integer(round)
        writer.key("seat")
        writer.integer(seat)
        writer.key("hands")
        writer.beginArray()
        for hand in hands {
            writer.beginObject()
            writer.key("bet")
            writer.integer(hand.bet)
            writer.key("outcome")
            writer.string(hand.result.outcome.key)
            writer.key("net")
            writer.integer(hand.result.net)
            writer.endObject()
        }
        writer.endArray()
        if let insurance {
            writer.key("insurance")
            writer.beginObject()
            writer.key("bet")
            writer.integer(insurance.bet)
            writer.key("net")
            writer.integer(insurance.net)
            writer.endObject()
        }
        writer.key("chips")
        writer.integer(chips)
        writer.endObject()
    }
}

extension RoundResult.Hand {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(bet: try object.required("bet").integer(in: WireRange.chips), result: try HandResult(object))
    }
}

extension RoundResult.Insurance {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        self.init(
            bet: try object.required("bet").integer(in: WireRange.chips),
            net: try object.required("net").integer(in: WireRange.net))
    }
}

extension ChatLine {
    init(_ object: JSONObject) throws(JSONError) {
        self.init(
            sequence: try object.required("seq").integer(in: WireRange.revision),
            name: try object.required("name").string(maximum: 256),
            text: try object.required("text").string(maximum: ChatText.maximumBytes),
            time: Int64(try object.required("time").integer(in: WireRange.time)))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.key("seq")
        writer.integer(sequence)
        writer.key("name")
        writer.string(name)
        writer.key("text")
        writer.string(text)
        writer.key("time")
        writer.integer(time)
    }
}

extension HostNotice {
    init(_ object: JSONObject) throws(JSONError) {
        self.init(
            try object.required("kind").string(), name: try object.required("name").string(maximum: 256),
            reason: try object.string("reason", maximum: ChatText.maximumBytes),
            time: Int64(try object.required("time").integer(in: WireRange.time)))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.key("kind")
        writer.string(kind)
        writer.key("name")
        writer.string(name)
        writer.optional("reason", reason)
        writer.key("time")
        writer.integer(time)
    }
}

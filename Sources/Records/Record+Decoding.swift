import Fairness
import Rules
import TableEngine
import TableModel
import Wire

extension Record {
    /// Reads one line, with or without its end. Ignores unknown fields.
    /// - Parameter isShown: whether the record's time is for people: that of the wall clock, where it differs from the server's own.
    public init(line: UnsafeBufferPointer<UInt8>, isShown: Bool = false) throws(RecordError) {
        let result: Result<Record, RecordError>
        do {
            result = try JSONValue.read(line) { value throws(JSONError) in
                let object = try value.object()
                let wall = isShown ? try object.optionalTime("wall") : nil
                return try Record.read(object).map { record in wall.map { record.dated($0) } ?? record }
            }
        } catch {
            throw .json(error)
        }
        self = try result.get()
    }

    /// Reads one line, with or without its end.
    public init(line: [UInt8]) throws(RecordError) {
        let result = line.withUnsafeBufferPointer { line in
            Result { () throws(RecordError) in try Record(line: line) }
        }
        self = try result.get()
    }

    /// Errors of JSON are thrown, others returned: `JSONValue` reads with one type of error.
    static func read(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let type = try object.text("type")
        switch type {
        case "facts": return try readFacts(object)
        case "answer": return try readAnswer(object)
        case "started":
            let format = try object.integer("format")
            guard format <= Self.format else { return .failure(.laterFormat(format)) }
            return .success(.started(time: try object.time(), version: try object.text("version")))
        default:
            if let record = try readTable(type, object) { return .success(record) }
            return .failure(.unknownType(type))
        }
    }

    private static func readTable(_ type: String, _ object: JSONObject) throws(JSONError) -> Record? {
        switch type {
        case "stopped": return .stopped(time: try object.time())
        case "opened":
            return .opened(
                table: try object.text("table"), rules: try HouseRules(object.required("rules")), pace: try object.pace("pace"),
                pass: try object.optionalText("pass"), owner: try object.optionalPlayer("owner"), time: try object.time())
        case "pass": return .pass(table: try object.text("table"), try object.optionalText("pass"))
        case "ownerPass":
            return .ownerPass(
                table: try object.text("table"), owner: try object.player("owner"), try object.optionalText("pass"),
                configured: try object.optionalText("configured"))
        case "sentAway":
            return .sentAway(
                table: try object.text("table"), owner: try object.player("owner"), try object.player(),
                until: try object.time("until"))
        case "gone": return .gone(table: try object.text("table"), time: try object.time())
        case "banned": return .banned(block: try object.text("block"), until: try object.optionalTime("until"))
        case "unbanned": return .unbanned(block: try object.text("block"))
        default: return try readAccount(type, object)
        }
    }

    private static func readAccount(_ type: String, _ object: JSONObject) throws(JSONError) -> Record? {
        switch type {
        case "account":
            return .account(
                try object.player(), name: try object.text("name"), isBot: try object.flag("bot"),
                secret: try object.optionalDigest("secret"), chips: try object.integer("chips"), time: try object.time())
        case "closed": return .closed(try object.player(), time: try object.time())
        case "issued":
            return .issued(
                try object.player(), chips: try object.integer("chips", in: -Int.max...Int.max),
                reason: try object.word("reason", \.rawValue), time: try object.time())
        case "renamed": return .renamed(try object.player(), name: try object.text("name"))
        case "disabled": return .disabled(try object.player(), try object.required("disabled").bool())
        case "secret": return .secret(try object.player(), try object.digest("secret"))
        case "mayExpire": return .mayExpire(try object.player())
        case "seen": return .seen(try object.player(), time: try object.time())
        case "invited": return .invited(code: try object.digest("code"), try object.player())
        default: return nil
        }
    }

    private static func readFacts(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let (table, time) = (try object.text("table"), try object.time())
        var list = try object.required("facts").array()
        var facts: [Fact] = []
        while let value = list.next() {
            let fact = try value.object()
            let word = try fact.text("fact")
            guard let known = try Fact(word, fact) else { return .failure(.unknownFact(word)) }
            facts.append(known)
        }
        return .success(.facts(table: table, time: time, facts))
    }

    private static func readAnswer(_ object: JSONObject) throws(JSONError) -> Result<Record, RecordError> {
        let request = Request(line: try object.required("request").raw)
        guard case .success(let message) = request.message, let id = request.id else {
            if case .failure(let error) = request.message { return .failure(.request(error)) }
            throw .missing("id")
        }
        let answer: RecordedAnswer
        let kind = try object.required("answer")
        switch try kind.string() {
        case "done": answer = .done
        case "applied":
            answer = .applied(TableRevision(try object.integer("rev"), epoch: try object.optionalText("epoch")))
        case "line": answer = .line(Array(try object.required("line").raw) + [UInt8(ascii: "\n")])
        default: throw kind.mismatch("one of done, applied, line")
        }
        return .success(.answer(try object.player(), id: id, request: message, answer))
    }
}

import TableModel
import Testing

@testable import Wire

struct ProtocolErrorTests {
    static let lines: [(line: String, code: String, message: String)] = [
        ("hello", "invalid_json", "Not JSON: expected a value at byte 0."),
        (#"{"type":"ping"} x"#, "invalid_json", "Not JSON: expected the end of the line at byte 16."),
        ("[]", "invalid_field", "The message must be an object."),
        ("{}", "invalid_field", "\"type\" is missing."),
        (#"{"type":"bet","amount":"x"}"#, "invalid_field", "\"amount\" must be a whole number from 0 to 1000000000000."),
        (#"{"type":"bet","amount":10}"#, "invalid_field", "\"round\" is missing."),
        (#"{"type":"bet","amount":10,"round":null}"#, "invalid_field", "\"round\" is missing."),
        (#"{"type":"act","action":"hit"}"#, "invalid_field", "\"turn\" is missing."),
        (#"{"type":"bet","type":"bet"}"#, "invalid_json", "\"type\" is duplicated."),
        (#"{"\u001b[2J\"":1,"\u001b[2J\"":1}"#, "invalid_json", "\"?[2J\"\" is duplicated."),
        (
            #"{"type":"jump"}"#, "unknown_type",
            "Unknown type \"jump\": known types are login, available, lobby, standings, rules, chart, value, sit, watch, bet, act, sitOut, leave, logout, commit, reveal, proof, chat, history, kick, pass, pause, match, options, ping."
        ),
        (String(repeating: "[", count: 17), "invalid_json", "Objects and arrays may be nested at most 16 deep."),
        (
            "{" + (0...64).map { "\"k\($0)\":0" }.joined(separator: ",") + "}", "invalid_json",
            "An object may have at most 64 members."
        ),
        (
            #"{"type":"act","action":"fold"}"#, "invalid_field",
            "\"action\" must be one of hit, stand, double, split, surrender, insurance, decline, evenMoney."
        ),
    ]

    @Test(arguments: lines) func aLineThatIsNoRequest_isRefusedWithACodeAndASentence(
        _ line: String, code: String, message: String
    ) {
        guard case .failure(let error) = request(line).message else {
            Issue.record("\(line) was taken")
            return
        }
        #expect(error.code.rawValue == code && error.message == message && !error.code.closes)
    }

    /// Wherever it stands: in what is read, in what is ignored, in a list of it. A server's lines may have more.
    @Test func anObjectWithTooManyMembers_isRefused_wherever() {
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}" }
        for count in [63, 64, 65, 1000, 1001] {
            for place in ["@", "{\"a\":@}", "[1,@]", "[{},{\"b\":[@,{}]}]"] {
                let value = place.replacing("@", with: object(count))
                let asked = request(#"{"type":"ping","id":7,"x":\#(value)}"#)
                let told = Result { () throws(ProtocolError) in try event(#"{"type":"ok","to":"ping","x":\#(value),"time":1}"#) }
                func error(_ limit: Int) -> ProtocolError { .json(.tooManyMembers(limit: limit)) }
                #expect(asked.message == (count <= 64 ? .success(.ping) : .failure(error(64))), "\(count) in \(place)")
                #expect(
                    told == (count <= 1000 ? .success(.ok(id: nil, .ping(time: 1))) : .failure(error(1000))),
                    "\(count) in \(place)")
            }
        }
    }

    @Test func bytesThatAreNotUTF8_areRefusedWithTheirPlace() {
        guard case .failure(let error) = request(Array(#"{"type":""#.utf8) + [0xFF]).message else {
            Issue.record("taken")
            return
        }
        #expect(error.code == .invalidJSON && error.message == "Not UTF-8 at byte 9.")
    }

    @Test func theOthers_haveTheirCodesToo() {
        #expect(ProtocolError.lineTooLong(limit: 4096).code == .lineTooLong)
        #expect(ProtocolError.lineTooLong(limit: 4096).message == "A line may have at most 4096 bytes.")
        #expect(ErrorCode.lineTooLong.closes)
        #expect(ProtocolError.unsupportedVersion(9).code == .unsupportedVersion)
        #expect(ProtocolError.unsupportedVersion(9).message == "Version 9 is not supported; supported are 1 to 1.")
        #expect(ProtocolError.invalidName(reason: "No.").code == .invalidName)
        #expect(ProtocolError.invalidName(reason: "No.").message == "No.")
    }

    @Test func whatIsQuoted_isShortAndPlain() {
        let message = ProtocolError.unknownType("\u{1B}]0;\u{202E}" + String(repeating: "x", count: 4000)).message
        let unquoted = ProtocolError.unknownType("").message.utf8.count
        #expect(message.utf8.count < unquoted + 64 && message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
    }

    @Test func aRefusal_saysWhatTheErrorSays() {
        let refusal = Refusal(id: .number(1), type: "bet", Rejection(ProtocolError.lineTooLong(limit: 10)))
        #expect(
            refusal.code == "line_too_long" && refusal.kind == .wrong && refusal.closes && refusal.id == .number(1)
                && refusal.type == "bet")
    }
}

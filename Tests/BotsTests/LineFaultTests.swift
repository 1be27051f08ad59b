import Testing
import Wire

@testable import Referee

/// Lines of a server, each with its own way to carry a card.
struct LineFaultTests {
    private func fault(_ line: String) throws -> LineFault? {
        try Array(line.utf8).withUnsafeBufferPointer { LineFault($0, try ServerMessage(line: $0)) }
    }

    @Test(arguments: [
        #"{"type":"ok","id":1,"to":"bet","rev":4}"#,
        #"{"type":"ok","id":1,"to":"commit"}"#,
        #"{"type":"diff","from":4,"to":5,"insert":[["c2","dealer",1,"KS"]]}"#,
        #"{"type":"error","id":3,"to":"bet","code":"bet_below_minimum","message":"A bet of 9 is too small: the minimum is 10."}"#,
        #"{"type":"bye","code":"kicked","message":"GAMES2H, 9HKS and a 2Hz ask for nothing."}"#,
    ])
    func whatAMessageIsWrittenAs_isNoFault(_ line: String) throws {
        #expect(try fault(line) == nil)
    }

    @Test(arguments: [
        #"{"type":"ok","id":1,"to":"bet","rev":4,"hint":"KS"}"#, #"{"type":"ok", "id":1,"to":"bet","rev":4}"#,
        #"{"type":"ok","to":"bet","id":1,"rev":4}"#, #"{"type":"bye","code":"a","message":"\u0041"}"#,
    ])
    func aMember_aSpaceOrAnOrder_thatTheMessageDoesNotHave_isFound(_ line: String) throws {
        #expect(try fault(line) == .moreThanItsMessage)
    }

    @Test(arguments: ["KS", "10H", "0H", "TD", "AC", "9S"]) func aCardInASentence_isFound(_ face: String) throws {
        #expect(
            try fault(#"{"type":"bye","code":"draining","message":"The dealer holds \#(face)."}"#)
                == (face == "0H" ? nil : .card(face)))
    }
}

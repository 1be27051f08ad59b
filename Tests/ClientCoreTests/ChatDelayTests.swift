import Testing
import Wire

@testable import ClientCore

@Test func chatIsDelayed_fromItsFirstRefusal_untilNoLineIsLeft() {
    var talk = Talk()
    let lines = (1...3).map { talk.submit(.chat(text: "line \($0)")) }
    func refusal(_ id: Int) -> ServerMessage {
        .error(Refusal(id: .number(id), type: "chat", .rateLimited, message: "Wait.", retryAfter: 500))
    }
    #expect(!talk.session.status.isChatDelayed)
    talk.take(refusal(lines[1]), at: 0)
    talk.take(.ok(id: .number(lines[0]), .done("chat")), at: 0)
    talk.take(refusal(lines[2]), at: 0)
    #expect(talk.session.status.isChatDelayed)
    talk.note(talk.session.tick(at: 501))
    #expect(talk.types == ["chat", "chat", "chat", "chat", "chat"])
    talk.take(.ok(id: .number(lines[1]), .done("chat")), at: 501)
    #expect(talk.session.status.isChatDelayed)
    talk.take(.ok(id: .number(lines[2]), .done("chat")), at: 501)
    #expect(!talk.session.status.isChatDelayed)
}

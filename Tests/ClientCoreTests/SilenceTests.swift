import Testing
import Wire

@testable import ClientCore

@Test func aRequestWithoutAByteAfterIt_isSilence_andTheNextMessageEndsIt() {
    var talk = Talk { ($0.pingInterval, $0.answerTime) = (5_000, 2_000) }
    talk.session.noteBytes(at: 1_000)
    talk.note(talk.session.tick(at: 4_000))
    #expect(talk.session.status.silentSince == nil, "nothing was asked")
    talk.note(talk.session.tick(at: 5_000))
    #expect(talk.types == ["ping"] && talk.armed == 7_000)
    talk.note(talk.session.tick(at: 6_999))
    #expect(talk.events.isEmpty)
    talk.note(talk.session.tick(at: 7_000))
    #expect(talk.events == [.silence] && talk.session.status.silentSince == 1_000)
    for time: Int64 in [10_000, 15_000] { talk.note(talk.session.tick(at: time)) }
    #expect(talk.types == ["ping"], "one unanswered ping is enough")
    talk.events = []
    talk.take(.ok(id: talk.sent.last?.id, .ping(time: 20_000)), at: 16_000)
    #expect(talk.events.first == .silence && talk.session.status.silentSince == nil && talk.session.status.roundTrip == 11_000)
    talk.note(talk.session.tick(at: 20_000))
    talk.take(.ok(id: talk.sent.last?.id, .ping(time: 24_000)), at: 20_012)
    #expect(talk.session.status.roundTrip == 12)
    talk.note(talk.session.connectionLost(.connection("cut"), at: 21_000))
    #expect(talk.session.status.roundTrip == nil && talk.session.status.silentSince == nil)
}

@Test func anActionWithoutAnAnswer_isSilenceToo_butNotWhereOthersAreHeard() {
    var talk = Talk { ($0.pingInterval, $0.answerTime) = (5_000, 2_000) }
    talk.submit(.bet(amount: 10, seat: nil, round: 0), at: 100)
    talk.session.noteBytes(at: 1_000)
    talk.note(talk.session.tick(at: 2_100))
    #expect(talk.session.status.silentSince == nil)
    talk.submit(.bet(amount: 20, seat: nil, round: 0), at: 2_200)
    talk.note(talk.session.tick(at: 4_200))
    #expect(talk.session.status.silentSince == 1_000)
}

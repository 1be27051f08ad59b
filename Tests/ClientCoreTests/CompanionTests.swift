import Fairness
import Testing
import Wire

@testable import ClientSession

/// Requests of a ceremony, which are sent with another request where that costs no time that matters.
struct CompanionTests {
    private static let commit = ClientMessage.commit(server: SHA256.hash([1]), contribution: SHA256.hash([2]))

    @Test func aCommitment_isSentWithTheNextRequest() {
        var talk = Talk()
        talk.submit(Self.commit, at: 10)
        #expect(talk.sent.isEmpty && talk.armed == 510)
        talk.submit(.bet(amount: 10, seat: nil), at: 20)
        #expect(talk.types == ["bet", "commit"])
    }

    @Test func aCommitment_isSentAlone_whenItIsDue() {
        var talk = Talk()
        talk.submit(Self.commit, at: 10)
        talk.note(talk.session.tick(at: 509))
        #expect(talk.sent.isEmpty)
        talk.note(talk.session.tick(at: 510))
        #expect(talk.types == ["commit"])
    }

    @Test func aReveal_waitsLessThanItsDeadline() throws {
        var talk = Talk()
        let secret = try #require(ShoeSecret(Array(repeating: 7, count: 32)))
        talk.submit(.reveal(list: SHA256.hash([1]), contribution: secret), at: 0)
        #expect(talk.sent.isEmpty && talk.armed == 100)
        talk.note(talk.session.tick(at: 100))
        #expect(talk.types == ["reveal"])
    }
}

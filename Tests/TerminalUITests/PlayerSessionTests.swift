import ClientCore
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// The session as a value: updates and time in, requests and endings out.
struct PlayerSessionTests {
    private func refused(_ code: ErrorCode) -> ClientEvent {
        .refused(Refusal(type: "login", .rule, code: code.rawValue, message: "No."))
    }

    /// A player without a screen who is logged in, and has wished for no table.
    private func loggedIn(_ controls: PlayerSession.Controls = .lines) -> PlayerScene {
        var scene = PlayerScene(controls: controls) { $0.wish = .nothing }
        scene.logIn()
        return scene
    }

    // MARK: Names

    @Test func anAssumedName_thatIsTaken_getsANumber() {
        var scene = PlayerScene(.assumed("ann"), controls: .lines)
        for number in 2...9 {
            scene.link(.connected, refused(.nameTaken))
            #expect(scene.effects == [.logIn("ann-\(number)")])
        }
        scene.link(.connected, refused(.nameTaken))
        #expect(scene.ending?.status == 69)
    }

    @Test func anAssumedName_thatTheHostKeeps_isReplaced_andThatOneGetsANumber() {
        var scene = PlayerScene(.assumed("dealer"), controls: .lines)
        scene.link(.connected, refused(.invalidName))
        #expect(scene.effects == [.logIn("player")])
        var refusedAgain = scene
        refusedAgain.link(.connected, refused(.invalidName))
        #expect(refusedAgain.ending?.status == 69)
        scene.link(.connected, refused(.nameTaken))
        #expect(scene.effects == [.logIn("player-2")])
    }

    @Test func aGivenName_thatIsTaken_endsTheSession_orIsAskedForOnAScreen() {
        var scene = PlayerScene(controls: .lines)
        scene.link(.connected, refused(.nameTaken))
        #expect(scene.ending?.status == 69)
        #expect(
            scene.ending?.reason?.text.hasPrefix("the name ann is taken: choose another with --name; if it is you,") == true)
        var screen = PlayerScene()
        screen.link(.connected, refused(.nameTaken))
        #expect(screen.ending == nil && screen.player.join?.name == "ann" && screen.player.join?.refusal != nil)
    }

    // MARK: Endings

    @Test(arguments: [GoodbyeCode.kicked, .banned, .replaced])
    func aGoodbyeOfTheServer_endsTheSession_withItsReason(_ code: GoodbyeCode) {
        var scene = loggedIn(.pipe)
        scene.link(.ended("bye"), .goodbye(code: code.rawValue, message: "It is late"))
        let other: SafeText = "this account is in use in another window: the player went on there"
        #expect(scene.ending?.status == 69)
        #expect(scene.ending?.reason == (code == .replaced ? other : "the server ended the session: It is late"))
        #expect(scene.effects.first == .print("The server says goodbye: It is late."))
    }

    @Test func aLogoutOfTheServersOwn_isNoFault() {
        var scene = loggedIn()
        scene.link(.ended("bye"), .goodbye(code: GoodbyeCode.loggedOut.rawValue, message: "Goodbye."))
        #expect(scene.ending == .init(status: 0))
    }

    @Test func leavingTwice_endsOnce_withTheFirstReason() {
        var scene = loggedIn()
        scene.handle(.leave(.init(status: 7, reason: "first")))
        #expect(scene.effects == [.send(.logout, .logout)])
        scene.handle(.leave(.init(status: 0)))
        #expect(scene.effects.isEmpty)
        scene.link(.loggedIn, .goodbye(code: GoodbyeCode.loggedOut.rawValue, message: "Goodbye."))
        #expect(scene.ending == .init(status: 7, reason: "first"))
        scene.handle(.closed(.init(status: 0)))
        #expect(scene.effects.isEmpty)
    }

    @Test func aServerThatDoesNotAnswerTheLogout_isLeftAllTheSame() {
        var scene = loggedIn()
        scene.handle(.interrupted)
        scene.handle(.tick, after: 999)
        #expect(scene.ending == nil && scene.player.nextTick == scene.player.now + 1)
        scene.handle(.tick, after: 1)
        #expect(scene.ending == .init(status: 0))
    }

    @Test func withoutAConnection_leavingEndsAtOnce_andWithoutAFirstOneTheSessionEnds() {
        var scene = loggedIn()
        scene.link(.lost(.silence))
        #expect(scene.ending == nil)
        scene.handle(.leave(.init(status: 0)))
        #expect(scene.ending == .init(status: 0))
        var first = PlayerScene()
        first.update(.link) { $0.link = .lost(.connection("refused")) }
        #expect(first.ending?.status == 69 && first.ending?.reason?.text.contains("Is a server there?") == true)
    }

    /// The seat is kept for a player who comes back from another terminal.
    @Test func aTerminalThatIsGone_endsTheSession_withoutALogout() {
        var scene = loggedIn()
        scene.handle(.closed(.init(status: 0)))
        #expect(scene.effects == [.end(.init(status: 0))])
    }

    /// The server's clock may be read differently after a stop of minutes.
    @Test func aProcessThatGoesOnAfterAStop_asksForTheTime() {
        var scene = loggedIn()
        scene.handle(.continued)
        #expect(scene.effects == [.send(.ping, nil)])
    }
}

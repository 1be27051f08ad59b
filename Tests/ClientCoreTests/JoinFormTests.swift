import ClientCore
import EventStreams
import Testing

/// A form on virtual time, and a server that answers when the test says so.
private final class Desk {
    let scheduler = VirtualTimeScheduler()
    let form: JoinForm
    private let registry = Registry()
    var questions: [String] { registry.questions }

    final class Registry {
        var questions: [String] = []
        var promises: [String: Future<JoinForm.Standing, Never>.Promise] = [:]

        func standing(of name: String) -> Future<JoinForm.Standing, Never> {
            questions.append(name)
            return Future { self.promises[name] = $0 }
        }
    }

    init(isConnected: Bool = true) {
        form = JoinForm(on: scheduler, pause: .milliseconds(300), standing: registry.standing)
        form.isConnected = isConnected
    }

    /// Types a whole name, and pauses.
    func type(_ name: String) {
        form.name = name
        scheduler.advance(by: .seconds(1))
    }

    func answer(_ name: String, _ standing: JoinForm.Standing) {
        registry.promises[name]?(.success(standing))
        scheduler.advance(by: .seconds(1))
    }
}

@Test func aNameIsAskedAboutOnceTheTypingPauses() {
    let desk = Desk()
    for text in ["a", "an", "ann"] {
        desk.form.name = text
        desk.scheduler.advance(by: .milliseconds(200))
    }
    #expect(desk.questions.isEmpty && !desk.form.canJoin)
    desk.scheduler.advance(by: .milliseconds(100))
    #expect(desk.questions == ["ann"] && desk.form.nameState == .asking)
    desk.answer("ann", .free)
    #expect(desk.form.nameState == .free && desk.form.canJoin)
}

@Test func aNameThatChangesIsNotFreeAnyMore_andAnOldAnswerIsNotWaitedFor() {
    let desk = Desk()
    desk.type("ann")
    desk.answer("ann", .free)
    #expect(desk.form.canJoin)
    desk.form.name = "bert"
    #expect(!desk.form.canJoin && desk.form.nameState == .asking)
    desk.scheduler.advance(by: .seconds(1))
    desk.type("carl")
    desk.answer("bert", .free)
    #expect(!desk.form.canJoin)
    desk.answer("carl", .taken)
    #expect(desk.form.nameState == .taken && desk.questions == ["ann", "bert", "carl"])
}

@Test func whatIsNoNameIsSaidWithoutAskingAnybody() {
    let desk = Desk()
    desk.type("a\u{7}b")
    guard case .invalid = desk.form.nameState else {
        Issue.record("\(desk.form.nameState)")
        return
    }
    desk.type("")
    #expect(desk.form.nameState == .empty && desk.questions.isEmpty)
}

@Test func aNameIsAskedAboutWhenTheConnectionIsThere() {
    let desk = Desk(isConnected: false)
    desk.type("ann")
    #expect(desk.questions.isEmpty && desk.form.nameState == .asking)
    desk.form.isConnected = true
    desk.scheduler.advance(by: .seconds(1))
    #expect(desk.questions == ["ann"])
}

@Test func aNameIsAskedAboutOnceMore_whenTheAnswerIsNotTrueAnyLonger() {
    let desk = Desk()
    desk.type("ann")
    desk.answer("ann", .free)
    #expect(desk.form.canJoin)
    desk.form.askAgain()
    desk.scheduler.advance(by: .seconds(1))
    #expect(desk.questions == ["ann", "ann"] && desk.form.nameState == .asking)
    desk.answer("ann", .taken)
    #expect(desk.form.nameState == .taken)
}

@Test func aNameOfThePlayersOwn_isNoFreeName_butCanBeJoinedWith() {
    let desk = Desk()
    desk.type("ann")
    desk.answer("ann", .own)
    #expect(desk.form.nameState == .own && desk.form.canJoin)
}

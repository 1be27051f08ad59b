import ClientCore
import EventStreams
import Testing

/// A server that answers when the test says so.
private final class Registry {
    var questions: [String] = []
    var promises: [String: Future<JoinForm.Standing, Never>.Promise] = [:]

    func standing(of name: String) -> Future<JoinForm.Standing, Never> {
        questions.append(name)
        return Future { self.promises[name] = $0 }
    }
}

private func form(_ scheduler: VirtualTimeScheduler, _ registry: Registry) -> JoinForm {
    let form = JoinForm(on: scheduler, pause: .milliseconds(300), standing: registry.standing)
    form.isConnected = true
    return form
}

@Test func aNameIsAskedAboutOnceTheTypingPauses() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = form(scheduler, registry)
    for text in ["a", "an", "ann"] {
        form.name = text
        scheduler.advance(by: .milliseconds(200))
    }
    #expect(registry.questions.isEmpty && !form.canJoin)
    scheduler.advance(by: .milliseconds(100))
    #expect(registry.questions == ["ann"] && form.nameState == .asking)
    registry.promises["ann"]?(.success(.free))
    scheduler.advance(by: .milliseconds(1))
    #expect(form.nameState == .free && form.canJoin)
}

@Test func aNameThatChangesIsNotFreeAnyMore_andAnOldAnswerIsNotWaitedFor() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = form(scheduler, registry)
    form.name = "ann"
    scheduler.advance(by: .seconds(1))
    registry.promises["ann"]?(.success(.free))
    scheduler.advance(by: .seconds(1))
    #expect(form.canJoin)
    form.name = "bert"
    #expect(!form.canJoin && form.nameState == .asking)
    scheduler.advance(by: .seconds(1))
    form.name = "carl"
    scheduler.advance(by: .seconds(1))
    registry.promises["bert"]?(.success(.free))
    scheduler.advance(by: .seconds(1))
    #expect(!form.canJoin)
    registry.promises["carl"]?(.success(.taken))
    scheduler.advance(by: .seconds(1))
    #expect(form.nameState == .taken && registry.questions == ["ann", "bert", "carl"])
}

@Test func whatIsNoNameIsSaidWithoutAskingAnybody() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = form(scheduler, registry)
    form.name = "a\u{7}b"
    scheduler.advance(by: .seconds(1))
    guard case .invalid = form.nameState else {
        Issue.record("\(form.nameState)")
        return
    }
    form.name = ""
    scheduler.advance(by: .seconds(1))
    #expect(form.nameState == .empty && registry.questions.isEmpty)
}

@Test func aNameIsAskedAboutWhenTheConnectionIsThere() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = JoinForm(on: scheduler, pause: .milliseconds(300), standing: registry.standing)
    form.name = "ann"
    scheduler.advance(by: .seconds(1))
    #expect(registry.questions.isEmpty && form.nameState == .asking)
    form.isConnected = true
    scheduler.advance(by: .seconds(1))
    #expect(registry.questions == ["ann"])
}

@Test func aNameIsAskedAboutOnceMore_whenTheAnswerIsNotTrueAnyLonger() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = form(scheduler, registry)
    form.name = "ann"
    scheduler.advance(by: .seconds(1))
    registry.promises["ann"]?(.success(.free))
    scheduler.advance(by: .seconds(1))
    #expect(form.canJoin)
    form.askAgain()
    scheduler.advance(by: .seconds(1))
    #expect(registry.questions == ["ann", "ann"] && form.nameState == .asking)
    registry.promises["ann"]?(.success(.taken))
    scheduler.advance(by: .seconds(1))
    #expect(form.nameState == .taken)
}

@Test func aNameOfThePlayersOwn_isNoFreeName_butCanBeJoinedWith() {
    let (scheduler, registry) = (VirtualTimeScheduler(), Registry())
    let form = form(scheduler, registry)
    form.name = "ann"
    scheduler.advance(by: .seconds(1))
    registry.promises["ann"]?(.success(.own(chips: 940)))
    scheduler.advance(by: .seconds(1))
    #expect(form.nameState == .own(chips: 940) && form.canJoin)
}

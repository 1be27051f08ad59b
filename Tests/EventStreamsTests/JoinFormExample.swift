import EventStreams
import Testing

/// A worked example: the form by which a player joins. It knows no screen and no network; both are attached to it.
///
/// While a name is typed, the server is asked whether it is free: once the typing pauses, once for each name, and an
/// answer to an older name is not waited for any more.
final class JoinForm {
    enum NameState: Equatable {
        case tooShort
        case asking
        case free
        case taken
    }

    @Published var name = ""
    @Published var seat = 0
    @Published private(set) var nameState = NameState.tooShort
    @Published private(set) var canJoin = false

    init<S: Scheduler>(
        on scheduler: S, pause: S.SchedulerTimeType.Stride, isFree: @escaping (String) -> Future<Bool, Never>
    ) {
        let settled = $name.removeDuplicates().debounce(for: pause, scheduler: scheduler).removeDuplicates()

        settled
            .map { name -> AnyPublisher<NameState, Never> in
                guard name.count >= 3 else { return Just(.tooShort).eraseToAnyPublisher() }
                let answer = isFree(name).map { $0 ? NameState.free : .taken }
                return Just(.asking).merge(with: answer).eraseToAnyPublisher()
            }
            .switchToLatest()
            .assign(to: &$nameState)

        $nameState.combineLatest($seat) { state, seat in state == .free && (1...7).contains(seat) }
            .removeDuplicates()
            .assign(to: &$canJoin)
    }
}

@Suite struct JoinFormExample {
    /// A server that answers when the test says so.
    private final class Server {
        var questions: [String] = []
        var promises: [String: Future<Bool, Never>.Promise] = [:]

        func isFree(_ name: String) -> Future<Bool, Never> {
            questions.append(name)
            return Future { self.promises[name] = $0 }
        }
    }

    @Test func name_isAskedForOnceTypingPauses_andTheAnswerOpensTheWay() {
        let (scheduler, server) = (VirtualTimeScheduler(), Server())
        let form = JoinForm(on: scheduler, pause: .milliseconds(300), isFree: server.isFree)
        form.seat = 3
        for text in ["a", "an", "ann", "anna"] {
            form.name = text
            scheduler.advance(by: .milliseconds(100))
        }
        #expect(server.questions.isEmpty)
        scheduler.advance(by: .milliseconds(200))
        #expect(server.questions == ["anna"])
        #expect(form.nameState == .asking)
        #expect(!form.canJoin)
        server.promises["anna"]?(.success(true))
        #expect(form.nameState == .free)
        #expect(form.canJoin)
        form.seat = 0
        #expect(!form.canJoin)
    }

    @Test func answer_isIgnored_whenTheNameHasChangedMeanwhile() {
        let (scheduler, server) = (VirtualTimeScheduler(), Server())
        let form = JoinForm(on: scheduler, pause: .milliseconds(300), isFree: server.isFree)
        form.seat = 1
        form.name = "anna"
        scheduler.advance(by: .seconds(1))
        form.name = "bert"
        scheduler.advance(by: .seconds(1))
        server.promises["anna"]?(.success(true))
        #expect(form.nameState == .asking)
        server.promises["bert"]?(.success(false))
        #expect(form.nameState == .taken)
        #expect(!form.canJoin)
        #expect(server.questions == ["anna", "bert"])
    }

    @Test func nothing_isAsked_whenTheNameComesBackBeforeThePauseIsOver() {
        let (scheduler, server) = (VirtualTimeScheduler(), Server())
        let form = JoinForm(on: scheduler, pause: .milliseconds(300), isFree: server.isFree)
        form.name = "anna"
        scheduler.advance(by: .seconds(1))
        form.name = "ann"
        form.name = "anna"
        scheduler.advance(by: .seconds(1))
        #expect(server.questions == ["anna"])
    }

    @Test func form_isReleased_whileAQuestionIsOpen() {
        let (scheduler, server) = (VirtualTimeScheduler(), Server())
        var form: JoinForm? = JoinForm(on: scheduler, pause: .milliseconds(300), isFree: server.isFree)
        form?.name = "anna"
        scheduler.advance(by: .seconds(1))
        weak let trace = form
        form = nil
        #expect(trace == nil)
        server.promises["anna"]?(.success(true))
    }
}

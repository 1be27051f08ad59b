import ClientCore
import Wire

/// The coach of both front ends.
extension TableSession {
    /// Turns the coach on or off, and says so.
    func toggleCoach() {
        coach.toggle()
        settingsFollow()
        face?.say(Sentence(.answer, coach.announcement))
        adviseIfAsked()
    }

    /// Asks for a chart that is missing; says advice where no screen shows it.
    func adviseIfAsked() {
        if let request = coach.request(in: state) { client.send(request) }
        if !hasScreen, let advice = coach.unsaidAdvice(in: state) { face?.say(Sentence(.answer, advice.sentence)) }
    }
}

import ClientCore
import TableModel
import Wire

/// Tells what happened on the connection: coming and going of the server, refusals, answers. Pure.
public struct LinkNarrator: Sendable {
    public var wording: Wording

    public init(wording: Wording) { self.wording = wording }

    /// - Parameter old: the state before.
    public func sentences(from old: ClientState, to update: ClientUpdate) -> [Sentence] {
        switch update.event {
        case .link: return link(old, update.state)
        case .reply(_, .login(let login)): return [loggedIn(login, isBack: old.login != nil)]
        case .reply(_, .lobby(_, _, let tables)): return tables.map { Sentence(.answer, wording.summary($0)) }
        case .reply(_, .done("leave")),
            .reply(_, .done("logout")) where old.table != nil:
            return [Sentence(.seat, "You have left the table.")]
        case .refused(let refusal): return [Sentence(.refusal, Self.refusal(refusal))]
        case .goodbye("logged_out", _): return [Sentence(.link, "The server says goodbye.")]
        case .goodbye(_, let message):
            return [Sentence(.link, "The server says goodbye: \(message)\(message.hasSuffix(".") ? "" : ".")")]
        case .outOfSync: return [Sentence(.link, "Something was missed, and is asked for.")]
        case .isWrong: return [Sentence(.link, "The table is not what the server says: it is asked for anew.")]
        case .chat(let line):
            return [Sentence(.chat, "\(SafeText(line.name, columns: 24)): \(SafeText(line.text, columns: 400))")]
        case .note(let text): return [Sentence(.answer, SafeText(text))]
        case .reply, .table, .lobby, .lobbyOutOfSync, .pinged, .skipped: return []
        }
    }

    private func link(_ old: ClientState, _ new: ClientState) -> [Sentence] {
        switch new.link {
        case .lost(let failure):
            if case .connecting(let attempt) = old.link {
                [Sentence(.attempt, "Attempt \(attempt) has failed: \(failure.description).")]
            } else {
                [Sentence(.link, "The connection is lost: \(failure.description). Trying again.")]
            }
        case .ended(let reason): [Sentence(.link, "The connection has ended: \(reason).")]
        case .connecting, .connected, .loggedIn: []
        }
    }

    private func loggedIn(_ login: LoginReply, isBack: Bool) -> Sentence {
        isBack
            ? Sentence(.link, "The connection is back.")
            : Sentence(.link, "You are \(SafeText(login.name, columns: 24)).")
    }

    /// A refusal as a sentence: most are one already, those about a line of the protocol begin small.
    static func refusal(_ refusal: Refusal) -> SafeText {
        guard let first = refusal.message.first else { return "The server refuses: \(refusal.code)." }
        let isSentence = refusal.message.last == "."
        return SafeText(first.uppercased() + refusal.message.dropFirst() + (isSentence ? "" : "."))
    }
}

/// A way to do harm to a server, one bot each.
public enum HostileKind: String, CaseIterable, Sendable, Hashable {
    /// Reads a byte now and then, while replies pile up.
    case slowReader = "slow-reader"
    /// Sends a request byte by byte.
    case dripSender = "drip-sender"
    /// Connects and says nothing, ever.
    case halfOpen = "half-open"
    /// Sends lines that are no requests, from a corpus.
    case malformed
    /// Sends lines that are longer than allowed.
    case oversized
    /// Repeats requests with the same id, and answers questions of yesterday.
    case stale
    /// Sends requests as fast as they are taken.
    case requestFlood = "request-flood"
    /// Talks without end.
    case chatFlood = "chat-flood"
    /// Connects and goes, over and over.
    case reconnectStorm = "reconnect-storm"
    /// Cuts its connection in the midst of a line.
    case cutConnection = "cut-connection"
    /// Takes a seat, and lets every clock run out.
    case idleSeat = "idle-seat"
    /// Sits down and gets up again.
    case joinLeave = "join-leave"
    /// Tries names of others, with secrets that it makes up.
    case loginGuessing = "login-guessing"
    /// Spends a connection's allowance of requests and chat, and connects again for a fresh one.
    case reconnectFlood = "reconnect-flood"
    /// Plays a hand under one new name after the other, so that the list of players fills.
    case nameSquatter = "name-squatter"
    /// Takes a seat where anybody may sit, sits out, and pings to keep it.
    case seatBlocker = "seat-blocker"
    /// Plays, and decides seconds before its clock ends.
    case slowDecider = "slow-decider"
    /// Holds as many connections as it gets.
    case descriptorHog = "descriptor-hog"
    /// Sends line ends and nothing between them.
    case blankLines = "blank-lines"
    /// Sends requests whose numbers are the largest and smallest that there are.
    case extremeNumbers = "extreme-numbers"
    /// Commits to a contribution to each shoe, and never reveals it.
    case withholder
    /// Commits twice to each shoe, to different contributions, and reveals another one.
    case doubleCommitter = "double-committer"
    /// Reveals before the list is closed, under lists that there are not, and what others committed to.
    case earlyRevealer = "early-revealer"
    /// Commits to shoes that there are not, as fast as it is taken.
    case commitFlood = "commit-flood"
}

import Rules
import TableModel

// The words of the protocol as static text: written and compared without a string.

extension Action {
    package var key: StaticString {
        switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double"
        case .split: "split"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .decline: "decline"
        case .evenMoney: "evenMoney"
        }
    }
}

extension RoundPhase {
    var key: StaticString {
        switch self {
        case .waiting: "waiting"
        case .betting: "betting"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .playing: "playing"
        case .settled: "settled"
        case .closed: "closed"
        }
    }
}

extension Player.Presence {
    var key: StaticString {
        switch self {
        case .here: "here"
        case .sittingOut: "sittingOut"
        case .away: "away"
        case .leaving: "leaving"
        }
    }
}

extension Outcome {
    package var key: StaticString {
        switch self {
        case .blackjack: "blackjack"
        case .win: "win"
        case .push: "push"
        case .lose: "lose"
        case .bust: "bust"
        case .surrender: "surrender"
        case .evenMoney: "evenMoney"
        case .charlie: "charlie"
        }
    }
}

extension Resumption {
    var key: StaticString {
        switch self {
        case .nothing: "nothing"
        case .diffs: "diffs"
        case .diff: "diff"
        case .snapshot: "snapshot"
        }
    }
}

extension ClosingNotice.Cause {
    package var key: StaticString {
        switch self {
        case .table: "table"
        case .server: "server"
        }
    }
}

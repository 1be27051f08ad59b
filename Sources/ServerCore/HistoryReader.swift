import Dispatch
import Journal
import Records
import Rules
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// A player's question that is answered in the background. Its session holds it until the answer is sent.
public final class PlayerQuestion: Sendable {
    package typealias Completion = @Sendable (_ question: PlayerQuestion, _ failure: String?) -> Void

    package enum Subject: Sendable {
        case history(HistoryPage = HistoryPage())
        case chart(HouseRules)
        /// The next round's, after these cards.
        case edge(HouseRules, SeenCards)
        case value(OpenDecision)

        /// Of each a player has one open question.
        enum Kind { case past, chart, value }

        /// Whether another question is about the same edge.
        func isSameEdge(as other: Subject) -> Bool {
            if case .edge(let rules, let seen) = self, case .edge(rules, seen) = other { true } else { false }
        }

        package var isOfPast: Bool { kind == .past }
        var kind: Kind {
            switch self {
            case .history: .past
            case .chart, .edge: .chart
            case .value: .value
            }
        }

        /// Whether it is about a part of the past, of which there may be many.
        var isPage: Bool { if case .history(let page) = self { page.isPage } else { false } }
    }

    package let subject: Subject
    public let account: PlayerID
    let connection: ConnectionID
    /// Milliseconds since 1970.
    let time: Int64
    let line = PendingAnswer()

    init(_ subject: Subject, of account: PlayerID, from connection: ConnectionID, at time: Int64) {
        (self.subject, self.account, self.connection, self.time) = (subject, account, connection, time)
    }

    var page: HistoryPage { if case .history(let page) = subject { page } else { HistoryPage() } }

    /// - Parameter history: nil if the journal cannot be read; the answer is then empty and marked as cut.
    package func answer(from history: PlayerHistory?) { line.set(answerLines(from: history)) }

    func answerLines(from history: PlayerHistory?) -> [UInt8] {
        switch subject {
        case .history:
            history?.historyLines(at: time) ?? ServerMessage.history(HandHistory(since: time, isCut: true)).encoded()
        case .chart(let rules): ChartMaker.line(for: rules)
        case .edge(let rules, let seen): ServerMessage.value(.nextRound(edge: ChartMaker.edge(under: rules, seen))).encoded()
        case .value(let decision): ServerMessage.value(.decision(decision.values)).encoded()
        }
    }
}

/// A question in a queue. Weak: the session retains its question, and its end drops the answer.
struct WaitingQuestion {
    weak var question: PlayerQuestion?
    let done: PlayerQuestion.Completion
}

/// Answers players' questions from the journal, one at a time on a background thread.
///
/// Reads only durable frames, and holds its lock for a few instructions at most.
package final class HistoryReader: Sendable {
    /// The maximum bytes of segments to read for a question, unless the newest checkpoint is farther back.
    static let bytes = 64 << 20
    /// Questions that may wait.
    static let capacity = 128
    /// Questions that may wait beside one for a page: an export takes nobody's turn.
    private static let capacityForPages = 8

    private struct State {
        var waiting: [WaitingQuestion] = []
        /// Whether a question is being answered, or the pause after one is running.
        var isBusy = false
        var isStopped = false
    }

    private let folder: JournalFolder
    private let log: DurableLog
    /// Snapshots of the house's other partitions, in which players' earlier hands are.
    private let others: @Sendable () -> [any JournalStorage]
    private let bytes: Int
    private let state = Mutex(State())
    private let queue: BackgroundQueue

    package init(
        _ folder: JournalFolder, _ log: DurableLog, others: @escaping @Sendable () -> [any JournalStorage] = { [] },
        bytes: Int = HistoryReader.bytes, on system: (any SimulatedSystem)? = nil
    ) {
        self.others = others
        queue = BackgroundQueue(label: "bj.history", qos: .background, on: system)
        self.folder = folder
        self.log = log
        self.bytes = bytes
    }

    /// Queues a question.
    /// - Parameter done: called on the background thread once the question is answered, with the reason of a failure.
    /// - Returns: false if too many wait.
    package func ask(_ question: PlayerQuestion, done: @escaping PlayerQuestion.Completion) -> Bool {
        let (isTaken, starts) = state.withLock { state in
            state.waiting.removeAll { $0.question == nil }
            guard !state.isStopped, state.waiting.count < (question.subject.isPage ? Self.capacityForPages : Self.capacity) else {
                return (false, false)
            }
            state.waiting.append(WaitingQuestion(question: question, done: done))
            defer { state.isBusy = true }
            return (true, !state.isBusy)
        }
        if starts { queue.async { [self] in answerNext() } }
        return isTaken
    }

    /// Answers no more questions. Returns once a running one has ended.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = []
        }
        queue.wait()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func answerNext() {
        let next = state.withLock { state -> (question: PlayerQuestion, done: PlayerQuestion.Completion)? in
            while !state.waiting.isEmpty {
                let first = state.waiting.removeFirst()
                if let question = first.question { return (question, first.done) }
            }
            state.isBusy = false
            return nil
        }
        guard let (question, done) = next else { return }
        let start = DispatchTime.now()
        do {
            question.answer(from: try read(question.account, question.page))
            done(question, nil)
        } catch {
            question.answer(from: nil)
            done(question, "\(error)")
        }
        // The pauses leave half a core to the game.
        queue.async(pausingAsLongAsSince: start) { [weak self] in self?.answerNext() }
    }

    /// The maximum bytes of segments and milliseconds that count for the leaderboard.
    private static let eveningBytes = 16 << 20
    private static let eveningLength: Int64 = 12 * 3_600_000

    /// Reads, in the background, the results from before a start that continues the tables.
    /// - Parameters:
    /// - state: the recovered state.
    /// - start: the first frame of this start.
    func readLeaderboard(of state: SavedState, before start: UInt64, done: @escaping @Sendable (Leaderboard) -> Void) {
        let tables = state.tables.mapValues { max($0.opened, state.time - Self.eveningLength) }
        guard start > 1, !tables.isEmpty else { return }
        queue.async { [self] in
            guard let leaderboard = try? readLeaderboard(tables, state.accounts, through: start - 1) else { return }
            done(leaderboard)
        }
    }

    private func readLeaderboard(
        _ tables: [String: Int64], _ accounts: [PlayerID: AccountState], through last: UInt64
    ) throws -> Leaderboard {
        let start = min(try folder.readingStart(within: Self.eveningBytes), last)
        var (leaderboard, history) = (
            Leaderboard(), RoundHistory(start > 0 ? try SavedState.checkpoint(at: start, in: folder) : nil)
        )
        guard start < last else { return leaderboard }
        try folder.records(from: start + 1, through: last) { line, place throws(any Error) in
            if isStopped { throw Stopped() }
            history.add(try Record(line: line, isShown: true), at: place) { round in
                guard !round.isVoided, let begin = tables[round.table], round.started >= begin else { return }
                for (player, seats) in Dictionary(grouping: round.seats, by: \.player) {
                    guard let account = accounts[player] else { continue }
                    leaderboard.note(
                        player, name: account.playerName.text, isBot: account.isBot, net: seats.reduce(0) { $0 &+ $1.net },
                        best: seats.reduce(.min) { max($0, $1.net) })
                }
            }
        }
        return leaderboard
    }

    /// Reads again if the folder was pruned meanwhile.
    func read(_ account: PlayerID, _ page: HistoryPage = HistoryPage()) throws -> PlayerHistory {
        do { return try readOnce(account, page) } catch { return try readOnce(account, page) }
    }

    private struct Stopped: Error {}

    private func readOnce(_ account: PlayerID, _ page: HistoryPage) throws -> PlayerHistory {
        var history = try readOnce(account, page, in: folder, through: log.durable, within: bytes)
        let others = others()
        for storage in others {
            let folder = JournalFolder(reading: storage)
            history.merge(try? readOnce(account, page, in: folder, through: .max, within: bytes / others.count))
        }
        return history
    }

    private func readOnce(
        _ account: PlayerID, _ page: HistoryPage, in folder: JournalFolder, through durable: UInt64, within bytes: Int
    ) throws -> PlayerHistory {
        let last = min(durable, try page.before.map { try Self.end(before: $0, in: folder, through: durable) } ?? .max)
        guard last > 0 else {
            var history = PlayerHistory(account, nil, page)
            // Pruned: hands of before are no longer here.
            if try folder.segmentStarts().first ?? 1 > 1 { history.merge(nil) }
            return history
        }
        let start = min(try folder.readingStart(within: bytes, through: last), last)
        var history = PlayerHistory(account, start > 0 ? try SavedState.checkpoint(at: start, in: folder) : nil, page)
        guard start < last else { return history }
        var lines = 0
        try folder.records(from: start + 1, through: last) { line, place throws(any Error) in
            lines += 1
            if lines % 4096 == 0, isStopped { throw Stopped() }
            try history.add(line, at: place)
        }
        return history
    }

    /// The last frame of the segments that begin before a time: by binary search, for a long history has hundreds.
    /// 0 where the first one begins later.
    private static func end(before time: Int64, in folder: JournalFolder, through durable: UInt64) throws -> UInt64 {
        struct Found: Error {}
        let starts = try folder.segmentStarts()
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            var first: Int64?
            do {
                // Some lines have no time, such as a rename.
                try folder.records(from: starts[middle], through: durable) { line, _ throws(any Error) in
                    first = try Record.shownTime(of: line)
                    if first != nil { throw Found() }
                }
            } catch is Found {}
            if let first, first >= time { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? 0 : low < starts.count ? starts[low] - 1 : .max
    }
}

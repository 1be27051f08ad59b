import Dispatch
import Journal
import Records
import Sockets
import Synchronization
import TableEngine
import Wire

/// A player's question about their own past, on its way to the journal and back. Stays with the session that asked.
public final class HistoryTicket: Sendable {
    public enum Kind: Sendable { case history, statement }

    public let kind: Kind
    public let account: PlayerID
    let connection: ConnectionID
    /// Milliseconds since 1970.
    let time: Int64
    /// Chips of the player without open bets, for a statement if the journal cannot be read.
    let chips: Int
    let line = PendingAnswer()

    init(_ kind: Kind, of account: PlayerID, from connection: ConnectionID, chips: Int, at time: Int64) {
        self.kind = kind
        self.account = account
        self.connection = connection
        self.chips = chips
        self.time = time
    }

    /// - Parameter history: nil for a journal that cannot be read: the answer is empty then, and cut.
    package func answer(from history: PlayerHistory?) {
        let line =
            switch (kind, history) {
            case (.history, let history?): history.historyLine(at: time)
            case (.statement, let history?): history.statementLine(at: time)
            case (.history, nil): ServerMessage.history(HandHistory(since: time, isCut: true)).encoded()
            case (.statement, nil):
                ServerMessage.statement(
                    BalanceStatement(balance: chips, issued: 0, opened: nil, since: time, isCut: true)
                ).encoded()
            }
        self.line.set(line)
    }
}

/// Answers players' questions from the journal, one at a time on a background thread.
///
/// Reads files only and takes no lock that a loop holds for longer than a moment. Shows durable frames alone.
package final class HistoryReader: Sendable {
    /// Bytes of segments to read for a question at most, unless the newest checkpoint is farther back.
    static let bytes = 64 << 20
    /// Questions that may wait.
    static let capacity = 16

    package typealias Completion = @Sendable (_ ticket: HistoryTicket, _ failure: String?) -> Void

    private struct State {
        var waiting: [(ticket: HistoryTicket, done: Completion)] = []
        /// Whether a question is being answered, or the pause after it is not over.
        var isBusy = false
        var isStopped = false
    }

    private let folder: JournalFolder
    private let log: DurableLog
    private let bytes: Int
    private let state = Mutex(State())
    private let queue: BackgroundQueue

    package init(
        _ folder: JournalFolder, _ log: DurableLog, bytes: Int = HistoryReader.bytes, on system: (any SimulatedSystem)? = nil
    ) {
        queue = BackgroundQueue(label: "bj.history", qos: .background, on: system)
        self.folder = folder
        self.log = log
        self.bytes = bytes
    }

    /// Queues a question.
    /// - Parameter done: called on the background thread once the ticket has its answer, with the reason of a failure.
    /// - Returns: false if too many wait.
    package func ask(_ ticket: HistoryTicket, done: @escaping Completion) -> Bool {
        let (isTaken, starts) = state.withLock { state in
            guard !state.isStopped, state.waiting.count < Self.capacity else { return (false, false) }
            state.waiting.append((ticket, done))
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
        let next = state.withLock { state in
            if state.waiting.isEmpty { state.isBusy = false }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        guard let next else { return }
        let start = DispatchTime.now()
        do {
            next.ticket.answer(from: try read(next.ticket.account))
            next.done(next.ticket, nil)
        } catch {
            next.ticket.answer(from: nil)
            next.done(next.ticket, "\(error)")
        }
        // Leaves half a core to the game under any number of questions.
        queue.async(pausingAsLongAsSince: start) { [weak self] in self?.answerNext() }
    }

    /// Reads again if the folder was pruned meanwhile.
    func read(_ account: PlayerID) throws -> PlayerHistory {
        do { return try readOnce(account) } catch { return try readOnce(account) }
    }

    private struct Stopped: Error {}

    private func readOnce(_ account: PlayerID) throws -> PlayerHistory {
        try read(through: log.durable) {
            PlayerHistory(account, $0)
        } adding: {
            try $0.add($1, at: $2)
        }
    }

    /// Reads the evening that a start goes on with, in the background.
    /// - Parameters:
    ///   - last: the last frame before that start.
    ///   - done: called on the background thread with the results until then, as far back as ``bytes`` reach; not if they cannot be read.
    func readEvening(through last: UInt64, done: @escaping @Sendable (Evening) -> Void) {
        queue.async { [self] in
            let recorded = try? read(through: last) {
                RecordedEvening($0)
            } adding: { evening, line, place in
                evening.add(try Record(line: line), at: place)
            }
            if let recorded { done(recorded.evening) }
        }
    }

    /// Adds the records of the last segments to a value.
    /// - Parameter initial: makes the value of the state before the first record; nil for the whole journal.
    private func read<Value>(
        through last: UInt64, _ initial: (SavedState?) -> Value,
        adding add: (inout Value, UnsafeBufferPointer<UInt8>, RecordPlace) throws -> Void
    ) throws -> Value {
        let start = min(try folder.readingStart(within: bytes), last)
        var value = initial(start > 0 ? try SavedState.checkpoint(at: start, in: folder) : nil)
        guard start < last else { return value }
        var lines = 0
        try folder.records(from: start + 1, through: last) { line, place throws(any Error) in
            lines += 1
            if lines % 4096 == 0, isStopped { throw Stopped() }
            try add(&value, line, place)
        }
        return value
    }
}

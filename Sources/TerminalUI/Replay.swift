import ClientCore
import Foundation
import TableModel

/// The way of a ``PlayerSession`` through a recording: no server is asked, and what is shown follows from the place alone. A value.
public struct Replay: Sendable {
    enum Step: Equatable, Sendable {
        case pause
        /// Places on, or back, and pauses.
        case change(Int)
        /// To the next beginning of a round, or with -1 to the last one.
        case round(Int)
    }

    /// The state at a place: steps back go on from there.
    private struct Mark: Sendable {
        var reader: RecordingReader
        var state: ClientState
        var log: MessageLog
    }

    fileprivate var reader: RecordingReader
    private let speed: Int64
    /// Shown at once.
    fileprivate let start: Int
    fileprivate(set) var isPaused = false
    /// When the next moment is shown, in milliseconds of the session; nil at the end and in a pause.
    fileprivate(set) var due: Int64? = 0
    private var marks: [Mark] = []

    /// - Parameters:
    ///   - speed: 1 for that of the recording.
    ///   - round: where it begins; nil for the beginning.
    public init(_ recording: Recording, speed: Int = 1, from round: Int? = nil) {
        (reader, self.speed) = (RecordingReader(recording), Int64(speed))
        start = round.flatMap { round in recording.moments.firstIndex { $0.round == round } }.map { $0 + 1 } ?? 0
    }

    private var moments: [Recording.Moment] { reader.recording.moments }

    /// ` paused 12/340 `
    var place: SafeText { "\(isPaused ? "paused" : due == nil ? "end" : "replay") \(reader.index)/\(moments.count)" }
    /// The last comment of the recording.
    var caption: SafeText { reader.caption.map { SafeText($0) } ?? "A recording." }
}

extension PlayerSession {
    /// Shows the moment that is due.
    mutating func replayDue() {
        guard let due = replay?.due, due <= now else { return }
        if let start = replay?.start, start > replay?.reader.index ?? 0 { seek(to: start) } else { showNext() }
        replay?.schedule(now)
    }

    mutating func take(_ step: Replay.Step) {
        guard let replay else { return }
        switch step {
        case .pause: self.replay?.isPaused.toggle()
        case .change(let places):
            self.replay?.isPaused = true
            if places == 1 { showNext() } else { seek(to: max(1, replay.reader.index + places)) }
        case .round(let way): seek(to: replay.round(way))
        }
        self.replay?.schedule(now)
    }

    private mutating func showNext() { if let update = readNext() { effects.append(.follow(update)) } }

    fileprivate mutating func readNext() -> ClientUpdate? {
        guard var update = replay?.reader.next() else { return nil }
        // On a screen time goes on by its own clock, in a text by the recording's.
        let time = replay?.time ?? 0
        if controls == .keys { update.state.clockOffset += time - now } else { now = time }
        let old = state
        state = update.state
        show(update, from: old)
        replay?.mark(state, screen.log)
        return update
    }

    /// Shows a place as if all before had been seen.
    fileprivate mutating func seek(to index: Int) {
        let before = effects
        (state, screen.log) = replay?.goBack(to: index) ?? (state, screen.log)
        while replay?.reader.index ?? index < index, readNext() != nil {}
        effects = before
        let table = state.snapshot.map { TableChange(table: state.table ?? "", revision: 0, old: nil, new: $0) }
        let whole = ClientUpdate(state: state, event: table.map { .table($0) } ?? .leftTable)
        if controls == .keys { effects.append(.follow(whole)) } else { show(whole, from: state) }
    }
}

extension Replay {
    fileprivate var time: Int64 { reader.index > 0 ? moments[reader.index - 1].time : 0 }

    fileprivate mutating func mark(_ state: ClientState, _ log: MessageLog) {
        guard reader.index % max(256, moments.count / 64) == 0, marks.last?.reader.index ?? 0 < reader.index else { return }
        marks.append(Mark(reader: reader, state: state, log: log))
    }

    /// - Returns: what was shown there, or at a place before; nil to read on from here.
    fileprivate mutating func goBack(to index: Int) -> (ClientState, MessageLog)? {
        guard index < reader.index else { return nil }
        let first = RecordingReader(reader.recording)
        let mark = marks.last { $0.reader.index <= index } ?? Mark(reader: first, state: first.state, log: MessageLog())
        reader = mark.reader
        return (mark.state, mark.log)
    }

    /// The place behind the first moment of another round.
    fileprivate func round(_ way: Int) -> Int {
        var moment = max(0, reader.index - 1)
        repeat { moment += way } while moment > 0 && moment < moments.count && moments[moment].round == moments[moment - 1].round
        return min(max(0, moment), moments.count - 1) + 1
    }

    /// A pause of the recording lasts a minute at most.
    fileprivate mutating func schedule(_ now: Int64) {
        let isOver = reader.index >= moments.count
        due = isPaused || isOver ? nil : now + min(moments[reader.index].time - time, 60_000) / speed
    }

    /// The recording in sentences, at once.
    public func tell(_ options: TableSession.Options, _ print: (String) -> Void) {
        let isUnicode = TerminalCapabilities(environment: options.environment, settings: options.settings).isUnicode
        var player = PlayerSession(options, .pipe)
        if start > 0 { player.seek(to: start) }
        repeat {
            for case .print(let text) in player.effects { print((isUnicode ? text : text.inASCII).text + "\n") }
            player.effects = []
        } while player.readNext() != nil
    }
}

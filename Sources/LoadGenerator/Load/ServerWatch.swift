import Dispatch
import Measuring
import Sockets

/// Polls a server's metrics during a load run, on a loop of its own. Confined to the run's queue.
final class ServerWatch: @unchecked Sendable {  // touched on `queue` alone; the reader on `loop` alone
    private let queue: DispatchQueue
    private let loop = Loop(label: "bj.load.metrics")
    private let reader: MetricsReader
    private(set) var figures = ServerFigures()
    /// Whether an answer is being waited for.
    private(set) var isBusy = false
    private var processor: (first: Double, last: Double)?

    init(_ source: MetricsReader.Source, queue: DispatchQueue) {
        self.queue = queue
        reader = MetricsReader(source, loop: loop)
    }

    /// Seconds of processor time that the server has used between the first answer and the last one; nil when it tells none.
    var processorSeconds: Double? { processor.map { max(0, $0.last - $0.first) } }

    /// Asks, unless an answer is being waited for.
    func ask() {
        guard !isBusy else { return }
        isBusy = true
        loop.perform { [self] in
            reader.read { [self] result in
                queue.async { [self] in take(result) }
            }
        }
    }

    func stop() { loop.stop() }

    private func take(_ result: Result<MetricsAnswer, MetricsFault>) {
        isBusy = false
        figures.take(result, at: Microclock.now)
        guard case .success(let answer) = result, let seconds = answer["process_cpu_seconds_total"] else { return }
        processor = (processor?.first ?? seconds, seconds)
    }
}

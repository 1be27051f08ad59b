import Measuring
import Sockets

/// Polls a server's metrics during a load run, on a loop of its own. Confined to the run's loop.
final class ServerWatch {
    private let control: Loop
    private let reader: LoopConfined<MetricsReader>
    private(set) var figures = ServerFigures()
    /// Whether an answer is being waited for.
    private(set) var isBusy = false
    private var processor: (first: Double, last: Double)?

    /// - Parameter control: the run's loop.
    init(_ source: MetricsReader.Source, control: Loop) {
        self.control = control
        let loop = Loop(label: "bj.load.metrics")
        reader = LoopConfined(sending: MetricsReader(source, loop: loop), on: loop)
    }

    /// Seconds of processor time that the server has used between the first answer and the last one; nil when it tells none.
    var processorSeconds: Double? { processor.map { max(0, $0.last - $0.first) } }

    /// Asks, unless an answer is being waited for.
    func ask() {
        guard !isBusy else { return }
        isBusy = true
        let here = LoopConfined(self, on: control)
        reader.perform { reader in
            reader.read { result in here.perform { $0.take(result) } }
        }
    }

    func stop() { reader.loop.stop() }

    private func take(_ result: Result<MetricsAnswer, MetricsFault>) {
        isBusy = false
        figures.take(result, at: Microclock.now)
        guard case .success(let answer) = result, let seconds = answer["process_cpu_seconds_total"] else { return }
        processor = (processor?.first ?? seconds, seconds)
    }
}

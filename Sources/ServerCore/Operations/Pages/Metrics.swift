import Foundation
import Rules
import Sockets
import Synchronization
import TableModel
import Wire

/// A server's metrics: those that the dashboard or an alert reads. Counters are updated where events happen, on any loop; ``Server/measure(timeout:)``
/// updates gauges that are cheaper to compute on demand.
public final class Metrics: Sendable {
    // Connections
    let connections = Metric("bj_connections", "Open connections.")
    let refusedConnections = Metric(
        "bj_connections_refused_total", "Refused connections, by reason.", label: "reason",
        ["full", "too_many_from_address", "too_fast", "banned", "proxy_header", "proxy_not_trusted"])
    let players = Metric("bj_players", "Known players, by presence.", label: "state", ["here", "away"])
    let accounts = Metric(
        "bj_accounts", "Accounts with a secret, of present and absent players. With several servers, of the house.")
    let accountsLimit = Metric("bj_accounts_limit", "Maximum number of accounts.")
    let outboundQueue = Metric("bj_outbound_queue_bytes", "Bytes queued for clients.")
    let evictions = Metric("bj_viewers_evicted_total", "Connections closed because the peer read too slowly.")
    let collapses = Metric("bj_viewers_collapsed_total", "Collapsed diffs sent to slow viewers.")
    let lingering = Metric("bj_connections_lingering", "Refused connections that are still open.")
    let acceptFailures = Metric(
        "bj_accept_failures_total", "Failures to accept a connection for lack of descriptors or memory.")

    // Several servers
    let relayed = Metric("bj_relayed_connections", "Client connections that are relayed to another server of the house.")
    let relayFailures = Metric(
        "bj_relay_failures_total",
        "Relays that failed: the other server was unreachable, did not answer, or broke the protocol.")
    package let partitions = Metric("bj_partitions", "Partitions of the store; 0 without one.")
    package let partition = Metric("bj_partition_number", "The partition that this process owns; 0 as a spare.")
    package let leftAlone = Metric(
        "bj_partition_left_alone", "Partitions without an owner that spares do not take over, since starts on them fail.")

    // Games
    let tables = Metric("bj_tables", "Tables, by phase.", label: "state", RoundPhase.allCases.map(\.rawValue))
    let seats = Metric("bj_seats", "Seats, by occupant.", label: "state", ["free", "player", "bot", "away"])
    let rounds = Metric("bj_rounds_total", "Rounds dealt.")
    let hands = Metric("bj_hands_total", "Hands settled, by outcome.", label: "outcome", Outcome.allCases.map(\.name))
    let timeouts = Metric("bj_turn_timeouts_total", "Decisions made by time-out.")
    let voided = Metric("bj_rounds_voided_total", "Voided rounds, whose bets were returned.")
    let voidAttempts = Metric(
        "bj_shoe_attempts_void_total", "Failed attempts of a shuffle ceremony: a player withheld the reveal or left.")
    let chipsInPlay = Metric("bj_chips_in_play", "Chips of players and bets at tables.")
    let imbalance = Metric("bj_ledger_imbalance_chips", "Sum of bank, accounts, tables and house; always 0.")

    // The protocol
    let errors = Metric(
        "bj_protocol_errors_total", "Refused requests, by error code.", label: "code",
        ErrorCode.allCases.map(\.rawValue))
    let actionDuration = Metric(
        "bj_action_duration_seconds", "Time from reading an action to queuing its answer and diffs.", digits: 9,
        // 1, 2 and 5 per decade, 5 µs to 1 s.
        bounds: [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000].map { $0 * 1_000 })

    // The server
    let loopLag = Metric("bj_loop_lag_seconds", "Latency of the slowest loop at the last measurement.", digits: 9)
    let stalls = Metric("bj_disk_stalls_total", "Times that records waited too long for the disk.")
    let stalled = Metric("bj_disk_stalled", "1 while play is paused because disk or database do not respond.")
    let journalBytes = Metric("bj_journal_bytes", "Bytes of the journal's segments and checkpoints; -1 if unknown.")
    let journalSyncs = Metric(
        "bj_journal_sync_seconds", "Time of a sync of the journal.", digits: 6,
        // 100 µs to 10 s.
        bounds: [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000])
    let checkpointAge = Metric(
        "bj_checkpoint_age_seconds",
        "Age of the newest checkpoint; 0 before the first, -1 if unknown. Grows on a quiet server.")
    let checkpointFailures = Metric(
        "bj_checkpoint_failures_total", "Checkpoints that could not be written, or whose journal could not be read.")
    let freeBytes = Metric("bj_data_free_bytes", "Free bytes on the data folder's disk; -1 if unknown, as with a database.")
    public let droppedLines = Metric("bj_log_lines_dropped_total", "Log lines dropped because the queue was full.")

    // The process, under the standard names; all but the first and the last on Linux alone.
    private let processor = Metric("process_cpu_seconds_total", "CPU time of this process, user and system.", digits: 6)
    private let resident = Metric("process_resident_memory_bytes", "Resident memory of this process.")
    private let descriptors = Metric("process_open_fds", "Open file descriptors.")
    private let start = Metric("process_start_time_seconds", "Start time of this process, in seconds since 1970.", digits: 3)
    private let descriptorLimit = Metric("process_max_fds", "Limit on open file descriptors.")

    public init() {
        // A spare measures nothing and keeps these values.
        for gauge in [journalBytes, checkpointAge, freeBytes] { gauge.set(-1) }
    }

    /// All metrics in Prometheus's text format, version 0.0.4.
    public var text: String {
        measureProcess()
        return Mirror(reflecting: self).children.compactMap { ($0.value as? Metric)?.text }.joined()
    }

    private func measureProcess() {
        var usage = rusage()
        #if canImport(Glibc)
            _ = getrusage(RUSAGE_SELF.rawValue, &usage)
        #else
            _ = getrusage(RUSAGE_SELF, &usage)
        #endif
        let seconds = Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)
        processor.set(seconds * 1_000_000 + Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec))
        func text(_ path: String) -> String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        // The second field counts pages.
        let words = text("/proc/self/statm").split(separator: " ")
        resident.set((words.count > 1 ? Int(words[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE)))
        let limit = DescriptorLimit.now
        descriptorLimit.set(limit)
        // Subtracts the descriptor of the listing itself. If the listing fails for lack of descriptors, all are in use.
        descriptors.set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 } ?? limit)
        // Field 22, in clock ticks since boot. The name in field 2 may hold spaces: split after the last parenthesis.
        let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
        guard fields.count > 19, let ticks = Int(fields[19]), let boot else { return }
        start.set(boot * 1000 + ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// A Prometheus metric with its values: a counter if the name ends in `_total`, a histogram if it has bounds, else a gauge. Relaxed atomics, so
/// that a scrape waits for no loop.
public final class Metric: Sendable {
    private final class Cell: Sendable { let value = Atomic<Int>(0) }

    private let name: String
    private let help: String
    /// Decimal digits from the unit of the values to that of the name: 9 from nanoseconds to seconds.
    private let digits: Int
    private let label: String
    /// The label's values: a closed set, so that network data cannot create time series.
    private let labels: [String]
    private let indices: [String: Int]
    /// A histogram's inclusive upper bounds of all buckets but the last, which has none.
    private let bounds: [Int]
    /// One cell, or one for each value of the label; a histogram has one for each bucket, and the sum.
    private let cells: [Cell]

    public init(
        _ name: String, _ help: String, digits: Int = 0, label: String = "", _ labels: [String] = [], bounds: [Int] = []
    ) {
        (self.name, self.help, self.digits, self.label, self.labels, self.bounds) = (name, help, digits, label, labels, bounds)
        indices = Dictionary(uniqueKeysWithValues: zip(labels, labels.indices))
        cells = (0..<(bounds.isEmpty ? max(1, labels.count) : bounds.count + 2)).map { _ in Cell() }
    }

    /// The values; a histogram's are the counts of its buckets, then the sum.
    var values: [Int] { cells.map { $0.value.load(ordering: .relaxed) } }
    public var value: Int { cells[0].value.load(ordering: .relaxed) }
    public func set(_ value: Int) { cells[0].value.store(value, ordering: .relaxed) }
    public func add(_ amount: Int = 1) { cells[0].value.wrappingAdd(amount, ordering: .relaxed) }

    /// Counts one of a label's values.
    package func count(_ label: String) {
        guard let index = indices[label] else { preconditionFailure("\(name) has no label \(label)") }
        cells[index].value.wrappingAdd(1, ordering: .relaxed)
    }

    /// Sets all values of a label; a missing one is 0.
    func set(_ values: [String: Int]) {
        for (label, cell) in zip(labels, cells) { cell.value.store(values[label] ?? 0, ordering: .relaxed) }
    }

    /// Adds an observation, 0 or more, to a histogram.
    func observe(_ value: Int) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        cells[bucket].value.wrappingAdd(1, ordering: .relaxed)
        cells[bounds.count + 1].value.wrappingAdd(max(0, value), ordering: .relaxed)
    }

    /// The metric in Prometheus's text format.
    var text: String {
        let values = values
        let kind = bounds.isEmpty ? name.hasSuffix("_total") ? "counter" : "gauge" : "histogram"
        var lines = ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)"]
        if bounds.isEmpty {
            let suffixes = labels.isEmpty ? [""] : labels.map { "{\(label)=\"\($0)\"}" }
            lines += zip(suffixes, values).map { "\(name)\($0) \(decimal($1))" }
        } else {
            var total = 0
            for (bound, count) in zip(bounds.map(decimal) + ["+Inf"], values) {
                total += count
                lines.append("\(name)_bucket{le=\"\(bound)\"} \(total)")
            }
            // The count is the last bucket's, so that both agree.
            lines += ["\(name)_sum \(decimal(values[values.count - 1]))", "\(name)_count \(total)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// 1,500,000 with 9 digits is `0.0015`. Exact: no floating point.
    private func decimal(_ value: Int) -> String {
        guard digits > 0 else { return String(value) }
        var text = String(value.magnitude)
        if text.count <= digits { text = String(repeating: "0", count: digits + 1 - text.count) + text }
        let fraction = text.suffix(digits)
        let shown = fraction.lastIndex { $0 != "0" }.map { "." + fraction[...$0] } ?? ""
        return (value < 0 ? "-" : "") + text.dropLast(digits) + shown
    }
}

import Foundation

/// The dashboard for Grafana. Panels are numbered and laid out in rows of three.
struct Dashboard: Sendable {
    struct Panel: Sendable {
        let title: String
        let explanation: String
        let unit: String
        /// Legend and PromQL.
        let series: [(legend: String, expression: String)]
    }

    static let panels = [
        Panel(
            title: "Players", explanation: "Players who are here, and players whose seat is kept.", unit: "short",
            series: [("{{state}}", "bj_players")]),
        Panel(
            title: "Connections", explanation: "Open connections, those relayed to other servers, and refused per second.",
            unit: "short",
            series: [
                ("open", "bj_connections"), ("relayed", "bj_relayed_connections"),
                ("refused/s", "sum(rate(bj_connections_refused_total[1m]))"),
            ]),
        Panel(title: "Seats", explanation: "Seats by occupant.", unit: "short", series: [("{{state}}", "bj_seats")]),
        Panel(title: "Tables", explanation: "Tables by phase.", unit: "short", series: [("{{state}}", "bj_tables")]),
        Panel(
            title: "Rounds and hands", explanation: "Dealt rounds and settled hands per second.", unit: "ops",
            series: [("rounds", "rate(bj_rounds_total[1m])"), ("hands", "sum(rate(bj_hands_total[1m]))")]),
        Panel(
            title: "Hands by outcome", explanation: "Share of each outcome in the last ten minutes.", unit: "percentunit",
            series: [
                (
                    "{{outcome}}",
                    "rate(bj_hands_total[10m]) / ignoring(outcome) group_left sum without (outcome) (rate(bj_hands_total[10m]))"
                )
            ]),
        Panel(
            title: "Time of an action", explanation: "From reading a line to queuing its answer and diffs.", unit: "s",
            series: [
                ("p50", "histogram_quantile(0.5, sum by (le) (rate(bj_action_duration_seconds_bucket[1m])))"),
                ("p99", "histogram_quantile(0.99, sum by (le) (rate(bj_action_duration_seconds_bucket[1m])))"),
            ]),
        Panel(
            title: "Loop lag", explanation: "Latency of the slowest loop; above 0.1 s is an alert.", unit: "s",
            series: [("lag", "bj_loop_lag_seconds")]),
        Panel(
            title: "Slow viewers",
            explanation: "Bytes that wait for clients; diffs collapsed for, and connections closed to, slow ones.",
            unit: "short",
            series: [
                ("bytes waiting", "bj_outbound_queue_bytes"), ("collapsed/s", "rate(bj_viewers_collapsed_total[1m])"),
                ("closed/s", "rate(bj_viewers_evicted_total[1m])"),
            ]),
        Panel(
            title: "Chips", explanation: "Chips in play. The imbalance is always 0.", unit: "short",
            series: [("in play", "bj_chips_in_play"), ("imbalance", "bj_ledger_imbalance_chips")]),
        Panel(
            title: "Refused requests", explanation: "Per second and error code.", unit: "ops",
            series: [
                ("{{code}}", "rate(bj_protocol_errors_total[1m]) > 0 or bj_protocol_errors_total{code=\"invalid_json\"} * 0")
            ]),
        Panel(
            title: "Time-outs and void rounds",
            explanation: "Decisions by time-out and rounds whose bets were returned, per minute.",
            unit: "short",
            series: [
                ("time-outs", "rate(bj_turn_timeouts_total[5m]) * 60"), ("void rounds", "rate(bj_rounds_voided_total[5m]) * 60"),
                ("void ceremonies", "rate(bj_shoe_attempts_void_total[5m]) * 60"),
            ]),
        Panel(
            title: "Disk",
            explanation: "1 while play waits for the disk; stalls of a loop and failed checkpoints in ten minutes.",
            unit: "short",
            series: [
                ("stalled now", "bj_disk_stalled"), ("stalls", "increase(bj_disk_stalls_total[10m])"),
                ("failed checkpoints", "increase(bj_checkpoint_failures_total[10m])"),
            ]),
        Panel(
            title: "Accounts", explanation: "Accounts, their bound, and those that went in an hour because they never played.",
            unit: "short",
            series: [
                ("accounts", "bj_accounts"), ("bound", "bj_accounts_limit"),
                ("expired", "increase(bj_accounts_expired_total[1h])"),
            ]),
        Panel(
            title: "Sync of the journal", explanation: "Every answer waits for one; age of the newest checkpoint.", unit: "s",
            series: [
                ("p50", "histogram_quantile(0.5, sum by (le) (rate(bj_journal_sync_seconds_bucket[1m])))"),
                ("p99", "histogram_quantile(0.99, sum by (le) (rate(bj_journal_sync_seconds_bucket[1m])))"),
                ("checkpoint age", "bj_checkpoint_age_seconds"),
            ]),
        Panel(
            title: "Data folder", explanation: "Bytes of the journal, and bytes left on its disk.", unit: "bytes",
            series: [("journal", "bj_journal_bytes"), ("free", "bj_data_free_bytes")]),
        Panel(
            title: "Processor", explanation: "Processors in use, user and system.", unit: "short",
            series: [("processors", "rate(process_cpu_seconds_total[1m])")]),
        Panel(
            title: "Memory and descriptors", explanation: "Resident bytes; share of the descriptors in use.", unit: "short",
            series: [
                ("resident MB", "process_resident_memory_bytes / 1e6"),
                ("descriptors %", "100 * process_open_fds / process_max_fds"),
            ]),
    ]

    static var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(Document(panels: panels.enumerated().map(Document.Panel.init))) else {
            preconditionFailure("strings and numbers can be encoded")
        }
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }
}

extension Dashboard {
    /// The part of Grafana's dashboard model that is used.
    fileprivate struct Document: Encodable {
        struct Range: Encodable { var from = "now-1h", to = "now" }
        struct Source: Encodable { var type = "prometheus", uid = "bjserver" }
        struct Place: Encodable { var h = 8, w = 8, x: Int, y: Int }
        struct Defaults: Encodable { var unit: String, min = 0 }
        struct Fields: Encodable { var defaults: Defaults, overrides: [String] = [] }
        struct Target: Encodable { var refId: String, expr: String, legendFormat: String, datasource = Source() }

        struct Panel: Encodable {
            var id: Int, type = "timeseries", title: String, description: String
            var gridPos: Place, datasource = Source(), fieldConfig: Fields, targets: [Target]

            init(_ index: Int, _ panel: Dashboard.Panel) {
                id = index + 1
                (title, description) = (panel.title, panel.explanation)
                gridPos = Place(x: index % 3 * 8, y: index / 3 * 8)
                fieldConfig = Fields(defaults: Defaults(unit: panel.unit))
                targets = zip("ABCDEF", panel.series).map {
                    Target(refId: String($0), expr: $1.expression, legendFormat: $1.legend)
                }
            }
        }

        var uid = "bjserver", title = "Blackjack", tags = ["blackjack"], timezone = "browser", refresh = "10s"
        var schemaVersion = 39, editable = true, time = Range(), panels: [Panel]
    }
}

import CommandLineKit

extension InstalledFiles {
    var prometheus: String {
        """
        global:
          scrape_interval: 10s
          evaluation_interval: 10s
        rule_files: [alerts.yml]
        scrape_configs:
          - job_name: bjserver
            static_configs:
              - targets: ["\(options.metrics)"]

        """
    }

    /// Grafana reads it with GF_PATHS_PROVISIONING=PREFIX/share/bjserver/grafana.
    var dataSource: String {
        """
        apiVersion: 1
        datasources:
          - name: bjserver
            uid: bjserver
            type: prometheus
            access: proxy
            url: http://\(options.prometheus)
            isDefault: true
            editable: false

        """
    }

    var dashboardProvider: String {
        """
        apiVersion: 1
        providers:
          - name: bjserver
            type: file
            options:
              path: \(prefix)/\(Self.samples)/grafana/dashboards

        """
    }
}

/// An alert of Prometheus.
struct Alert: Sendable {
    let name: String
    /// PromQL.
    let expression: String
    /// Time for which it must hold, in Prometheus' notation.
    let duration: String
    /// `page`: a person is needed at once. `ticket`: within days.
    let severity: String
    let summary: String
    let action: String

    static let all = [
        Alert(
            name: "BlackjackDown", expression: "up{job=\"bjserver\"} == 0", duration: "1m", severity: "page",
            summary: "The server does not answer.", action: "systemctl status bjserver; its log has the reason."),
        Alert(
            name: "BlackjackChipsImbalanced", expression: "bj_ledger_imbalance_chips != 0", duration: "0s", severity: "page",
            summary: "Bank, accounts, tables and house do not add up to zero.",
            action: "Drain the server, keep the data folder, run 'bjserver audit' on a copy, and report the fault."),
        Alert(
            name: "BlackjackDescriptorsShort", expression: "process_open_fds / process_max_fds > 0.9", duration: "1m",
            severity: "page", summary: "More than nine tenths of the descriptors are in use.",
            action: "Raise LimitNOFILE, or lower --max-connections."),
        Alert(
            name: "BlackjackAcceptFails", expression: "increase(bj_accept_failures_total[5m]) > 0", duration: "0s",
            severity: "page", summary: "The system refuses connections for lack of descriptors or memory.",
            action: "Raise LimitNOFILE or MemoryMax, or lower --max-connections."),
        Alert(
            name: "BlackjackLoopLags", expression: "avg_over_time(bj_loop_lag_seconds[1m]) > 0.1", duration: "2m",
            severity: "page",
            summary: "A loop answers more than 100 ms late on average.", action: "Give the server a processor, or more --loops."),
        Alert(
            name: "BlackjackDiskStalls", expression: "bj_disk_stalled == 1 or increase(bj_disk_stalls_total[10m]) > 0",
            duration: "0s", severity: "page",
            summary: "The disk keeps the server waiting: play stands still, or did within ten minutes.",
            action: "Check space and speed of the data folder's disk (df, iostat); see --durability."),
        Alert(
            name: "BlackjackCheckpointFails", expression: "increase(bj_checkpoint_failures_total[1h]) > 0", duration: "0s",
            severity: "ticket", summary: "A checkpoint could not be written.",
            action: "Check space on the data folder's disk: without checkpoints the journal grows."),
        Alert(
            name: "BlackjackReloadRefused", expression: "increase(bj_config_reloads_total{result=\"refused\"}[10m]) > 0",
            duration: "0s", severity: "ticket", summary: "A faulty configuration was not applied.",
            action: "The log has key and reason (config_refused)."),
        Alert(
            name: "BlackjackLogLinesLost", expression: "increase(bj_log_lines_dropped_total[10m]) > 0", duration: "0s",
            severity: "ticket", summary: "Log lines were dropped: their reader is too slow.", action: "Check the log's reader."),
        Alert(
            name: "BlackjackAccountsNearlyFull", expression: "bj_accounts / bj_accounts_limit > 0.9", duration: "1m",
            severity: "ticket", summary: "More than nine tenths of the accounts are in use.",
            action: "Raise --max-accounts, or stop the server and run 'bjserver accounts DIR delete --unused-since DATE'."),
        Alert(
            name: "BlackjackNearlyFull",
            expression: "bj_connections_lingering > 200 or increase(bj_connections_refused_total{reason=\"full\"}[10m]) > 0",
            duration: "0s", severity: "ticket", summary: "Players are refused: the server is full.",
            action: "Raise --max-connections and LimitNOFILE."),
    ]

    /// A rule file of Prometheus.
    static var rules: String {
        let header = "groups:\n  - name: bjserver\n    rules:\n"
        return header
            + all.map { alert in
                """
                      - alert: \(alert.name)
                        expr: '\(alert.expression)'
                        for: \(alert.duration)
                        labels: {severity: \(alert.severity)}
                        annotations:
                          summary: "\(alert.summary)"
                          action: "\(alert.action)"

                """
            }.joined()
    }
}

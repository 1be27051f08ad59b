import Foundation
import ServerCore
import TestKit
import Testing

@testable import bjserver

private let files = InstalledFiles(InstallOptions(), prefix: "/opt/bj").all

private func text(_ suffix: String) throws -> String { try #require(files.first { $0.path.hasSuffix(suffix) }).text }

/// The names of metrics in PromQL.
private func metrics(in expression: String) -> [String] {
    expression.matches(of: /(bj|process)_[a-z_]+/).map { String($0.output.0).replacing(/_(bucket|sum|count)$/, with: "") }
}

@Suite struct InstalledFilesTests {
    @Test func everyFileHasAPathOfItsOwn_andEndsWithALine() {
        #expect(Set(files.map(\.path)).count == files.count)
        for file in files { #expect(file.text.hasSuffix("\n") && !file.text.hasPrefix("\n"), "\(file.path)") }
    }

    /// There is a metric for each question, and a question for each metric.
    @Test func dashboardAndAlertsAskForTheMetricsThatTheServerHas() throws {
        let known = Set(metrics(in: Metrics().text))
        let alerts = try text("alerts.yml").matches(of: /expr: '(.*)'/).map { String($0.1) }
        let targets = try panels().compactMap { $0["targets"] as? [[String: Any]] }.flatMap(\.self)
        let asked = targets.compactMap { $0["expr"] as? String } + alerts
        #expect(alerts.count > 12 && targets.count > 30)
        #expect(Set(asked.flatMap(metrics)).symmetricDifference(known) == [])
    }

    private func panels() throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: Data(text("dashboards/bjserver.json").utf8)) as? [String: Any]
        return try #require(object?["panels"] as? [[String: Any]])
    }

    @Test func theDashboardsPanels_doNotOverlap() throws {
        let places = try panels().compactMap { $0["gridPos"] as? [String: Int] }.map { [$0["x"], $0["y"]] }
        #expect(try Set(places).count == panels().count)
    }

    @Test func noPlaceholderIsLeft() {
        for file in files where file.path.hasPrefix("lib/") || file.path.hasPrefix("share/bjserver/") {
            #expect(file.text.firstMatch(of: /@[A-Z-]+@/) == nil, "\(file.path)")
        }
    }

    @Test func unitsAndSamplesNamePathsBelowThePrefix() throws {
        #expect(try text("bjserver.service").contains("\nExecStart=/opt/bj/bin/bjserver\n"))
        #expect(try text("sshd-play.conf").contains("ForceCommand /opt/bj/bin/bjclient 127.0.0.1:2121 --guest\n"))
        let command = "/opt/bj/bin/bjclient 127.0.0.1:2121 --by-ssh-key --proxy 127.0.0.1:2122\n"
        #expect(try text("sshd-play.conf").contains("ForceCommand \(command)"))
        #expect(try text("dashboards/bjserver.yml").contains("path: /opt/bj/share/bjserver/grafana/dashboards\n"))
    }

    @Test func prometheusAsksOneServer_orAllOfAHouse() throws {
        #expect(try text("prometheus.yml").contains("- targets: [\"127.0.0.1:9121\"]\n"))
        let hosts = #"["server-1:9121", "server-2:9121", "server-3:9121"]"#
        #expect(try text("prometheus-cluster.yml").contains("- targets: \(hosts)\n"))
    }

    @Test(arguments: ["haproxy.cfg", "haproxy-cluster.cfg"])
    func haproxyLooksNamesUpAgain_butNoAddresses(_ file: String) throws {
        func text(_ hosts: String...) throws -> String {
            var options = InstallOptions()
            (options.backends, options.proxy.host) = (hosts, hosts[0])
            return try #require(InstalledFiles(options, prefix: "/opt").all.first { $0.path.hasSuffix("/\(file)") }).text
        }
        let named = try text("table-1", "table-2")
        #expect(
            named.contains("\nresolvers names\n    parse-resolv-conf\n")
                && named.contains(" resolvers names init-addr last,libc,none\n"))
        for address in ["192.0.2.1", "2001:db8::1", "localhost"] {
            #expect(try !text(address, "192.0.2.2").contains("resolvers"))
        }
    }

    /// A packaged HAProxy starts as root.
    @Test(arguments: ["haproxy.cfg", "haproxy-cluster.cfg"])
    func haproxyGivesUpItsRights_andLogs(_ file: String) throws {
        let lines = try text(file).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in ["user haproxy", "group haproxy", "chroot /var/lib/haproxy", "log /dev/log local0", "log global"] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func theUnitStopsLaterThanTheDrainEnds_andDoesNotRepeatAFaultOfItsSettings() throws {
        let unit = try text("bjserver.service")
        for line in [
            "RestartPreventExitStatus=64 65 66 73 77", "RestartSteps=5", "RestartMaxDelaySec=30", "StartLimitIntervalSec=0",
        ] {
            #expect(unit.contains("\n\(line)\n"))
        }
        let seconds = try #require(try text("bjserver.service").firstMatch(of: /TimeoutStopSec=(\d+)/)?.output.1)
        #expect(Int(seconds).map { $0 * 1000 > ServeOptions().drainTimeout } == true)
    }
}

import Foundation
import Testing

@testable import ServerCore

private func action(_ values: Int...) -> Metric {
    let metric = Metric("bj_action_duration_seconds", "How long.", digits: 9, bounds: [1_000, 10_000, 1_000_000_000])
    for value in values { metric.observe(value) }
    return metric
}

@Test func theTextIsWhatTheFormatSays() {
    let chips = Metric("bj_chips", "Chips.")
    chips.set(-7)
    let things = Metric("bj_things_total", "Things by colour.", label: "colour", ["red", "dark_blue"])
    for _ in 0..<2 { things.count("dark_blue") }
    #expect(
        [chips, things, action(0, 1_000, 1_001, 2_000_000_000)].map(\.text).joined() == """
            # HELP bj_chips Chips.
            # TYPE bj_chips gauge
            bj_chips -7
            # HELP bj_things_total Things by colour.
            # TYPE bj_things_total counter
            bj_things_total{colour="red"} 0
            bj_things_total{colour="dark_blue"} 2
            # HELP bj_action_duration_seconds How long.
            # TYPE bj_action_duration_seconds histogram
            bj_action_duration_seconds_bucket{le="0.000001"} 2
            bj_action_duration_seconds_bucket{le="0.00001"} 3
            bj_action_duration_seconds_bucket{le="1"} 3
            bj_action_duration_seconds_bucket{le="+Inf"} 4
            bj_action_duration_seconds_sum 2.000002001
            bj_action_duration_seconds_count 4

            """)
    things.set(["red": 5])
    #expect(things.values == [5, 0])
}

@Test func aDecimalIsExactAtEveryScale() {
    func text(_ value: Int, digits: Int) -> Substring? {
        let metric = Metric("x", "X.", digits: digits)
        metric.set(value)
        return metric.text.split(separator: "\n").last?.dropFirst(2)
    }
    #expect(text(.min, digits: 9) == "-9223372036.854775808" && text(.max, digits: 0) == "9223372036854775807")
    for (value, decimal) in [(0, "0"), (1, "0.001"), (-1, "-0.001"), (1_000, "1"), (-1_500, "-1.5"), (12_340, "12.34")] {
        #expect(text(value, digits: 3).map(String.init) == decimal)
    }
}

@Test func nothingIsLostWhenManyThreadsCount() {
    let (count, durations) = (Metric("x_total", "X."), Metric("y", "Y.", bounds: [10, 20]))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for value in 0..<2_000 {
            count.add()
            durations.observe(value % 30)
        }
    }
    #expect(count.value == 16_000 && durations.values.dropLast().reduce(0, +) == 16_000)
    #expect(durations.value == 8 * 737 && durations.values.last == 8 * (66 * 435 + 190))
}

/// Prometheus' text format, version 0.0.4: each metric once, its help and type before its samples, and no sample twice.
@Test func thePageIsOfTheFormat_andTheProcessMeasuresItself() throws {
    let sample = /([a-z_]+)(?:{([a-z]+="[A-Za-z0-9_.+]+")})? (-?[0-9.]+)/
    var (types, values): ([Substring: Substring], [Substring: Double]) = ([:], [:])
    var name: Substring = ""
    for line in Metrics().text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if let help = line.wholeMatch(of: /# HELP ([a-z_]+) [^\\]+/) {
            name = help.1
        } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge|histogram)/) {
            #expect(type.1 == name && types.updateValue(type.2, forKey: name) == nil, "\(line)")
            #expect((type.2 == "counter") == name.hasSuffix("_total"), "\(line)")
        } else {
            let found = try #require(line.wholeMatch(of: sample), "\(line)")
            let suffixes = types[name] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            #expect(suffixes.contains { name + $0 == found.1 }, "\(line)")
            #expect(values.updateValue(try #require(Double(found.3)), forKey: line.prefix { $0 != " " }) == nil, "\(line)")
        }
    }
    #expect(values["process_cpu_seconds_total"] ?? 0 > 0 && values["process_max_fds"] ?? 0 >= 3)
    #if os(Linux)
        #expect(values["process_open_fds"] ?? 0 >= 3 && values["process_resident_memory_bytes"] ?? 0 > 1_000_000)
        let start = values["process_start_time_seconds"] ?? 0
        #expect(start > 1_600_000_000 && start <= Date().timeIntervalSince1970)
    #endif
}

import Foundation
import Testing

@testable import ServerCore

private enum Colour: Int, MetricLabel { case red, darkBlue }

private func sample() -> (MetricsRegistry, Histogram) {
    let registry = MetricsRegistry()
    registry.counter("bj_lines_total", "Lines.").add(3)
    registry.counter("bj_cpu_seconds_total", "A \\ and a\nline break.", digits: 9).add(1_500_000)
    registry.gauge("bj_chips", "Chips.").set(-7)
    let colours = registry.counters("bj_things_total", "Things by colour.", label: "colour", CounterFamily<Colour>())
    colours[.darkBlue].add(2)
    registry.info("bj_build_info", "What this is.", labels: [("version", "1\"2\\3\n")])
    let histogram = registry.histogram(
        "bj_action_duration_seconds", "How long.", digits: 9, Histogram(bounds: [1_000, 10_000, 1_000_000_000]))
    return (registry, histogram)
}

@Test func theTextIsWhatTheFormatSays() {
    let (registry, histogram) = sample()
    for value in [0, 1_000, 1_001, 2_000_000_000] { histogram.observe(value) }
    #expect(
        registry.text == #"""
            # HELP bj_lines_total Lines.
            # TYPE bj_lines_total counter
            bj_lines_total 3
            # HELP bj_cpu_seconds_total A \\ and a\nline break.
            # TYPE bj_cpu_seconds_total counter
            bj_cpu_seconds_total 0.0015
            # HELP bj_chips Chips.
            # TYPE bj_chips gauge
            bj_chips -7
            # HELP bj_things_total Things by colour.
            # TYPE bj_things_total counter
            bj_things_total{colour="red"} 0
            bj_things_total{colour="dark_blue"} 2
            # HELP bj_build_info What this is.
            # TYPE bj_build_info gauge
            bj_build_info{version="1\"2\\3\n"} 1
            # HELP bj_action_duration_seconds How long.
            # TYPE bj_action_duration_seconds histogram
            bj_action_duration_seconds_bucket{le="0.000001"} 2
            bj_action_duration_seconds_bucket{le="0.00001"} 3
            bj_action_duration_seconds_bucket{le="1"} 3
            bj_action_duration_seconds_bucket{le="+Inf"} 4
            bj_action_duration_seconds_sum 2.000002001
            bj_action_duration_seconds_count 4

            """#)
}

@Test func theTextIsReadBackByAStrictReaderOfTheFormat() throws {
    let (registry, histogram) = sample()
    histogram.observe(5)
    let families = try ExpositionReader.read(registry.text)
    #expect(families.map(\.name) == registry.names)
    #expect(families[4].samples.first?.labels["version"] == "1\"2\\3\n")
    #expect(families[1].help == "A \\ and a\nline break.")
}

@Test func aDecimalIsExactAtEveryScale() {
    #expect(Decimal(value: .min, digits: 9).description == "-9223372036.854775808")
    #expect(Decimal(value: .max, digits: 0).description == "9223372036854775807")
    for (value, text) in [(0, "0"), (1, "0.001"), (-1, "-0.001"), (1_000, "1"), (-1_500, "-1.5"), (12_340, "12.34")] {
        #expect(Decimal(value: value, digits: 3).description == text)
    }
}

@Test func nothingIsLostWhenManyThreadsCount() {
    let counter = Counter()
    let gauge = Gauge()
    let histogram = Histogram(bounds: [10, 20])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for value in 0..<2_000 {
            counter.add()
            gauge.add(thread.isMultiple(of: 2) ? 1 : -1)
            histogram.observe(value % 30)
        }
    }
    #expect(counter.value == 16_000 && gauge.value == 0 && histogram.counts.reduce(0, +) == 16_000)
    #expect(histogram.counts[0] == 8 * 737 && histogram.sum == 8 * (66 * 435 + 190))
}

@Test func aScrapeBringsUpToDateFirst() {
    let registry = MetricsRegistry()
    let gauge = registry.gauge("bj_now", "Now.")
    registry.beforeEachScrape { gauge.add(1) }
    #expect(registry.text.hasSuffix("bj_now 1\n") && registry.text.hasSuffix("bj_now 2\n"))
}

@Test func theProcessMeasuresItself() throws {
    let registry = MetricsRegistry()
    ProcessMetrics.add(to: registry)
    let families = try ExpositionReader.read(registry.text)
    let values = Dictionary(uniqueKeysWithValues: families.map { ($0.name, Double($0.samples[0].value) ?? .nan) })
    #expect(values["process_cpu_seconds_total"] ?? 0 > 0 && values["process_resident_memory_bytes"] ?? 0 > 1_000_000)
    #if os(Linux)
        #expect(values["process_open_fds"] ?? 0 >= 3 && values["process_max_fds"] ?? 0 >= 3)
        let start = values["process_start_time_seconds"] ?? 0
        #expect(start > 1_600_000_000 && start <= Date().timeIntervalSince1970)
    #endif
}

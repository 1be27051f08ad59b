import CommandLineKit
import Foundation

/// The measurements of one run as a file: `bjbench --json`.
struct BenchReport: Codable {
    struct Entry: Codable {
        var name: String
        /// Nanoseconds per call.
        var median: Double
        /// Nanoseconds per call.
        var least: Double
        /// Calls of `malloc` per call.
        var allocations: Double
    }

    var version = Release.text()
    var measurements: [Entry] = []

    mutating func add(_ measurement: Measurement) {
        measurements.append(
            Entry(
                name: measurement.name, median: measurement.median, least: measurement.least, allocations: measurement.allocations
            ))
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { preconditionFailure("numbers and strings can be encoded") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// `bjbench compare`: the measurements of two files.
struct BenchCompare {
    struct Options: Sendable {
        var before = ""
        var after = ""
        /// Percent.
        var limit = 25
    }

    let options: Options

    /// Exits with 1 when a measurement in both files is slower by more than the limit, or allocates more.
    func run() -> Never {
        let (before, after) = (read(options.before), read(options.after))
        let old = Dictionary(before.measurements.map { ($0.name, $0) }) { first, _ in first }
        var worse = 0
        for entry in after.measurements {
            guard let former = old[entry.name] else {
                Console.print("new      \(entry.name): \(tenths(entry.least)) ns")
                continue
            }
            // The minimum: other work on the machine only adds to it.
            let ratio = entry.least / max(former.least, 0.1)
            let allocates = entry.allocations > former.allocations + 0.5
            let isWorse = ratio > 1 + Double(options.limit) / 100 || allocates
            if isWorse { worse += 1 }
            let allocations = allocates ? ", \(tenths(former.allocations)) -> \(tenths(entry.allocations)) allocations" : ""
            Console.print(
                "\(isWorse ? "SLOWER " : "       ")  \(entry.name): \(tenths(former.least)) -> \(tenths(entry.least)) ns, "
                    + "\(hundredths(ratio)) times\(allocations)")
        }
        let names = Set(after.measurements.map(\.name))
        for entry in before.measurements where !names.contains(entry.name) { Console.print("missing  \(entry.name)") }
        Console.print("\(worse) of \(after.measurements.count) measurements are slower by more than \(options.limit) %")
        exit(worse == 0 ? 0 : 1)
    }

    private func read(_ path: String) -> BenchReport {
        do {
            return try JSONDecoder().decode(BenchReport.self, from: Data(Console.text(of: path).utf8))
        } catch let fault as FileFault {
            Console.fail("bjbench compare", fault, status: 65)
        } catch {
            Console.fail("bjbench compare", "\(path) is no report of 'bjbench --json'", status: 65)
        }
    }
}

import CBenchmarks
import CommandLineKit
import Foundation
import Journal
import Synchronization

/// Cost of the journal: checksum, append, sync into a folder.
struct JournalMeasurement {
    struct Options: Sendable {
        var data = ""
        var bytes = 300
        var seconds = 3
    }

    let options: Options

    /// Each run measures in a folder of its own, which is removed.
    private let folder: URL

    init(options: Options) {
        self.options = options
        let parent = options.data.isEmpty ? FileManager.default.temporaryDirectory : URL(filePath: options.data)
        folder = parent.appending(path: "bjbench-journal-\(ProcessInfo.processInfo.processIdentifier)")
    }

    func run() {
        defer { try? FileManager.default.removeItem(at: folder) }
        measureChecksum()
        measureWriter()
        do {
            for durability in Durability.allCases { try measureAppends(durability) }
            try measureLatency(pause: 0)
            try measureLatency(pause: JournalConfiguration().groupInterval)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            Console.fail("bjbench", "\(error)", status: 74)
        }
    }

    private var records: [UInt8] { [UInt8](repeating: UInt8(ascii: "x"), count: options.bytes - 1) + [UInt8(ascii: "\n")] }

    /// Microseconds of this process, user and system: POSIX fixes the unit of `clock`.
    private var processorTime: Int { Int(clock()) }

    private func measureChecksum() {
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var (sum, best) = (UInt32(0), Duration.seconds(1))
        for _ in 0..<50 {
            best = min(best, ContinuousClock().measure { sum ^= bytes.withUnsafeBytes { CRC32C.extended(over: $0) } })
        }
        consume(sum)
        Console.print("CRC-32C: \(tenths(Double(bytes.count) / (best / .nanoseconds(1)))) GB/s")
    }

    /// The value core without a disk: append, frame, checksum.
    private func measureWriter() {
        let (records, groups, frames) = (records, 2000, 10)
        var writer = JournalWriter(
            continuing: JournalEnd(), house: 1, configuration: JournalConfiguration(segmentBytes: 1 << 30))
        guard case .prepare(let segment, let bytes) = writer.next(now: 0) else { return }
        writer.prepared(segment: segment, bytes: bytes)
        func group() {
            for _ in 0..<frames { _ = writer.append(records) }
            if let batch = writer.beginWrite() { writer.wrote(batch) }
            writer.synced(through: writer.written)
        }
        group()
        let before = allocation_count()
        let spent = ContinuousClock().measure { for _ in 0..<groups { group() } }
        let allocations = Double(allocation_count() - before) / Double(groups * frames)
        let nanoseconds = Int(spent / .nanoseconds(1)) / (groups * frames)
        Console.print(
            "append and frame of \(options.bytes) bytes, no disk: \(nanoseconds) ns, \(tenths(allocations)) allocations")
    }

    /// One thread appends for some seconds and stays at most 1,000 frames ahead.
    private func measureAppends(_ durability: Durability) throws {
        let log = try open("appends-\(durability)", JournalConfiguration(durability: durability))
        let (records, groups) = (records, Counter())
        log.notify { _ in groups.count.add(1, ordering: .relaxed) }
        var (frames, spent) = (0, Duration.zero)
        let clock = ContinuousClock()
        log.waitUntilDurable(log.append(records))
        let (used, allocations, start) = (processorTime, allocation_count(), clock.now)
        while clock.now - start < .seconds(options.seconds) {
            var last: UInt64 = 0
            spent += clock.measure { for _ in 0..<500 { last = log.append(records) } }
            frames += 500
            if last > 1000 { log.waitUntilDurable(last - 1000) }
            // Without a wait for durability: as much ahead as fits into a few writes.
            while durability == .none, log.waitingBytes > 4 << 20 { Thread.sleep(forTimeInterval: 0.001) }
        }
        let processor = processorTime - used
        let allocated = Double(allocation_count() - allocations) / Double(frames)
        log.close()
        let perSecond = frames / options.seconds
        let syncs = durability == .none ? "" : ", \(groups.count.load(ordering: .relaxed) / options.seconds) groups/s"
        Console.print(
            "\(durability.rawValue): \(perSecond) frames/s of \(options.bytes) bytes\(syncs), append "
                + "\(Int(spent / .nanoseconds(1)) / frames) ns, processor \(processor * 1000 / frames) ns, "
                + "\(tenths(allocated)) allocations per frame")
    }

    /// One thread appends a frame and waits until it is durable.
    private func measureLatency(pause: UInt64) throws {
        let log = try open("latency-\(pause)", JournalConfiguration(groupInterval: pause))
        let (records, clock) = (records, ContinuousClock())
        log.waitUntilDurable(log.append(records))
        var times: [Duration] = []
        let (used, start) = (processorTime, clock.now)
        while clock.now - start < .seconds(options.seconds) {
            times.append(clock.measure { _ = log.waitUntilDurable(log.append(records)) })
        }
        let processor = processorTime - used
        log.close()
        times.sort()
        let (median, tail) = (times[times.count / 2], times[times.count * 99 / 100])
        Console.print(
            "append and wait, at most one group per \(pause) µs: \(times.count / options.seconds) syncs/s, "
                + "\(Int(median / .microseconds(1))) µs (median), \(Int(tail / .microseconds(1))) µs (99%), processor "
                + "\(processor / times.count) µs")
    }

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    private func open(_ name: String, _ configuration: JournalConfiguration) throws -> DurableLog {
        let folder = try JournalFolder(
            locking: FileStorage(path: folder.appending(path: name).path, creating: true))
        return try DurableLog(
            folder, continuing: JournalEnd(), house: 1, configuration: configuration,
            callbacks: DurableLog.Callbacks(failed: { Console.fail("bjbench", "\($0)", status: 74) }))
    }
}

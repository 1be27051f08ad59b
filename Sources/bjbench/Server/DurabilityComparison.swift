import CommandLineKit
import Foundation
import Journal

/// The cost of durability: the same games on servers that keep their journal in three ways.
extension ServerComparison {
    private enum Side: String, CaseIterable {
        case durable, unsynced, memory
    }

    /// Alternates servers with a durability, without syncs and without a journal.
    func compare(_ tables: Int, _ durability: Durability) throws(BenchFailure) {
        var windows: [Side: [Window]] = [:]
        for round in 0..<options.rounds {
            // Alternates the order, so that drift affects all sides.
            let sides = round % 2 == 0 ? Side.allCases : Side.allCases.reversed()
            for side in sides { windows[side, default: []].append(try play(tables, side, durability)) }
        }
        let kinds = [Side.durable: "\(durability)", .unsynced: "none", .memory: "in memory"]
        Console.print("\(tables) tables; \(durability) ÷ each in one round")
        Console.print("              actions/s     µs per action (user + system)   latency µs   cost ratio   throughput ratio")
        for side in Side.allCases {
            guard let all = windows[side], let durable = windows[.durable] else { continue }
            let costs = zip(durable, all).map { $0.cost / $1.cost }
            let rates = zip(durable, all).map { $0.actionsPerSecond / $1.actionsPerSecond }
            let (rate, latency) = (median(all.map(\.actionsPerSecond)), median(all.compactMap(\.latency)))
            Console.print(
                column(kinds[side] ?? "", 12) + column(String(Int(rate)), 11) + column(cost(all), 34)
                    + column(String(Int(latency)), 13) + column(hundredths(median(costs)), 13)
                    + column(hundredths(median(rates)), 19)
                    + (side == .durable ? "" : "   " + costs.map(hundredths).joined(separator: " ")))
        }
    }

    private func play(_ tables: Int, _ side: Side, _ durability: Durability) throws(BenchFailure) -> Window {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bjbench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let kind: Durability? =
            switch side {
            case .durable: durability
            case .unsynced: Durability.none
            case .memory: nil
            }
        let interval = interval(tables)
        if options.syncDelay > 0 {
            let settings = SlowDiskServer.Settings(
                tables: tables, folder: folder.path, durability: kind, milliseconds: options.syncDelay)
            return try play(tables, interval, try SlowDiskServer.start(settings))
        }
        let data = kind.map { ["--data", folder.path, "--create", "--durability", $0.rawValue] } ?? ["--data", "none"]
        return try play(tables, interval, try startServer(tables, data))
    }
}

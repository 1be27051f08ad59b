import Foundation
import Journal
import TestKit
import Testing

/// A workload with a fault at every write, sync and change of names.
struct FaultTests {
    /// Groups of several frames, more than a segment, a frame longer than a segment, a checkpoint, pruning.
    private func work(_ journal: inout ScriptedJournal) {
        for round in 1...9 {
            for frame in 0..<(round % 4 + 1) { journal.append(bytes: 60 + (round * 97 + frame * 41) % 400) }
            if round == 5 { journal.append(bytes: 5000) }
            journal.now += 300
            journal.run()
            guard journal.failure == nil else { return }
            let sequence = min(journal.promised, journal.writer.written)
            if round % 3 == 0, sequence > 0 {
                try? journal.folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in
                    try writer.append("{\"state\":\(sequence)}\n".utf8)
                }
            }
        }
        journal.writer.close()
        journal.run()
    }

    private func operations(_ configuration: JournalConfiguration) throws -> Int {
        let storage = FaultStorage()
        var journal = try ScriptedJournal(storage, configuration)
        work(&journal)
        #expect(journal.failure == nil)
        #expect(journal.promised == UInt64(journal.appended.count))
        return storage.operations
    }

    /// Recovers what a crash left; checks it against what was promised; goes on, and reads all of it once more.
    private func check(_ remains: FaultStorage, _ journal: ScriptedJournal, promised: UInt64, _ place: String) throws {
        let (frames, _) = try ScriptedJournal.recover(remains)
        #expect(frames.count >= Int(promised), "\(place): durable frames are gone")
        #expect(frames[...] == journal.appended.prefix(frames.count), "\(place): frames that were never appended")
        for sequence in try JournalFolder(reading: remains).checkpoints() {
            #expect(sequence <= UInt64(frames.count), "\(place): a checkpoint outlived its frames")
            // A full disk may have no anchor.
            let anchored = try remains.content(of: FileName.anchor).map { _ in try JournalFolder(reading: remains).anchoredFrame()
            }
            #expect(sequence <= anchored ?? .max, "\(place): a checkpoint before its anchor")
            try JournalFolder(reading: remains).readCheckpoint(at: sequence) { part throws(JournalError) in
                #expect(Array(part) == Array("{\"state\":\(sequence)}\n".utf8))
            }
        }
        var second = try ScriptedJournal(remains, journal.writer.configuration)
        #expect(second.appended == frames, "\(place): opening changed the journal")
        if journal.writer.configuration.durability != .none {
            // Frames that recovery has acted on must not be lost by a power cut after it.
            let (again, _) = try ScriptedJournal.recover(remains.survivors(.everything, seed: 0))
            #expect(again == frames, "\(place): recovered frames are not durable")
        }
        for bytes in [80, 700, 3000] {
            second.append(bytes: bytes)
            second.run()
        }
        second.writer.close()
        second.run()
        #expect(second.failure == nil && second.promised == UInt64(second.appended.count), "\(place): cannot go on")
        let (all, end) = try ScriptedJournal.recover(remains)
        #expect(all == second.appended, "\(place): frames are missing after going on")
        #expect(end.cut == nil, "\(place): a cut that was noted is reported again")
    }

    /// Does the work with a fault at each of its operations.
    private func withFault(
        _ fault: FaultStorage.Fault, durability: Durability = .sync,
        _ body: (_ journal: inout ScriptedJournal, _ operation: Int) throws -> Void
    ) throws {
        let configuration = ScriptedJournal.small(durability)
        let step = Thorough.count(1, most: 1, quick: 3)
        for operation in stride(from: Int(Seed.value % UInt64(step)), to: try operations(configuration), by: step) {
            let storage = FaultStorage()
            storage.inject(fault, at: operation)
            guard var journal = try? ScriptedJournal(storage, configuration) else { continue }
            work(&journal)
            try body(&journal, operation)
        }
    }

    /// In turn with the operations, beginning with any; or all of them.
    private func losses(_ all: [FaultStorage.Loss], _ operation: Int) -> [FaultStorage.Loss] {
        Thorough.isWanted ? all : [all[(operation + Int(Seed.value % UInt64(all.count))) % all.count]]
    }

    @Test(arguments: Thorough.cases(FaultStorage.Loss.allCases, quick: 2))
    func aCrashAtAnyOperation_losesNothingDurable_andInventsNothing(_ loss: FaultStorage.Loss) throws {
        try withFault(.crash(loss)) { journal, operation in
            for seed in 0..<Thorough.count(1, most: 10) {
                let remains = journal.storage.survivors(loss, seed: Seed.value &+ UInt64(operation * 10 + seed))
                try check(remains, journal, promised: journal.promised, "\(loss) at \(operation), seed \(seed)")
            }
        }
    }

    @Test func withInterval_aKilledProcessLosesNothing_andAPowerCutNothingThatWasSynced() throws {
        try withFault(.crash(.nothing), durability: .interval) { journal, operation in
            let killed = journal.storage.survivors(.nothing, seed: 0)
            try check(killed, journal, promised: journal.promised, "killed at \(operation)")
            for loss in losses([.everything, .pages, .firstPage, .flip, .tail], operation) {
                let cut = journal.storage.survivors(loss, seed: UInt64(operation))
                try check(cut, journal, promised: journal.writer.synced, "\(loss) at \(operation)")
            }
        }
    }

    @Test func withoutSync_aKilledProcessLosesWhatWasNotWritten_only() throws {
        try withFault(.crash(.nothing), durability: .none) { journal, operation in
            try check(
                journal.storage.survivors(.nothing, seed: 0), journal, promised: journal.writer.written, "killed at \(operation)")
        }
    }

    @Test func anErrorOfAnyOperation_endsTheJournalForGood_andLosesNothingDurable() throws {
        try withFault(.error(EIO)) { journal, operation in
            let promised = journal.promised
            if journal.failure != nil {
                let operations = journal.storage.operations
                journal.append()
                journal.run()
                #expect(journal.promised == promised, "durable grew after an error at \(operation)")
                #expect(journal.storage.operations == operations, "written after an error at \(operation)")
            }
            // A power cut: a sync that failed has kept nothing of what it should have written.
            for loss in losses([.everything, .pages, .nothing], operation) {
                let remains = journal.storage.survivors(loss, seed: UInt64(operation))
                try check(remains, journal, promised: promised, "EIO at \(operation), then \(loss)")
            }
        }
    }

    @Test(arguments: [1, 5])
    func aFullDiskAtAnyOperation_stallsTheJournal_andIsOverWhenThereIsSpace(_ count: Int) throws {
        try withFault(.errors(ENOSPC, count: count)) { journal, operation in
            // Without space even a sync may fail, of data that the system then drops: no retry could know it.
            if let failure = journal.failure {
                #expect([.sync, .syncFolder].contains(failure.storage?.operation))
            } else {
                #expect(journal.promised == UInt64(journal.appended.count), "stalled for good at \(operation)")
            }
            try check(
                journal.storage.survivors(.everything, seed: 0), journal, promised: journal.promised, "ENOSPC at \(operation)")
        }
    }

    @Test func theNextSegmentIsPreparedAhead_soThatAFullDiskIsMetBeforeTheCurrentOneIsUsedUp() throws {
        let storage = FaultStorage()
        var journal = try ScriptedJournal(storage)
        journal.append()
        journal.run()
        #expect(storage.content(of: "segment-0000000002.log") == [UInt8](repeating: UInt8(ascii: "\n"), count: 2048))
        // Its blocks are on the disk, not only promised by the system.
        let remains = storage.survivors(.everything, seed: 0)
        #expect(remains.content(of: "segment-0000000002.log")?.count == 2048)
    }
}

import Journal
import TestKit
import Testing

/// The decisions of the writer: groups, segments, times.
struct WriterTests {
    private func writer(_ durability: Durability = .sync, segmentBytes: Int = 2048) -> JournalWriter {
        JournalWriter(
            continuing: JournalEnd(), house: 1,
            configuration: JournalConfiguration(durability: durability, segmentBytes: segmentBytes, groupInterval: 1000))
    }

    private let records = ScriptedJournal.records(1)

    /// A writer with a prepared segment and, if wanted, the next.
    private func prepared(_ durability: Durability = .sync) -> JournalWriter {
        var writer = writer(durability)
        guard case .prepare(1, 2048) = writer.next(now: 0) else {
            Issue.record("prepares no segment")
            return writer
        }
        writer.prepared(segment: 1, bytes: 2048)
        return writer
    }

    private func expectWait(_ writer: inout JournalWriter, now: UInt64, until: UInt64?, forAppend: Bool) throws {
        guard case .wait(let time, let wakes) = writer.next(now: now) else { throw ScriptedJournal.Failure.order }
        #expect(time == until && wakes == forAppend)
    }

    @Test func allFramesThatWait_areOneBatch_andOneIsInFlightAtATime() throws {
        var writer = prepared()
        for sequence: UInt64 in 1...3 { #expect(writer.append(records) == sequence) }
        let batch = try writer.batch()
        #expect(batch.segment == 1 && batch.offset == 0 && batch.last == 3)
        #expect(writer.append(records) == 4)
        #expect(writer.beginWrite() == nil)
        #expect(writer.durable == 0)
        writer.wrote(batch)
        writer.synced(through: 3)
        #expect(writer.durable == 3)
        let next = try writer.batch()
        #expect(next.offset == batch.bytes.count && next.last == 4)
    }

    @Test func aFrameGoesToTheNextSegment_onlyWhenTheCurrentOneIsSynced() throws {
        var writer = prepared(.interval)
        _ = writer.append([UInt8](repeating: UInt8(ascii: "\n"), count: 1200))
        writer.wrote(try writer.batch())
        _ = writer.append([UInt8](repeating: UInt8(ascii: "\n"), count: 1200))
        #expect(writer.beginWrite() == nil)
        guard case .sync(1, 1) = writer.next(now: 10_000) else { throw ScriptedJournal.Failure.order }
        writer.prepared(segment: 2, bytes: 2048)
        #expect(writer.beginWrite() == nil)
        writer.synced(through: 1)
        let next = try writer.batch()
        #expect(next.segment == 2)
    }

    @Test func aFrameLongerThanASegment_getsALongerOne() throws {
        var writer = prepared()
        _ = writer.append([UInt8](repeating: UInt8(ascii: "\n"), count: 10_000))
        guard case .prepare(1, let bytes) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        #expect(bytes > 10_000 && bytes < 10_500)
        writer.prepared(segment: 1, bytes: bytes)
        let batch = try writer.batch()
        #expect(batch.bytes.count > 10_000)
    }

    @Test func theFirstAppendIsWrittenAtOnce_laterOnesOncePerInterval() throws {
        var writer = prepared()
        try expectWait(&writer, now: 5000, until: nil, forAppend: true)
        _ = writer.append(records)
        guard case .write(let batch) = writer.next(now: 5000) else { throw ScriptedJournal.Failure.order }
        writer.wrote(batch, now: 5050)
        guard case .sync(1, 1) = writer.next(now: 5050) else { throw ScriptedJournal.Failure.order }
        writer.synced(through: 1)
        if case .prepare(2, _) = writer.next(now: 5050) { writer.prepared(segment: 2, bytes: 2048) }
        // An append need not wake it before the interval is over.
        try expectWait(&writer, now: 5100, until: 6000, forAppend: false)
        _ = writer.append(records)
        try expectWait(&writer, now: 5200, until: 6000, forAppend: false)
        guard case .write = writer.next(now: 6000) else { throw ScriptedJournal.Failure.order }
    }

    @Test func framesThatComeFast_haveRarerGroups_untilTheyComeSlowly() throws {
        var writer = writer(segmentBytes: 1 << 20)
        guard case .prepare = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        writer.prepared(segment: 1, bytes: 1 << 20)
        var (now, dues): (UInt64, [UInt64]) = (5000, [])
        // The first group has nobody before it.
        for frames in [1, 4, 16, 16, 15, 4, 3] {
            for _ in 0..<frames { _ = writer.append(records) }
            guard case .write(let batch) = writer.next(now: now) else { throw ScriptedJournal.Failure.order }
            writer.wrote(batch)
            writer.synced(through: writer.written)
            if case .prepare(2, _) = writer.next(now: now) { writer.prepared(segment: 2, bytes: 1 << 20) }
            guard case .wait(let due?, false) = writer.next(now: now) else { throw ScriptedJournal.Failure.order }
            dues.append(due - now)
            now = due
        }
        #expect(dues == [1000, 4000, 4000, 4000, 1000, 4000, 1000])
    }

    @Test func aLargeGroup_doesNotWaitForTheInterval() throws {
        var configuration = JournalConfiguration(segmentBytes: 1 << 20, groupInterval: 1000)
        configuration.groupBytes = 3 * records.count
        var writer = JournalWriter(continuing: JournalEnd(), house: 1, configuration: configuration)
        for segment: UInt64 in 1...2 {
            if case .prepare = writer.next(now: 5000) { writer.prepared(segment: segment, bytes: 1 << 20) }
            _ = writer.append(records)
            guard case .write(let batch) = writer.next(now: 5000) else { continue }
            writer.wrote(batch)
            writer.synced(through: 1)
            #expect(writer.durable == 1)
        }
        try expectWait(&writer, now: 5100, until: 6000, forAppend: false)
        for _ in 0..<2 { _ = writer.append(records) }
        guard case .write = writer.next(now: 5100) else { throw ScriptedJournal.Failure.order }
    }

    @Test func withInterval_writtenIsDurable_andASyncIsDueASecondAfterTheFirstWrite() throws {
        var writer = prepared(.interval)
        _ = writer.append(records)
        guard case .write(let batch) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        #expect(writer.durable == 0)
        writer.wrote(batch, now: 100)
        #expect(writer.durable == 1 && writer.synced == 0)
        if case .prepare(2, _) = writer.next(now: 100) { writer.prepared(segment: 2, bytes: 2048) }
        _ = writer.append(records)
        guard case .write(let second) = writer.next(now: 2000) else { throw ScriptedJournal.Failure.order }
        writer.wrote(second, now: 2000)
        try expectWait(&writer, now: 500_000, until: 1_000_100, forAppend: true)
        guard case .sync(1, 2) = writer.next(now: 1_000_100) else { throw ScriptedJournal.Failure.order }
    }

    @Test func withoutSync_appendedIsDurable_andWrittenWithinASecond_neverSynced() throws {
        var writer = prepared(.none)
        _ = writer.append(records)
        #expect(writer.durable == 1 && writer.written == 0)
        guard case .write(let batch) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        writer.wrote(batch, now: 0)
        if case .prepare(2, _) = writer.next(now: 0) { writer.prepared(segment: 2, bytes: 2048) }
        _ = writer.append(records)
        try expectWait(&writer, now: 10, until: 1_000_000, forAppend: false)
        guard case .write = writer.next(now: 1_000_000) else { throw ScriptedJournal.Failure.order }
    }

    @Test func whileNoSegmentHasRoom_framesWait_andThePreparationIsTriedEverySecond() throws {
        var writer = writer()
        _ = writer.append(records)
        guard case .prepare(1, 2048) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        #expect(!writer.isStalled)
        writer.couldNotPrepare(now: 0)
        #expect(writer.isStalled)
        try expectWait(&writer, now: 10, until: 1_000_000, forAppend: false)
        guard case .prepare(1, 2048) = writer.next(now: 1_000_000) else { throw ScriptedJournal.Failure.order }
        writer.prepared(segment: 1, bytes: 2048)
        guard case .write = writer.next(now: 1_000_000) else { throw ScriptedJournal.Failure.order }
        #expect(!writer.isStalled)
    }

    @Test func aWriteWithoutSpace_isRepeatedAsItWas() throws {
        var writer = prepared()
        _ = writer.append(records)
        guard case .write(let batch) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        writer.couldNotWrite(batch, now: 0)
        _ = writer.append(records)
        if case .prepare(2, _) = writer.next(now: 0) { writer.prepared(segment: 2, bytes: 2048) }
        try expectWait(&writer, now: 10, until: 1_000_000, forAppend: false)
        guard case .write(let again) = writer.next(now: 1_000_000) else { throw ScriptedJournal.Failure.order }
        #expect(again.bytes == batch.bytes && again.offset == batch.offset && again.last == 1)
    }

    @Test func closing_writesWithoutPauses_andGivesUpOnAFullDisk() throws {
        var writer = prepared()
        _ = writer.append(records)
        guard case .write(let batch) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        _ = writer.append(records)
        writer.wrote(batch, now: 0)
        writer.close()
        guard case .sync = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        writer.synced(through: 1)
        guard case .write(let last) = writer.next(now: 1) else { throw ScriptedJournal.Failure.order }
        writer.couldNotWrite(last, now: 1)
        guard case .finished = writer.next(now: 1) else { throw ScriptedJournal.Failure.order }
    }
}

import Foundation
import Journal
import TestKit
import Testing

/// A start that fails removes the folder that it has made, and no other.
struct RemovalTests {
    @Test func aFolderGoesWithTheParentsThatWereMadeWithIt_andNotOneThatWasThere() throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: base) }
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        let path = base.appending(path: "a/b/2121").path
        func start() throws -> FileStorage {
            let storage = try FileStorage(path: path, creating: true)
            try storage.lock()
            for name in ["segment-0000000001.log", "segment-0000000002.log.tmp"] { storage.close(try storage.create(name)) }
            return storage
        }
        try start().removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
        // Another server has taken it meanwhile.
        let (first, second) = (try start(), try FileStorage(path: path, creating: true))
        first.unlock()
        try second.lock()
        first.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        second.unlock()
        first.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
        // Somebody's file keeps the folder, with all that is in it.
        let other = try start()
        try Data().write(to: URL(filePath: path + "/notes"))
        other.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 4)
        other.unlock()
        let known = try start()
        known.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 4)
    }
}

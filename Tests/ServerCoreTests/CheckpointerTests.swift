import Testing

@testable import ServerCore

struct CheckpointerTests {
    /// Sealed bytes, the newest checkpoint's length, and the pause since the last pass.
    @Test(
        arguments: [
            (0, 0, nil, false), (4 << 20, 0, nil, true), (4 << 20, 1000, 2000, false), (4 << 20, 1000, 10_000, true),
            (16 << 20, 1000, 2000, true), (16 << 20, 36_000_000, 10_000, false), (32 << 20, 36_000_000, nil, false),
            (36 << 20, 36_000_000, 2000, true),
        ] as [(Int, Int, Int64?, Bool)])
    func aCheckpoint_waitsForAsMuchJournalAsItsLength(_ sealed: Int, _ length: Int, _ pause: Int64?, _ isDue: Bool) {
        #expect(Checkpointer.isDue(sealed: sealed, checkpoint: length, pause: pause) == isDue)
    }
}

import StorageDoubles
import Testing

package typealias FaultStorage = StorageDoubles.FaultStorage
package typealias FencedMemory = StorageDoubles.FencedMemory

extension FaultStorage {
    /// Flips bits of a byte of a file.
    package func flip(_ bits: UInt8 = 1, at offset: Int, of name: String) throws {
        var content = try #require(self.content(of: name))
        content[offset] ^= bits
        setContent(content, of: name)
    }

    /// The folder that a restart finds after a crash now, by chance of a seed.
    package func survivors(_ loss: Loss, seed: UInt64) -> FaultStorage {
        var generator = SeededGenerator(seed: seed)
        return survivors(loss, using: &generator)
    }
}

import Journal
import Testing

extension FaultStorage {
    /// Flips bits of a byte of a file.
    package func flip(_ bits: UInt8 = 1, at offset: Int, of name: String) throws {
        var content = try #require(self.content(of: name))
        content[offset] ^= bits
        setContent(content, of: name)
    }
}

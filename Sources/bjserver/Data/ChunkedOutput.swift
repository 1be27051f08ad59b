import CommandLineKit

/// Standard output in parts of some 64 KiB.
struct ChunkedOutput {
    private static let chunkBytes = 1 << 16

    private var text = ""

    mutating func add(_ part: String) {
        text += part
        if text.utf8.count >= Self.chunkBytes { flush() }
    }

    mutating func flush() {
        Console.printText(text)
        text = ""
    }
}

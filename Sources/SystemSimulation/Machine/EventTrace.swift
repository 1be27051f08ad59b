import Fairness

/// Events in order: a digest of all of them, and on demand a line for each.
struct EventTrace {
    enum Kind: UInt8, CaseIterable {
        case connect, accept, refuse, send, arrive, receive, clientSend, finish, reset, vanish, write, sync, start, crash, fault,
            quiet
    }

    private var hash = SHA256()
    private var buffer: [UInt8] = []
    private(set) var count = 0
    /// Receives a line for each event; nil for none.
    var printer: ((String) -> Void)?

    init() { buffer.reserveCapacity(4096) }

    /// - Parameters:
    ///   - time: microseconds.
    ///   - subject: a connection, a file, a fault.
    mutating func note(_ kind: Kind, at time: Int64, _ subject: Int, _ value: UInt64 = 0, text: @autoclosure () -> String = "") {
        count += 1
        buffer.append(kind.rawValue)
        for word in [UInt64(bitPattern: time), UInt64(bitPattern: Int64(subject)), value] {
            for shift in stride(from: 0, to: 64, by: 8) { buffer.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        if buffer.count > 4000 { flush() }
        guard let printer else { return }
        let milliseconds = "\(time / 1000).\(String(1000 + time % 1000).dropFirst())"
        printer("\(milliseconds) \(kind) \(subject) \(text())")
    }

    private mutating func flush() {
        hash.update(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// The digest of everything so far.
    var digest: String {
        var copy = self
        copy.flush()
        return copy.hash.finish().hex
    }

    /// A 64-bit hash of bytes (FNV-1a over words): cheap, and the same in every process.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var index = 0
        while index + 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x0000_0100_0000_01b3
            hash ^= hash >> 29
            index += 8
        }
        while index < bytes.count {
            hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3
            index += 1
        }
        return hash ^ UInt64(bytes.count)
    }
}

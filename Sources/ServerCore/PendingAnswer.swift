import Synchronization

/// The answer to a request that is worked out on a background thread: a line, until it is sent.
struct PendingAnswer: ~Copyable, Sendable {
    private let line = Mutex<[UInt8]?>(nil)

    func set(_ answer: [UInt8]) { line.withLock { $0 = answer } }

    /// Takes the answer out; nil before there is one.
    func take() -> [UInt8]? {
        line.withLock { line in
            defer { line = nil }
            return line
        }
    }
}

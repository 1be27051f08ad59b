import EventStreams
import Foundation
import Sockets

/// Standard input as a stream of chunks. Finishes at end of file. Backpressure: the next chunk is read after ``more()``.
/// A thread of its own: a blocking read serves files, pipes and terminals alike.
final class StandardInput: Sendable {
    let bytes = PassthroughSubject<[UInt8], Never>()
    private let descriptor: Int32
    private let credit = DispatchSemaphore(value: 1)
    private let lastWords: [UInt8]

    /// - Parameter lastWords: bytes appended after the end of the input.
    init(_ descriptor: Int32, lastWords: [UInt8] = []) {
        self.descriptor = descriptor
        self.lastWords = lastWords
    }

    /// Reads the next chunk; called once for each.
    func more() { credit.signal() }

    /// - Precondition: called once, after subscribing.
    func start() {
        let (bytes, descriptor, lastWords, credit) = (bytes, descriptor, lastWords, credit)
        DetachedThread.start {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                credit.wait()
                let count = Self.read(descriptor, &buffer)
                guard count > 0 else {
                    if !lastWords.isEmpty { bytes.send(lastWords) }
                    return bytes.send(completion: .finished)
                }
                bytes.send(Array(buffer.prefix(count)))
            }
        }
    }

    /// Waits for bytes.
    /// - Returns: their number; 0 or less at the end of the input.
    private static func read(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count < 0 && errno == EAGAIN else { return count }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&wait, 1, -1)
        }
    }
}

import EventStreams
import Foundation

/// Standard input as a stream of chunks, typed or piped. Finishes at end of file.
///
/// Reads on a thread of its own: a blocking read serves files, pipes and terminals alike.
final class StandardInput: Sendable {
    let bytes = PassthroughSubject<[UInt8], Never>()
    private let descriptor: Int32
    private let lastWords: [UInt8]

    /// - Parameter lastWords: bytes appended after the end of the input.
    init(_ descriptor: Int32, lastWords: [UInt8] = []) {
        self.descriptor = descriptor
        self.lastWords = lastWords
    }

    /// - Precondition: called once, after subscribing.
    func start() {
        let (bytes, descriptor, lastWords) = (bytes, descriptor, lastWords)
        let thread = Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count < 0 && errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    poll(&wait, 1, -1)
                    continue
                }
                guard count > 0 else {
                    if !lastWords.isEmpty { bytes.send(lastWords) }
                    return bytes.send(completion: .finished)
                }
                bytes.send(Array(buffer.prefix(count)))
            }
        }
        thread.start()
    }
}

import EventStreams
import Foundation

/// Standard input as a stream of chunks, typed or piped. Finishes at end of file.
///
/// Reads on a thread of its own: a blocking read serves files, pipes and terminals alike.
final class StandardInput: Sendable {
    let bytes = PassthroughSubject<[UInt8], Never>()
    private let lastWords: [UInt8]

    /// - Parameter lastWords: bytes appended after the end of the input.
    init(lastWords: [UInt8] = []) { self.lastWords = lastWords }

    /// - Precondition: called once, after subscribing.
    func start() {
        let (bytes, lastWords) = (bytes, lastWords)
        let thread = Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(0, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count < 0 && errno == EAGAIN {
                    var wait = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
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

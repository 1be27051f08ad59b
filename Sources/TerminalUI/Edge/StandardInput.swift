import EventStreams
import Foundation

/// Standard input as a stream: what is typed or piped, in chunks as it comes; finishes at its end.
///
/// A thread of its own waits for it, so that nothing else does, and so that files, pipes and terminals are all the same.
final class StandardInput: Sendable {
    let bytes = PassthroughSubject<[UInt8], Never>()
    private let lastWords: [UInt8]

    /// - Parameter lastWords: what is put after the end of the input.
    init(lastWords: [UInt8] = []) { self.lastWords = lastWords }

    /// To be called once, when somebody listens.
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

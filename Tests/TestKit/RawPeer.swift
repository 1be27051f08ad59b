import Foundation

/// A peer that speaks bytes and nothing else, with the plainest of sockets: what `nc` is. Calls block: a test that uses it has a
/// thread of its own.
public final class RawPeer: @unchecked Sendable {  // used by one thread at a time: whoever lends it to another one waits for that
    public let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Where in the buffer the next line begins.
    private var start = 0
    /// The line that was read last.
    private var last = ""
    private var isClosed = false

    /// - Parameter receiveBuffer: what the system may read ahead, in bytes; nil for its own choice.
    public init?(port: Int, receiveBuffer: Int32? = nil) {
        guard let descriptor = try? Loopback.connect(to: port, receiveBuffer: receiveBuffer) else { return nil }
        self.descriptor = descriptor
    }

    /// Over a connection, which it closes.
    public init(over descriptor: Int32) { self.descriptor = descriptor }

    /// Whether bytes have arrived that were not read.
    public var hasInput: Bool {
        var byte: UInt8 = 0
        return start < buffer.count || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    public func send(_ bytes: [UInt8]) { Loopback.send(bytes, over: descriptor) }

    public func send(_ line: String) { send(Array(line.utf8) + [UInt8(ascii: "\n")]) }

    /// The next line; nil at the end of the connection.
    public func line() -> String? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                last = String(decoding: buffer[start..<end], as: UTF8.self)
                return last
            }
            guard receive() else { return nil }
        }
    }

    /// Waits for bytes; false at the end of the connection.
    public func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.removeFirst(start)
        buffer += chunk[..<count]
        start = 0
        return true
    }

    /// All that comes until the end of the connection.
    public func rest() -> String {
        while receive() {}
        return String(decoding: buffer[start...], as: UTF8.self)
    }

    /// Exactly so many bytes, or those until the end of the connection.
    public func read(_ count: Int) -> [UInt8] {
        while buffer.count - start < count, receive() {}
        defer { start = min(buffer.count, start + count) }
        return Array(buffer[start..<min(buffer.count, start + count)])
    }

    /// All that comes until the end, read on a thread of its own.
    public func readToEnd() async -> [UInt8] {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                while receive() {}
                done.resume(returning: read(buffer.count - start))
            }
        }
    }

    /// The next line that contains a text; nil when there is none.
    public func line(with text: String) -> String? {
        while let line = line() {
            if line.contains(text) { return line }
        }
        return nil
    }

    /// Whether a text comes, be it in the line that was read last: what happens in one moment is told in one line.
    public func sees(_ text: String) -> Bool { last.contains(text) || line(with: text) != nil }

    /// Whether the server closes the connection; what it says before is read and dropped.
    public func isClosedByServer() -> Bool {
        while line() != nil {}
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0 || errno == ECONNRESET
    }

    public func sendNoMore() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Vanishes with a reset, as a process does that is killed with input unread.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        Foundation.close(descriptor)
    }

    deinit { close() }
}

extension Loopback {
    /// Sends bytes over a connection.
    /// - Returns: false if it has ended.
    @discardableResult
    public static func send(_ bytes: [UInt8], over descriptor: Int32) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

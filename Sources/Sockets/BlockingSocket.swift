#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A time of the monotonic clock at which a wait ends.
package struct Deadline: Sendable {
    private let milliseconds: Int64

    package static func after(_ milliseconds: Int) -> Deadline { Deadline(milliseconds: now + Int64(milliseconds)) }

    package func sooner(_ milliseconds: Int) -> Deadline {
        Deadline(milliseconds: min(self.milliseconds, Self.now + Int64(milliseconds)))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds; 0 once it has passed.
    package var rest: Int32 { Int32(clamping: max(0, milliseconds - Self.now)) }
    package var hasPassed: Bool { rest == 0 }
}

/// A stream socket without a loop: calls block, each until a deadline, at which it throws an error with the code `ETIMEDOUT`. Closed with
/// the object.
package final class BlockingSocket: Sendable {
    package let descriptor: Int32
    package let subject: String

    /// - Parameter descriptor: a connection with the flags of `Descriptor.makeSocket`.
    init(_ descriptor: Int32, _ subject: String) { (self.descriptor, self.subject) = (descriptor, subject) }

    /// Connects.
    package convenience init(to address: SocketAddress, _ subject: String, by deadline: Deadline) throws(SocketError) {
        self.init(Descriptor.makeSocket(family: address.family), subject)
        guard descriptor >= 0 else { throw SocketError("open a socket for", subject) }
        if address.isInternet { Descriptor.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        while address.withPointer({ Descriptor.connect(descriptor, $0, $1) }) != 0 {
            let code = errno
            switch code {
            case EINPROGRESS, EINTR:
                wait(for: POLLOUT, by: deadline)
                try check(deadline, "connect to")
                let code = Descriptor.pendingError(descriptor)
                guard code == 0 else { throw SocketError("connect to", subject, errno: code) }
                return
            case EAGAIN:
                // A Unix-domain socket's queue is full, and nothing tells when it no longer is.
                try check(deadline, "connect to")
                poll(nil, 0, min(10, deadline.rest))
            default: throw SocketError("connect to", subject, errno: code)
            }
        }
    }

    /// Connects to the first address of a host that accepts. Blocks, too, as long as the system's resolver waits: some seconds.
    package static func connect(host: String, port: Int, by deadline: Deadline) throws(SocketError) -> BlockingSocket {
        let subject = SocketAddress.text(host, port)
        var failure = SocketError(operation: "connect to", subject: subject, reason: "the host name cannot be resolved")
        for address in try SocketAddress.resolve(host: host, port: port) {
            do throws(SocketError) { return try BlockingSocket(to: address, subject, by: deadline) } catch { failure = error }
        }
        throw failure
    }

    deinit { Descriptor.close(descriptor) }

    package func send(_ bytes: [UInt8], by deadline: Deadline) throws(SocketError) {
        var done = 0
        while done < bytes.count {
            try check(deadline, "send to")
            let count = bytes.withUnsafeBytes { Descriptor.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[done...])) }
            if count >= 0 { done += count } else { try retry("send to", when: POLLOUT, errno, by: deadline) }
        }
    }

    private static let receivedAtOnce = 1 << 16

    /// Waits for bytes.
    /// - Returns: their number; 0 at the end of the stream.
    package func receive(by deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void) throws(SocketError) -> Int {
        while true {
            // Also of a peer that never stops talking.
            try check(deadline, "read from")
            let (count, code) = withUnsafeTemporaryAllocation(byteCount: Self.receivedAtOnce, alignment: 1) { buffer in
                let count = Descriptor.receive(descriptor, buffer)
                let code = errno
                if count > 0 { body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return (count, code)
            }
            if count >= 0 { return count }
            try retry("read from", when: POLLIN, code, by: deadline)
        }
    }

    private func check(_ deadline: Deadline, _ operation: String) throws(SocketError) {
        guard !deadline.hasPassed else { throw SocketError(operation, subject, errno: ETIMEDOUT) }
    }

    /// Waits until a call that would have blocked can go on, and throws the error of any other.
    private func retry(_ operation: String, when events: Int32, _ code: Int32, by deadline: Deadline) throws(SocketError) {
        if Descriptor.wouldBlock(code) {
            wait(for: events, by: deadline)
        } else if code != EINTR {
            throw SocketError(operation, subject, errno: code)
        }
    }

    private func wait(for events: Int32, by deadline: Deadline) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while !deadline.hasPassed, poll(&entry, 1, deadline.rest) < 0, errno == EINTR {}
    }
}

import Foundation
import Sockets

/// A bare TCP socket without events, for players who are polled. No call waits.
struct RawSocket: ~Copyable {
    /// The result of a read or a write.
    enum Outcome: Equatable {
        case done(Int)
        case wait
        case ended
    }

    /// For `poll`; closed with the socket.
    let descriptor: Int32

    /// Starts connecting; nil when the system has no socket left.
    init?(_ address: SocketAddress) {
        descriptor = Descriptor.makeSocket(family: address.family)
        guard descriptor >= 0 else { return nil }
        let status = address.withPointer { Descriptor.connect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            close(descriptor)
            return nil
        }
    }

    /// Sends as many bytes as the system takes.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        outcome(bytes.withUnsafeBytes { Descriptor.send(descriptor, $0) }, isReading: false)
    }

    /// Reads available bytes, up to a bound.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(Descriptor.receive(descriptor, buffer), isReading: true)
    }

    private func outcome(_ count: Int, isReading: Bool) -> Outcome {
        if count > 0 { return .done(count) }
        if count == 0 { return isReading ? .ended : .done(0) }
        return [EAGAIN, EWOULDBLOCK, EINTR, ENOTCONN, EINPROGRESS].contains(errno) ? .wait : .ended
    }

    deinit { close(descriptor) }
}

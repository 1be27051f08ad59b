import Foundation
import Sockets

/// A bare TCP socket without events, for peers that behave badly, such as never reading. No call waits.
package struct RawSocket: ~Copyable {
    /// The result of a read or a write.
    package enum Outcome: Equatable {
        case done(Int)
        case wait
        case ended
    }

    /// For `poll`; closed with the socket.
    package let descriptor: Int32

    /// Starts connecting; nil when the system has no socket left.
    /// - Parameters:
    ///   - source: local address to connect from; nil for the system's choice.
    ///   - receiveBuffer: requested size in bytes; 0 for the system's choice.
    package init?(_ address: SocketAddress, from source: SocketAddress? = nil, receiveBuffer: Int32 = 0) {
        descriptor = Descriptor.makeSocket(family: address.family)
        guard descriptor >= 0 else { return nil }
        if receiveBuffer > 0 { Descriptor.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        let isBound = source.map { Descriptor.bindSource(descriptor, $0) } ?? true
        let status = isBound ? address.withPointer { Descriptor.connect(descriptor, $0, $1) } : -1
        guard status == 0 || isBound && (errno == EINPROGRESS || errno == EINTR) else {
            close(descriptor)
            return nil
        }
    }

    /// Sends as many bytes as the system takes.
    package func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        outcome(bytes.withUnsafeBytes { Descriptor.send(descriptor, $0) }, isReading: false)
    }

    /// Reads available bytes, up to a bound.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(Descriptor.receive(descriptor, buffer), isReading: true)
    }

    private func outcome(_ count: Int, isReading: Bool) -> Outcome {
        if count > 0 { return .done(count) }
        if count == 0 { return isReading ? .ended : .done(0) }
        return [EAGAIN, EWOULDBLOCK, EINTR, ENOTCONN, EINPROGRESS].contains(errno) ? .wait : .ended
    }

    /// Makes close send a reset and drop unsent bytes.
    package func makeAbrupt() { Descriptor.resetOnClose(descriptor) }

    deinit { close(descriptor) }
}

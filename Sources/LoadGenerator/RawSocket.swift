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
        #if canImport(Glibc)
            descriptor = socket(
                address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(address.family, SOCK_STREAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        #endif
        guard descriptor >= 0 else { return nil }
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, !Self.bindSource(descriptor, source) {
            close(descriptor)
            return nil
        }
        let status = address.withPointer { connect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            close(descriptor)
            return nil
        }
    }

    /// Binds to a local address; the port is chosen on connecting (IP_BIND_ADDRESS_NO_PORT).
    private static func bindSource(_ descriptor: Int32, _ source: SocketAddress) -> Bool {
        #if canImport(Glibc)
            // IP_BIND_ADDRESS_NO_PORT of <linux/in.h>: without it a port is taken from all peers at once.
            var option: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_IP), 24, &option, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return source.withPointer { bind(descriptor, $0, $1) == 0 }
    }

    /// Sends as many bytes as the system takes.
    package func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return outcome(bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }, isReading: false)
    }

    /// Reads available bytes, up to a bound.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(recv(descriptor, buffer.baseAddress, buffer.count, 0), isReading: true)
    }

    private func outcome(_ count: Int, isReading: Bool) -> Outcome {
        if count > 0 { return .done(count) }
        if count == 0 { return isReading ? .ended : .done(0) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN || errno == EINPROGRESS
            ? .wait : .ended
    }

    /// Makes close send a reset and drop unsent bytes (SO_LINGER 0).
    package func makeAbrupt() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    deinit { close(descriptor) }
}

import Foundation
import Sockets

/// A loopback connection with blocking calls: for measurements from outside and for peers that do not read.
final class BlockingPeer {
    private let descriptor: Int32

    /// Connects; nil when nothing listens.
    /// - Parameter receiveBuffer: size of the kernel's receive buffer in bytes; nil for the system's default.
    init?(port: Int, receiveBuffer: Int32? = nil) {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return nil }
    }

    /// A port that nobody listens on at the moment; nil when the system has none.
    static var freePort: Int? {
        let loop = Loop(label: "bench.port")
        defer { loop.stop() }
        return try? loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { _ in }
            defer { listener.close() }
            return listener.address.port
        }
    }

    /// Sends all bytes. False when the peer has closed.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// The next bytes; empty at end of stream.
    func receive(_ most: Int = 4096) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, most))
        }
    }

    /// All bytes until the peer closes.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = receive(65_536)
            guard !piece.isEmpty else { return all }
            all += piece
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

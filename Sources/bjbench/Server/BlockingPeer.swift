import Foundation

/// A connection to this machine that does what it is told and waits for it: for what is measured from outside, and for peers that do not
/// read.
final class BlockingPeer {
    private let descriptor: Int32

    /// Connects; nil when nobody listens there.
    /// - Parameter receiveBuffer: bytes that the kernel takes for us before the sender has to wait; nil for the system's own choice.
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

    /// Sends all of it. False when the other end is gone.
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

    /// What comes next; empty at the end.
    func receive(_ most: Int = 4096) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, most))
        }
    }

    /// Everything until the other end closes.
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

import Foundation

/// Plain blocking TCP sockets of this machine, for peers that share no code with the library under test.
public enum Loopback {
    /// A connection to a port; receiving fails after two minutes, so that a test that went wrong ends.
    /// - Parameter receiveBuffer: how much the system may read ahead, in bytes; nil for its own choice.
    public static func connect(to port: Int, receiveBuffer: Int32? = nil) throws -> Int32 {
        let descriptor = make()
        setTimeout(of: descriptor)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        try check(descriptor, withAddress(port) { Foundation.connect(descriptor, $0, $1) })
        return descriptor
    }

    /// Lets receiving fail after two minutes.
    public static func setTimeout(of descriptor: Int32) {
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// A socket bound to a free port.
    /// - Parameter backlog: for listening; nil to accept nobody.
    public static func bound(backlog: Int32? = nil) throws -> (descriptor: Int32, port: Int) {
        let descriptor = make()
        try check(descriptor, withAddress(0) { bind(descriptor, $0, $1) })
        if let backlog { try check(descriptor, listen(descriptor, backlog)) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        try check(descriptor, status)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func make() -> Int32 {
        #if canImport(Glibc)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func check(_ descriptor: Int32, _ status: Int32) throws {
        guard status != 0 else { return }
        let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL)
        close(descriptor)
        throw error
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}

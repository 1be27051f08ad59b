import CommandLineKit
import Dispatch
import Foundation
import Synchronization

/// Asks a server for its metrics every two seconds, in the text format of Prometheus, by HTTP/1.0 over a plain socket.
final class MetricsProbe: Sendable {
    private let host: String
    private let port: UInt16
    private let path: String
    private let shown = Mutex<[String]>([])
    private let queue = DispatchQueue(label: "bj.load.metrics")

    /// - Parameter url: one that ``address(_:)`` understands.
    init(url: String) {
        (host, port, path) = Self.address(url) ?? ("127.0.0.1", 80, "/metrics")
    }

    /// The parts of `http://HOST:PORT/PATH`; nil for anything else.
    static func address(_ url: String) -> (host: String, port: UInt16, path: String)? {
        guard url.hasPrefix("http://") else { return nil }
        let rest = url.dropFirst(7)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = slash == rest.endIndex ? "/metrics" : String(rest[slash...])
        guard let endpoint = Endpoint(String(rest[..<slash]), defaultPort: 80), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            return nil
        }
        return (endpoint.host, endpoint.port, path)
    }

    /// What the server said last, a metric a line; why it said nothing otherwise.
    var latest: [String] { shown.withLock { $0 } }

    func start() { ask() }

    private func ask() {
        queue.async { [self] in
            let lines = Self.metrics(in: fetch())
            shown.withLock { $0 = lines }
            queue.asyncAfter(deadline: .now() + 2) { [self] in ask() }
        }
    }

    /// The first metrics without labels, which say most in few lines.
    static func metrics(in answer: String?) -> [String] {
        guard let answer else { return ["metrics: no answer"] }
        guard answer.hasPrefix("HTTP/1."), answer.split(separator: " ").dropFirst().first == "200" else {
            return ["metrics: " + String(answer.prefix { !$0.isNewline }.prefix(60))]
        }
        let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""
        return body.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") && !$0.contains("{") }.prefix(12).map { line in
            String(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(100).map(Character.init))
        }
    }

    /// The whole answer, at most 1 MiB, within a second for each step; nil for none.
    private func fetch() -> String? {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else { return nil }
        defer { freeaddrinfo(list) }
        let descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            Console.write("GET \(path) HTTP/1.0\r\nHost: \(host)\r\nConnection: close\r\n\r\n", to: descriptor)
        else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1 << 20 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

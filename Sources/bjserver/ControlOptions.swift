import CommandLineKit
import Foundation
import ServerCore

/// The arguments of `bjserver ctl`.
struct ControlOptions: Sendable {
    var socket: String?
    /// The folder whose server is asked, without a socket; nil for the server that runs.
    var data: DataFolder?
    /// The request, as ``AdminVerb`` reads it.
    var words: [String] = []
    /// A file of blocks to ban, or to unban.
    var file: String?
    var json = false
    /// Milliseconds for connecting, request and reply together.
    var timeout = 10_000

    /// The socket that is named; nil for that of the server that runs.
    func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        // The command line comes before the environment.
        let isNamedByData =
            data != nil && socket == environment["BJ_ADMIN"]
            && data != environment["BJ_DATA"].flatMap(ValueFormat.dataFolder.parse)
        if let socket, !isNamedByData { return socket }
        if case .path(let path) = data { return ServerSocket.path(in: path) }
        return nil
    }
}

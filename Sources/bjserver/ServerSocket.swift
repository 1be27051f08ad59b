import CommandLineKit
import Foundation
import ServerCore

/// The socket of a running server: `admin.sock` in its data folder, or a link there to the path of `--admin` or a service manager. So
/// 'ctl --data DIR' always finds it, and without a folder `ctl` looks in the default folders.
struct ServerSocket {
    let environment: [String: String]
    /// Folders of the packaged unit.
    var unitFolders = ["/run/bjserver", "/var/lib/bjserver"]

    static func path(in folder: String) -> String { folder + "/admin.sock" }

    /// Has the folder's path lead to a socket elsewhere; nil removes a link that a server has left.
    /// - Returns: `errno`; 0 without an error.
    static func link(in folder: String, to socket: String?) -> Int32 {
        let path = path(in: folder)
        if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil { unlink(path) }
        guard let socket else { return 0 }
        let target = URL(filePath: socket).path
        guard target != URL(filePath: path).path else { return 0 }
        return symlink(target, path) == 0 ? 0 : errno
    }

    /// Where a path leads: that of a link may be longer than an address of a socket can be.
    static func target(of path: String) -> String {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path), target.hasPrefix("/") else {
            return path
        }
        return target
    }

    /// The sockets on which servers listen, and those of other users.
    private func found() -> (running: [String], denied: [String]) {
        var folders = environment["STATE_DIRECTORY"].map { [String($0.prefix { $0 != ":" })] } ?? []
        if let home = DataFolder.home(environment: environment) {
            folders += ((try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []).sorted().map { "\(home)/\($0)" }
        }
        var (running, denied) = ([String](), [String]())
        for folder in folders + unitFolders {
            let path = Self.target(of: Self.path(in: folder))
            guard !running.contains(path), !denied.contains(path) else { continue }
            switch AdminClient.probe(path) {
            // A stuck server has a full queue.
            case 0, ETIMEDOUT: running.append(path)
            case EACCES: denied.append(path)
            default: break
            }
        }
        return (running, denied)
    }

    /// The socket of the only server that runs, for a `ctl` that names none.
    func find() throws(ConfigurationFault) -> String {
        let (running, denied) = found()
        if running.count == 1 { return running[0] }
        if running.count > 1 {
            let list = running.joined(separator: ", ")
            throw ConfigurationFault(description: "several servers are running; choose one with --socket: \(list)")
        }
        if let path = denied.first { throw ConfigurationFault(description: "\(path) belongs to another user") }
        let folders = [DataFolder.home(environment: environment)].compactMap(\.self) + unitFolders
        throw ConfigurationFault(
            description:
                "no server is running with data in \(folders.joined(separator: ", ")); choose one with --data or --socket")
    }
}

import CommandLineKit
import Foundation

/// A file in a private folder, readable by its user alone. A change writes a new file, syncs and renames it under a lock: a crash leaves the old
/// or the new file, and no process loses another's change.
public struct PrivateFile: Sendable {
    /// The reason in one sentence, with the path.
    public typealias Failure = FileFault

    package let folder: String
    private let name: String
    /// Bytes. A longer file is damaged.
    private let byteLimit: Int

    /// - Parameters:
    ///   - folder: made by ``change(_:)``.
    ///   - name: without its ending, `.json`.
    package init(folder: String, name: String, byteLimit: Int) {
        (self.folder, self.name, self.byteLimit) = (folder, name, byteLimit)
    }

    package var path: String { "\(folder)/\(name).json" }

    /// `bjclient` in the user's folder for configuration, by the XDG base directory specification; nil without a home.
    package static func configurationFolder(_ environment: [String: String]) -> String? {
        folder(environment, "XDG_CONFIG_HOME", ".config", "bjclient")
    }

    /// A program's folder for state; nil without a home.
    package static func stateFolder(_ environment: [String: String], of program: String = "bjclient") -> String? {
        folder(environment, "XDG_STATE_HOME", ".local/state", program)
    }

    private static func folder(_ environment: [String: String], _ variable: String, _ home: String, _ program: String) -> String?
    {
        // A relative path is invalid, by the specification.
        if let folder = environment[variable], folder.hasPrefix("/") { return "\(folder)/\(program)" }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/\(home)/\(program)" : nil }
    }

    package var hasFolder: Bool { Self.exists(folder) }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the folder, and runs a body under the lock.
    package func change<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try makeFolder()
        return try locked(body)
    }

    /// The file's bytes; nil for no file.
    package func read() throws(Failure) -> [UInt8]? {
        Self.exists(path) ? try RegularFile.read(path, upTo: byteLimit) : nil
    }

    /// Reads JSON; nil for a text that is no such value.
    package static func value<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }

    /// The file's value; nil without one, and where it can't be read.
    package func kept<Value: Decodable>(_ type: Value.Type) -> Value? {
        (try? read()).flatMap { $0 }.flatMap { Self.value(type, $0) }
    }

    /// Changes the file under its lock. Where it can't be written nothing is kept.
    package func keep(_ value: () -> some Encodable) {
        try? change { () throws(Failure) in try write(Console.json(value(), isPretty: true)) }
    }

    package var damaged: Failure { Failure(description: "\(path) is damaged: repair or delete it") }

    /// The file that is replaced: where the path is a symbolic link, what it names, which need not exist.
    private func target() throws(Failure) -> String {
        var target = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { return target }
            target = link.hasPrefix("/") ? link : "\(Self.folder(of: target))/\(link)"
        }
        throw Failure("write", path, String(cString: strerror(ELOOP)))
    }

    private static func folder(of path: String) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }

    /// Replaces the file.
    package func write(_ text: String) throws(Failure) {
        let target = try target()
        let newPath = target + ".new"
        // A file left there by a crash may have any mode.
        unlink(newPath)
        let descriptor = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure("write", newPath) }
        defer { close(descriptor) }
        guard Console.write(text, to: descriptor) else { throw Failure("write", newPath) }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(newPath, target) == 0 else {
            throw Failure("write", target)
        }
        try sync("\(Self.folder(of: target))/")
    }

    /// Makes a rename in a folder durable.
    private func sync(_ folder: String) throws(Failure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("sync", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure("sync", folder) }
    }

    func makeFolder() throws(Failure) {
        guard !hasFolder else { return }
        var made = ""
        for part in folder.split(separator: "/") {
            made += "/\(part)"
            guard mkdir(made, 0o700) != 0 else { continue }
            // The check for an existing folder overwrites it.
            let code = errno
            guard code == EEXIST || code == EISDIR || Self.exists(made) else {
                throw Failure("make", made, String(cString: strerror(code)))
            }
        }
    }

    /// A process that holds a lock may have been stopped.
    private static let lockTime = Duration.seconds(90)

    /// Locks out other processes: a lock of its own, since the file is replaced.
    package func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let path = "\(folder)/\(name).lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure("lock", path) }
        defer { close(descriptor) }
        let end = ContinuousClock.now + Self.lockTime
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK, ContinuousClock.now < end else { throw Failure("lock", path) }
            usleep(5_000)
        }
        return try body()
    }
}

import Fairness
import Foundation

/// The folder of proof files: readable by the user alone, and bounded.
public struct ProofFolder: Sendable {
    /// The oldest files beyond it are removed.
    public static let limit = 64

    /// The reason in one sentence, with the path.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    public let path: String

    public init(path: String) { self.path = path }

    /// `bjclient/proofs` in the user's folder for state, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        // A relative path is invalid, by the specification.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            path = folder + "/bjclient/proofs"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.local/state/bjclient/proofs"
        } else {
            return nil
        }
    }

    /// Writes the evidence of a shoe. A second file of the same shoe replaces the first.
    /// - Returns: its path.
    public func store(_ report: ShoeReport, _ fault: ShoeFault?) throws(Failure) -> String {
        let table = String(report.table.unicodeScalars.prefix(32).map { Self.isPlain($0) ? Character($0) : "_" })
        // The commitment tells apart what has the same table and shoe: another server, or another start.
        let file = "\(path)/\(table)-\(report.shoe)-\(report.watched.commitment.hex.prefix(8)).json"
        do {
            let owner: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: owner)
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
            throw Failure(description: "cannot make \(path): \(reason ?? "\(error)")")
        }
        try write(ProofFile(report, fault).text, to: file)
        prune(keeping: file)
        return file
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-")
    }

    private func write(_ text: String, to file: String) throws(Failure) {
        let new = file + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            bytes = bytes.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(new, file) == 0 else { throw failure(file) }
    }

    private func failure(_ file: String) -> Failure {
        Failure(description: "cannot write \(file): \(String(cString: strerror(errno)))")
    }

    private func prune(keeping kept: String) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let proofs = files.filter { $0.hasSuffix(".json") }.map { "\(path)/\($0)" }
        guard proofs.count > Self.limit else { return }
        func age(_ file: String) -> Date {
            (try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date) ?? .distantPast
        }
        let oldest = proofs.filter { $0 != kept }.map { ($0, age($0)) }.sorted { $0.1 < $1.1 }
        for (file, _) in oldest.prefix(proofs.count - Self.limit) { unlink(file) }
    }
}

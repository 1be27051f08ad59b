import Foundation
import Rules
import Wire

/// Loads rules from a preset or a file.
public enum RulesSource {
    /// The name of the preset or file, and the reason.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Loads a preset, or the file at a path (a name with `/` or `.`).
    /// - Throws: ``Failure`` if the preset is unknown, or the file is unreadable, longer than 64 KiB or invalid.
    public static func load(_ name: String) throws(Failure) -> HouseRules {
        if HouseRules.presetNames.contains(name) {
            do { return try HouseRules(preset: name) } catch { throw Failure(description: "\(error)") }
        }
        guard name.contains("/" as Character) || name.contains("." as Character) else {
            throw Failure(description: "\(HouseRulesError.unknownPreset(name)), or give the path of a file")
        }
        let text = try read(name)
        do {
            return try HouseRules.parse(text)
        } catch ProtocolError.json(.mismatch("the message", let expected)) {
            throw Failure(description: "\(name): the rules file must be \(expected), such as {\"decks\": 6}")
        } catch let error as ProtocolError {
            throw Failure(description: "\(name): \(error.message)")
        } catch {
            throw Failure(description: "\(name): \(error)")
        }
    }

    /// Bytes of a rules file. Bounds reading of an endless file.
    private static let limit = 1 << 16

    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Failure(description: "cannot read the rules file \(path): it is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while descriptor >= 0, count < bytes.count {
            let more = bytes[count...].withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if more == 0 { return Array(bytes[..<count].dropFirst(bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0)) }
            if more > 0 { count += more } else if errno != EINTR { break }
        }
        let reason = count < bytes.count ? String(cString: strerror(errno)) : "it is longer than \(limit) bytes"
        throw Failure(description: "cannot read the rules file \(path): \(reason)")
    }
}

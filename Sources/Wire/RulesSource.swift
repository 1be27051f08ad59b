import Rules

/// Loads rules from a preset or a file.
public enum RulesSource {
    /// The preset or file, and the reason.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Loads a preset, or the file at a path (a name with `/` or `.`).
    /// - Parameter read: the bytes of a file of at most ``limit``.
    /// - Throws: ``Failure`` if the preset is unknown or the file is invalid, and the errors of `read`.
    public static func load(_ name: String, reading read: (_ path: String) throws -> [UInt8]) throws -> HouseRules {
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

    /// Maximum bytes of a rules file.
    public static let limit = 1 << 16
}

import Foundation
import Rules
import Wire

/// Rules as a host names them: a preset or a file.
public enum RulesSource {
    /// What could not be read, and why.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The rules of a preset or of a file, whichever the name is: what looks like a path is one.
    public static func load(_ name: String) throws(Failure) -> HouseRules {
        if HouseRules.presetNames.contains(name) {
            do { return try HouseRules(preset: name) } catch { throw Failure(description: "\(error)") }
        }
        guard name.contains("/") || name.contains(".") else {
            throw Failure(description: "\(HouseRulesError.unknownPreset(name)), or give the path of a file")
        }
        guard let data = FileManager.default.contents(atPath: name) else {
            throw Failure(description: "cannot read the rules file \(name)")
        }
        do {
            return try HouseRules.parse(Array(data))
        } catch let error as ProtocolError {
            throw Failure(description: "\(name): \(error.message)")
        } catch {
            throw Failure(description: "\(name): \(error)")
        }
    }
}

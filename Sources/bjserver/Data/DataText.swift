import CommandLineKit
import Foundation

/// Output of commands about a data folder.
enum DataText {
    /// One line of JSON that a terminal shows as it is.
    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
        return Console.visibleJSON(String(decoding: data, as: UTF8.self))
    }
}

import Wire

/// Why a line is no record of this format.
public enum RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not JSON, a missing field, or a field of another type or range.
    case json(JSONError)
    /// A type of record that this version does not know.
    case unknownType(String)
    /// A fact that this version does not know.
    case unknownFact(String)
    /// Records of a later format than ``Record/format``.
    case laterFormat(Int)
    /// The request of an answer cannot be read.
    case request(ProtocolError)

    public var description: String {
        switch self {
        case .json(let error): ProtocolError.json(error).message
        case .unknownType(let type): "Unknown record type \"\(Self.shown(type))\": written by a later version?"
        case .unknownFact(let fact): "Unknown fact \"\(Self.shown(fact))\": written by a later version?"
        case .laterFormat(let format):
            "Records of format \(format) need a later version; this one reads formats up to \(Record.format)."
        case .request(let error): "The request of an answer cannot be read: \(error.message)"
        }
    }

    /// At most 32 characters, without control characters: the text may come from a corrupt file.
    private static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(32).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
    }
}

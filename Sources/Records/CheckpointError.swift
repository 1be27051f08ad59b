import TableEngine
import Wire

/// Why lines are no checkpoint of this version.
public struct CheckpointError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1; the number of lines read for a checkpoint that is cut off.
    public var line: Int
    public var reason: Reason

    public enum Reason: Error, Equatable, Sendable {
        case json(JSONError)
        /// A line that this version does not know: a later version may have written it.
        case unknownLine
        case laterFormat(Int)
        /// The last line is missing, or lines are.
        case incomplete
        /// The check value of the lines differs.
        case checkValue
        /// An account, table, ban or invitation that is there twice, or chips that are out of range.
        case contradiction(String)
        /// The chips of the whole state do not add up.
        case imbalance(Int)
    }

    public var description: String {
        let text: String =
            switch reason {
            case .json(let error): ProtocolError.json(error).message
            case .unknownLine: "Unknown line: written by a later version?"
            case .laterFormat(let format):
                "A checkpoint of format \(format) needs a later version; this one reads formats up to \(SavedState.checkpointFormat)."
            case .incomplete: "The checkpoint is cut off."
            case .checkValue: "The check value of the lines differs: the file is damaged."
            case .contradiction(let what): "The line contradicts others or itself: \(what)."
            case .imbalance(let chips): "The chips of the checkpoint do not add up: \(chips) too many."
            }
        return "line \(line): \(text)"
    }
}

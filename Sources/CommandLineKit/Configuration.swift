/// An error in a file that people write: file, position, the value found, and what would be right.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    public let file: String
    /// nil when it is about the whole file.
    package let position: JSONTree.Position?
    /// The key path: `tables[1].minimumBet`; empty where there is none.
    package let path: String
    /// The fault, as a sentence without full stop.
    public let problem: String

    package init(file: String, position: JSONTree.Position?, path: String = "", problem: String) {
        self.file = file
        self.position = position
        self.path = path
        self.problem = problem
    }

    /// About the whole file.
    public init(file: String, problem: String) { self.init(file: file, position: nil, problem: problem) }

    /// `bj.json:7:15: tables[1].minimumBet: "ten" is not a whole number from 1 to 1000000000`
    public var description: String {
        let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        // The file is the operator's own, but its content may be pasted.
        return [place, path, problem].filter { !$0.isEmpty }.map(\.shownSafely).joined(separator: ": ")
    }
}

/// A value of a file with its key path, for errors.
public struct JSONField: Sendable {
    /// The path of the file.
    public let file: String
    /// The key path: `tables[1].minimumBet`.
    let path: String
    public let value: JSONTree

    package init(file: String, path: String = "", value: JSONTree) {
        self.file = file
        self.path = path
        self.value = value
    }

    /// Reads a file's value.
    package init(parsing text: some Sequence<UInt8>, file: String) throws(FileError) {
        self.init(file: file, value: try JSONTree(parsing: text, file: file))
    }

    /// The file's folder with a trailing slash; empty when the path has none.
    public var folder: String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// An error about this value.
    /// - Parameter expected: the valid form: "a whole number from 0 to 7".
    public func isNot(_ expected: String) -> FileError { error("\(value.shown) is not \(expected)") }

    /// An error about this value, in the caller's words.
    public func error(_ problem: String) -> FileError {
        FileError(file: file, position: value.position, path: path, problem: problem)
    }

    /// Parses the value: strings as text, numbers as numbers. Refuses a number in quotes: probably a mistake.
    public func read<Value>(_ format: ValueFormat<Value>) throws(FileError) -> Value {
        if let read = format.readField { return try read(self) }
        let texts: [String] =
            switch (value.content, format.literal) {
            case (.string(let text), .text): [text]
            // A whole number may be written as 1e3.
            case (.number(let digits), .number): [digits] + (value.number.map { [JSONTree.digits(of: $0)] } ?? [])
            case (.bool(let value), .bool): [value ? "yes" : "no"]
            default: []
            }
        guard let result = texts.lazy.compactMap(format.parse).first else { throw isNot(format.expectedInFile) }
        return result
    }

    /// A list's items with their key paths.
    public func items(_ expected: String) throws(FileError) -> [JSONField] {
        guard case .array(let values) = value.content else { throw isNot(expected) }
        return values.enumerated().map { JSONField(file: file, path: "\(path)[\($0)]", value: $1) }
    }

    /// An object's members by key.
    /// - Parameter known: the valid keys; refuses any other and suggests the nearest.
    public func members(_ expected: String? = nil, known: [String]) throws(FileError) -> [String: JSONField] {
        guard case .object(let members) = value.content else {
            throw isNot(expected ?? "an object with the keys \(known.joined(separator: ", "))")
        }
        var fields: [String: JSONField] = [:]
        for member in members {
            let field = JSONField(file: file, path: path.isEmpty ? member.key : "\(path).\(member.key)", value: member.value)
            guard known.contains(member.key) else {
                let hint =
                    nearest(to: member.key, among: known).map { "did you mean \($0)?" }
                    ?? "known: \(known.joined(separator: ", "))"
                throw field.error("unknown key; \(hint)")
            }
            fields[member.key] = field
        }
        return fields
    }
}

extension ValueFormat {
    /// The valid form in a file, where yes and no are JSON booleans.
    var expectedInFile: String { literal == .bool ? "true or false" : expected }
}

extension String {
    /// At most 400 scalars on one line.
    var shownSafely: String { Console.visible(self, upTo: 400, keeping: []) }
}

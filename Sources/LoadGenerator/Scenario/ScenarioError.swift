/// A fault in an input file: place, value, expectation.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; 0 when it is not about one line.
    public var line: Int
    /// The path of keys, such as `phases[1].over`; empty for the whole file.
    var key: String
    /// The faulty value as JSON; empty when it is missing.
    public var value: String
    /// To end the sentence "it must be …".
    public var expected: String

    public var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        let subject = key.isEmpty ? "the scenario" : key
        return value.isEmpty ? "\(place): \(subject): \(expected)" : "\(place): \(subject) is \(value): it must be \(expected)"
    }
}

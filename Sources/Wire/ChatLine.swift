/// A line of chat at a table.
public struct ChatLine: Equatable, Sendable {
    /// The number of the line at that table, from 1.
    public var sequence: Int
    /// The speaker's name.
    public var name: String
    public var text: String
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(sequence: Int, name: String, text: String, time: Int64) {
        self.sequence = sequence
        self.name = name
        self.text = text
        self.time = time
    }
}

extension ChatLine: WireObject {
    static var blank: Self { Self(sequence: 1, name: "", text: "", time: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("seq", &sequence, .counter, "counts what is said at the table, from 1")
        try visitor.required("name", &name, .shownName, "the speaker")
        try visitor.required("text", &text, .chat, "what was said")
        try visitor.required("time", &time, .time, "when")
    }
}

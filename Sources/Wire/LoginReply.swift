/// The reply to `login`.
public struct LoginReply: Equatable, Sendable {
    public var name: String
    /// Chips that are not at a table.
    public var chips: Int
    /// The table at which seats are held for the player, if any.
    public var table: String?
    /// The seats held.
    public var seats: [Int]

    public init(name: String, chips: Int, table: String? = nil, seats: [Int] = []) {
        self.name = name
        self.chips = chips
        self.table = table
        self.seats = seats
    }
}

extension LoginReply: WireObject {
    static var blank: Self { Self(name: "", chips: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .any, "your name")
        try visitor.required("chips", &chips, .bankroll, "chips that are not at a table")
        try visitor.optional("table", &table, .table, "the table at which seats are held for you")
        try visitor.optional(
            "seats", &seats, .of(.seat), absent: [], isWritten: table != nil || !seats.isEmpty, "those seats")
    }
}

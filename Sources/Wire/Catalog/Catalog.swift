import TableModel

/// Every message and item, in both directions: the source of the JSON Schema (``schema(_:)``), the Python module, the tables of Protocol.md
/// and the fields that a pedantic connection allows. It lists what the codec visits.
public enum Catalog {
    /// The sender.
    public enum Direction: String, CaseIterable, Sendable {
        case client, server
    }

    /// Sections and items of a table.
    package static let sections = sectionDescriptions
    package static let items = ItemKind.all.map(\.description)

    /// The lists of a diff.
    package static let diffKeys = {
        var list = FieldList()
        var difference = TableDifference()
        difference.visit(&list)
        return list.fields
    }()

    /// Shapes that several messages share.
    package static let definitions = plainDefinitions + [resultDefinition] + tableDefinitions

    /// The description of a request, by its type.
    package static func request(_ type: String) -> RequestDescription? { requests.first { $0.type == type } }

    // Messages to read into, by type. A search of the lists copies descriptions: bjbench wire, "reply decoded" +160 ns.
    static let blankRequests = Dictionary(uniqueKeysWithValues: requests.map { ($0.type, $0.blank) })
    static let blankReplies = Dictionary(uniqueKeysWithValues: requests.map { ($0.type, $0.blankReply ?? .done($0.type)) })
    static let blankEvents = Dictionary(uniqueKeysWithValues: events.map { ($0.type, $0.blank) })
}

/// A request.
package struct RequestDescription: Equatable, Sendable {
    /// The condition for a request.
    package enum Need: String, Sendable {
        /// Nothing but a connection.
        case connection
        /// A login; refused with `not_logged_in` before it.
        case login
        /// A seat, or a table that is watched; refused with `not_at_table` without.
        case table
        /// A seat; refused with `not_seated` without.
        case seat

        /// In words.
        package var explanation: String {
            switch self {
            case .connection: "at any time"
            case .login: "after `login`"
            case .table: "at a table, seated or watching"
            case .seat: "with a seat"
            }
        }
    }

    package let type: String
    package let need: Need
    /// Besides `type` and `id`.
    package let fields: [Field]
    /// Its effect.
    package let explanation: String
    /// Fields of the `ok` besides `type`, `id` and `to`; nil for the one request that gets no reply.
    package let reply: [Field]?
    /// A request and a reply to read into.
    let blank: ClientMessage
    let blankReply: Reply?

    init(_ message: ClientMessage, _ need: Need, _ explanation: String, reply: Reply?) {
        type = message.type
        self.need = need
        var list = FieldList()
        var copy = message
        copy.visit(&list)
        fields = list.fields
        self.explanation = explanation
        self.reply = reply.map { reply in
            var list = FieldList()
            var copy = reply
            copy.visit(&list)
            return list.fields
        }
        blank = message
        blankReply = reply
    }
}

/// A message of the server.
package struct EventDescription: Equatable, Sendable {
    package let type: String
    /// Besides `type`.
    package let fields: [Field]
    /// When it is sent.
    package let explanation: String
    /// A message to read into.
    let blank: ServerMessage

    init(_ message: ServerMessage, _ explanation: String) {
        type = message.type
        var list = FieldList()
        var copy = message
        copy.visit(&list)
        fields = list.fields
        self.explanation = explanation
        blank = message
    }
}

/// A section of a table.
package struct SectionDescription: Equatable, Sendable {
    /// As Protocol.md shows it: `s1` … `s7`.
    package let title: String
    package let pattern: String
    package let explanation: String
    /// Its items.
    package let contents: String
}

/// A kind of item of a table.
package struct ItemDescription: Equatable, Sendable {
    /// An example: `p3`.
    package let example: String
    package let pattern: String
    /// Of its content.
    package let shape: Shape
    package let explanation: String
}

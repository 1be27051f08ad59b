/// Everything that can be said, in both directions, described once: from here come the JSON Schema (``schema(_:)``), the tables of
/// Protocol.md and what a pedantic connection minds. The codec is another account of the same; tests hold the two against each other.
public enum Catalog {
    /// Who says it.
    public enum Direction: String, CaseIterable, Sendable {
        case client, server
    }

    /// What a client may ask, in the order of ``ClientMessage``.
    public static let requests = askingRequests + playingRequests + connectionRequests

    /// What a server says of its own accord, and the two replies but for what a request promises: see ``RequestDescription/reply``.
    public static let events = connectionEvents + tableEvents

    /// What a table is made of.
    public static let sections = sectionDescriptions
    public static let items = roundItems + handItems

    /// The lists of a diff.
    public static let diffKeys = diffFields

    /// What several messages have in them.
    public static let definitions = plainDefinitions + [resultDefinition] + tableDefinitions

    /// The description of a request, by its type.
    public static func request(_ type: String) -> RequestDescription? { requests.first { $0.type == type } }
}

/// A request.
public struct RequestDescription: Equatable, Sendable {
    /// What has to be so before it is worth asking.
    public enum Need: String, Sendable {
        /// Nothing but a connection.
        case connection
        /// A login; refused with `not_logged_in` before it.
        case login
        /// A seat, or a table that is watched; refused with `not_at_table` without.
        case table
        /// A seat; refused with `not_seated` without.
        case seat

        /// In words.
        public var explanation: String {
            switch self {
            case .connection: "at any time"
            case .login: "after `login`"
            case .table: "at a table, seated or watching"
            case .seat: "with a seat"
            }
        }
    }

    public let type: String
    public let need: Need
    /// Besides `type` and `id`.
    public let fields: [Field]
    /// What it does.
    public let explanation: String
    /// What `ok` has besides `type`, `id` and `to`; nil for the one request that gets no reply.
    public let reply: [Field]?
}

/// A message of the server.
public struct EventDescription: Equatable, Sendable {
    public let type: String
    /// Besides `type`.
    public let fields: [Field]
    /// When it is said.
    public let explanation: String
}

/// A section of a table.
public struct SectionDescription: Equatable, Sendable {
    /// As the documentation shows it: `s1` … `s7`.
    public let title: String
    public let pattern: String
    public let explanation: String
    /// What may be in it.
    public let contents: String
}

/// A kind of item of a table.
public struct ItemDescription: Equatable, Sendable {
    /// One of that kind, as an example: `p3`.
    public let example: String
    public let pattern: String
    /// What it shows.
    public let shape: Shape
    public let explanation: String
}

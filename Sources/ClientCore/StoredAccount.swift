import Foundation
import Wire

/// An account of this device's user: where it is, and the secret that opens it.
public struct StoredAccount: Equatable, Sendable {
    /// The server's identity.
    public var house: String
    /// `HOST:PORT`, as typed. Another address gets the secret only if the player says so, whatever house it says it is.
    public var server: String
    public var name: String
    public var secret: AccountSecret
    /// Seconds since 1970 of the last attempt to log in.
    public var used: Int
    /// Seconds since 1970 of the last time that it was shown a table; 0 for never.
    public var played: Int
    /// Chips when the player left last, all of them; nil where unknown.
    public var chips: Int?

    public init(
        house: String, server: String, name: String, secret: AccountSecret, used: Int = 0, played: Int = 0, chips: Int? = nil
    ) {
        self.house = house
        self.server = server
        self.name = name
        self.secret = secret
        self.used = used
        self.played = played
        self.chips = chips
    }

    /// Whether this is a player's account. Names that differ only in case are the same.
    func isOf(_ name: String, house: String, server: String) -> Bool { server == self.server && isOf(name, house: house) }

    /// The same, at any address.
    func isOf(_ name: String, house: String) -> Bool {
        guard house == self.house else { return false }
        guard name != self.name else { return true }
        guard let key = (try? PlayerName(name))?.key else { return false }
        return key == (try? PlayerName(self.name))?.key
    }

    /// One line of JSON with the secret, for another device.
    public var exported: String {
        var account = self
        account.chips = nil
        guard let text = try? AccountCoding.text(of: account, isPretty: false) else {
            preconditionFailure("strings and numbers encode")
        }
        return text
    }

    /// Reads ``exported``; nil for any other text.
    public init?(exported text: String) {
        guard let account = try? AccountCoding.read(Self.self, Array(text.utf8)) else { return nil }
        self = account
    }
}

extension StoredAccount: Codable {
    private enum Key: String, CodingKey { case house, server, name, secret, used, played, chips }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let secret = try fields.decode(String.self, forKey: .secret)
        let house = try fields.decode(String.self, forKey: .house)
        guard let secret = AccountSecret(secret) else {
            throw DecodingError.dataCorruptedError(forKey: .secret, in: fields, debugDescription: "not 64 hexadecimal digits")
        }
        let name = try PlayerName(try fields.decode(String.self, forKey: .name)).text
        let used = try fields.decodeIfPresent(Int.self, forKey: .used) ?? 0
        // A file of an earlier release has the login alone.
        let played = try fields.decodeIfPresent(Int.self, forKey: .played) ?? used
        self.init(
            house: house, server: try fields.decode(String.self, forKey: .server), name: name, secret: secret, used: used,
            played: played, chips: try fields.decodeIfPresent(Int.self, forKey: .chips))
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(house, forKey: .house)
        try fields.encode(server, forKey: .server)
        try fields.encode(name, forKey: .name)
        try fields.encode(secret.digits, forKey: .secret)
        try fields.encode(used, forKey: .used)
        try fields.encode(played, forKey: .played)
        try fields.encodeIfPresent(chips, forKey: .chips)
    }
}

enum AccountCoding {
    static func text(of value: some Encodable, isPretty: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isPretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func read<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}

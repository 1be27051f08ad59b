/// A player's account at another address, which a server says is its own: what a player agrees to when the secret may be sent here.
public struct AccountConsent: Equatable, Sendable {
    /// As typed.
    public let name: String
    /// The house that the server says it is.
    public let house: String
    /// The address at which the account is kept.
    public let server: String

    package init(name: String, house: String, server: String) {
        self.name = name
        self.house = house
        self.server = server
    }
}

import Wire

/// Facts about the login for the account file.
struct AccountUse {
    /// A secret made for a login that is not answered.
    var made: AccountSecret?
    /// The player whose table was noted.
    var player: String?
    /// Accounts made by this client and not refused.
    var count = 0
    /// Bounds what a server that says it is another house on each connection adds to the file.
    static let limit = 3
    static let failure = AccountFile.Failure(description: "the server has had \(limit) accounts made, and needs another one")
    /// The account elsewhere that the login under way may use here.
    var consent: AccountConsent?
    /// The house of the last connection.
    var house: String?
    /// The address whose account is used here, until the player is told.
    var adopted: String?
}

import Rules
import TableEngine

/// Why a record does not fit the state before it.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    public var place: RecordPlace?
    public var reason: Reason

    package init(place: RecordPlace?, reason: Reason) { (self.place, self.reason) = (place, reason) }

    public enum Reason: Error, Equatable, Sendable {
        /// The line is no record.
        case unreadable(RecordError)
        case unknownAccount(PlayerID)
        /// The id has an account, or is 0.
        case accountExists(PlayerID)
        /// The account has a seat.
        case accountAtTable(PlayerID, table: String)
        /// An amount is out of range, or more than the account has.
        case chips(PlayerID, Int)
        case unknownTable(String)
        case tableExists(String)
        /// A table with players or chips on it is forgotten.
        case tableInUse(String)
        /// A fact of the record, from 1, does not fit its table.
        case misfit(table: String, fact: Int, FactMisfit)
        /// The chips at a table do not add up after the record.
        case imbalance(table: String, chips: Int)
        case invitationUsed
    }

    public var description: String { place.map { "\($0): \(reason)" } ?? "\(reason)" }
}

extension ReplayError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .unknownAccount(let id): "There is no account \(id.rawValue)."
        case .accountExists(let id): "Account \(id.rawValue) exists already."
        case .accountAtTable(let id, let table): "Account \(id.rawValue) has a seat at \"\(table)\"."
        case .chips(let id, let chips): "Account \(id.rawValue) cannot have \(chips) chips more or less."
        case .unknownTable(let table): "There is no table \"\(table)\"."
        case .tableExists(let table): "Table \"\(table)\" is open already."
        case .tableInUse(let table): "Table \"\(table)\" cannot be forgotten: players or chips are on it."
        case .misfit(let table, let fact, let misfit): "Fact \(fact) does not fit table \"\(table)\": \(misfit)."
        case .imbalance(let table, let chips): "Chips at table \"\(table)\" do not add up: \(chips) too many."
        case .invitationUsed: "The invitation was used before."
        }
    }
}

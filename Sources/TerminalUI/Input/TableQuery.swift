import TableModel
import Wire

/// A part of the list of tables, or the list in another order. A value.
struct TableQuery: Equatable, Sendable {
    var words: [String] = []
    var order = LobbyView.Order.listed

    /// Words for the orders, in the order of `LobbyView.Order`.
    private static let orderWords = ["host", "name", "seats", "bets", "players"]

    /// `host, name, seats, bets or players`.
    static var orders: SafeText {
        let words = orderWords.map { SafeText($0) }
        return "\(words.dropLast().joined()) or \(words.last ?? "")"
    }

    /// Parses what follows `lobby`: words to look for, or `by ORDER`.
    init(words: ArraySlice<String>) throws(PlainCommand.Misunderstanding) {
        guard words.first == "by", words.count > 1 else {
            self.words = Array(words)
            return
        }
        let word = words.dropFirst().joined(separator: " ")
        guard let index = Self.orderWords.firstIndex(of: word) else {
            throw .init(text: "There is no order '\(SafeText(word, columns: 20))': \(Self.orders).")
        }
        order = LobbyView.Order.allCases[index]
    }

    func tables(of all: [TableSummary]) -> [TableSummary] { order.sorted(all.filter { $0.matches(words) }) }
}

extension TableSummary {
    /// Whether its name, players or rules contain all words, which are in lower case.
    func matches(_ words: [some StringProtocol]) -> Bool {
        guard !words.isEmpty else { return true }
        let text = Wording.searchText(of: self)
        return words.allSatisfy { text.firstRange(of: $0) != nil }
    }
}

extension LobbyView.Order {
    func sorted(_ tables: [TableSummary]) -> [TableSummary] {
        switch self {
        case .listed: tables
        case .name: tables.sorted { $0.name < $1.name }
        case .freeSeats: tables.sorted { ($1.freeSeats, $0.name) < ($0.freeSeats, $1.name) }
        case .lowestBet: tables.sorted { ($0.rules.minimumBet, $0.name) < ($1.rules.minimumBet, $1.name) }
        case .players: tables.sorted { ($1.seats - $1.freeSeats, $0.name) < ($0.seats - $0.freeSeats, $1.name) }
        }
    }
}

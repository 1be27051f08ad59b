import CommandLineKit
import Foundation
import Records
import ServerCore

/// Everything that is kept about an account, as one object of JSON.
struct AccountExport {
    private let account: SavedAccount
    private var entries: [Entry] = []
    /// The account's own seats of rounds.
    private var hands: [PlayedRound] = []

    /// - Parameter snapshot: with its history.
    init(_ account: SavedAccount, _ snapshot: DataSnapshot) throws(RecoveryError) {
        self.account = account
        var (statement, history) = (Statement(account.id, snapshot.beginning), RoundHistory(snapshot.beginning))
        var (entries, hands) = ([Entry](), [PlayedRound]())
        func take(_ round: PlayedRound) {
            var round = round
            // The other seats are other people's.
            round.seats.removeAll { $0.player != account.id }
            if !round.seats.isEmpty { hands.append(round) }
        }
        try snapshot.records { record, place in
            statement.add(record, at: place) { entries.append(Entry($0)) }
            history.add(record, at: place, take)
        }
        history.unfinished.forEach(take)
        (self.entries, self.hands) = (entries, hands)
    }

    var json: String {
        let rounds = hands.map { round in
            var line: [UInt8] = []
            round.encode(into: &line)
            return String(decoding: line.dropLast(), as: UTF8.self)
        }
        // The request of an answer may have a pass phrase, which is the table's secret.
        let redaction = RecordRedaction(SavedState(house: ""))
        let answers = account.answers.map { answer in
            let line = Record.answer(account.id, id: answer.id, request: answer.request, answer.answer).encoded()
            return String(decoding: redaction.redacted(line.dropLast()), as: UTF8.self)
        }
        let members = [
            ("account", DataText.json(Fields(account))), ("answers", "[\(answers.joined(separator: ","))]"),
            ("hands", "[\(rounds.joined(separator: ","))]"), ("statement", DataText.json(entries)),
        ]
        let text = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        return Console.visibleJSON(text)
    }

    private struct Fields: Encodable {
        let id: UInt64
        let name: String
        let bot, disabled, hasSecret: Bool
        let chips, issued: Int
        /// Milliseconds since 1970, as everywhere in the export.
        let created: Int64
        let lastRebuy: Int64?
        let table: String?

        init(_ account: SavedAccount) {
            (id, name, bot, disabled) = (account.id.rawValue, account.name, account.isBot, account.isDisabled)
            (hasSecret, chips, issued) = (account.secret != nil, account.chips, account.issued)
            (created, lastRebuy, table) = (account.created, account.lastRebuy, account.table)
        }
    }

    private struct Entry: Encodable {
        let time: Int64
        let kind: String
        let change, balance: Int
        var table: String?
        var seat, round: Int?

        init(_ entry: StatementEntry) {
            (time, change, balance) = (entry.time, entry.change, entry.balance)
            switch entry.kind {
            case .opened: kind = "opened"
            case .issued(let reason): kind = reason.rawValue
            case .closed: kind = "closed"
            case .sat(let table, let seat, _): (kind, self.table, self.seat) = ("sat", table, seat)
            case .left(let table, _): (kind, self.table) = ("left", table)
            case .round(let table, let number, let isVoided):
                (kind, self.table, round) = (isVoided ? "voided" : "round", table, number)
            }
        }
    }
}

import Fairness
import Rules
import TableEngine
import Wire

/// Writes records as SQL for SQLite: the schema first, then statements as the records come, all in one transaction.
///
/// Secrets, pass phrases and answers are left out. The key of a shoe is written when the shoe is over, never while it is in play.
public struct SQLExport: Sendable {
    private struct LiveShoe {
        var opened: Int64
        var number = 0
        var started: Int64 = 0
        var source: ShoeSource?
    }

    private var rounds: RoundHistory
    /// Tables with the time of their opening, which tells tables of one name apart, and their shoe.
    private var tables: [String: LiveShoe] = [:]
    private var owners: [String: PlayerID]
    private var roundID = 0
    private let start: SavedState?

    /// - Parameter state: that before the first record; nil for a journal from its start.
    public init(_ state: SavedState? = nil) {
        start = state
        owners = (state?.decisions ?? [:]).mapValues(\.owner)
        rounds = RoundHistory(state)
        for (name, saved) in state?.tables ?? [:] {
            let shoe = saved.table.saved.shoe
            tables[name] = LiveShoe(opened: saved.opened, number: shoe.number, started: saved.time, source: shoe.source)
        }
    }

    /// Appends the schema, and the accounts and tables of the state before the first record.
    public mutating func begin(into bytes: inout [UInt8]) {
        bytes += Array(Self.schema.utf8)
        guard let start else { return }
        let owned = start.owned(rounds.unfinished)
        for account in start.accounts.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            insertPlayer(
                account.id, account.name, isBot: account.isBot, isGuest: account.secret == nil, account.created, &bytes)
            issue(account.id, owned[account.id] ?? 0, "carried over", start.time, RecordPlace(sequence: 0, line: 0), &bytes)
        }
        for (name, saved) in start.tables.sorted(by: { $0.key < $1.key }) {
            insertTable(name, saved.rules, saved.opened, &bytes)
        }
    }

    /// Appends the statements of the next record.
    public mutating func add(_ record: Record, at place: RecordPlace, into bytes: inout [UInt8]) {
        var ended: [PlayedRound] = []
        rounds.add(record, at: place) { ended.append($0) }
        for round in ended { insert(round, &bytes) }
        switch record {
        case .account(let id, let name, let isBot, let secret, let chips, let time):
            insertPlayer(id, name, isBot: isBot, isGuest: secret == nil, time, &bytes)
            issue(id, chips, "account", time, place, &bytes)
        case .issued(let id, let chips, let reason, let time): issue(id, chips, reason.rawValue, time, place, &bytes)
        case .closed(let id, let time):
            bytes.sql("UPDATE players SET closed=\(Self.time(time)) WHERE id=\(Self.id(id));")
            takeBalance(id, "closed", time, place, &bytes)
        case .arrived(let account, _, let time):
            insertPlayer(
                account.id, account.name, isBot: account.isBot, isGuest: account.secret == nil, account.created,
                mayBeKnown: true, &bytes)
            issue(account.id, account.chips, "arrived", time, place, &bytes)
        case .departed(let id, _, let time): takeBalance(id, "departed", time, place, &bytes)
        case .renamed(let id, let name):
            bytes.sql("UPDATE players SET name=\(Self.text(name)) WHERE id=\(Int(truncatingIfNeeded: id.rawValue));")
        case .opened(let name, let rules, _, _, let time):
            tables[name] = LiveShoe(opened: time)
            insertTable(name, rules, time, &bytes)
        case .owned(let name, let owner, _):
            owners[name] = owner
            bytes.sql("UPDATE tables SET owner=\(Self.id(owner)) WHERE name=\(Self.text(name)) AND gone IS NULL;")
        case .gone(let name, let time):
            finishShoe(of: name, &bytes)
            let opened = Self.time(tables[name]?.opened ?? 0)
            bytes.sql("UPDATE tables SET gone=\(Self.time(time)) WHERE name=\(Self.text(name)) AND opened=\(opened);")
            tables[name] = nil
        case .facts(let name, let time, let facts): add(facts, name, time, place, &bytes)
        default: break
        }
    }

    /// Appends the end of the transaction.
    public func end(into bytes: inout [UInt8]) { bytes.sql("COMMIT;") }
}

extension SQLExport {
    private mutating func add(
        _ facts: [Fact], _ name: String, _ time: Int64, _ place: RecordPlace, _ bytes: inout [UInt8]
    ) {
        for fact in facts {
            switch fact {
            case .shuffled(let number, let source):
                finishShoe(of: name, &bytes)
                tables[name]?.number = number
                tables[name]?.started = time
                tables[name]?.source = source
            case .closed: finishShoe(of: name, &bytes)
            case .sat(let id, _, let seat, let chips): move(id, name, seat, chips, time, place, &bytes)
            case .left(let id, let chips): move(id, name, nil, 0 &- chips, time, place, &bytes)
            default: break
            }
        }
    }

    /// The shoe is over: its key may be known.
    private mutating func finishShoe(of name: String, _ bytes: inout [UInt8]) {
        guard let shoe = tables[name], let source = shoe.source else { return }
        let key: String =
            switch source {
            case .keyed(let key): "'\(key.bytes.hex)'"
            case .seeded(let seed): "'seed \(seed)'"
            }
        bytes.sql(
            "INSERT INTO shoes VALUES(\(Self.text(name)),\(Self.time(shoe.opened)),\(shoe.number),\(Self.time(shoe.started)),\(key));"
        )
        tables[name]?.source = nil
    }

    private func insertPlayer(
        _ id: PlayerID, _ name: String, isBot: Bool, isGuest: Bool, _ created: Int64, mayBeKnown: Bool = false,
        _ bytes: inout [UInt8]
    ) {
        let again = mayBeKnown ? " ON CONFLICT(id) DO UPDATE SET name=excluded.name" : ""
        bytes.sql(
            "INSERT INTO players(id,name,is_bot,is_guest,created) VALUES(\(Int(truncatingIfNeeded: id.rawValue)),\(Self.text(name)),"
                + "\(isBot ? 1 : 0),\(isGuest ? 1 : 0),\(Self.time(created)))\(again);")
    }

    private func takeBalance(
        _ id: PlayerID, _ reason: String, _ time: Int64, _ place: RecordPlace, _ bytes: inout [UInt8]
    ) {
        bytes.sql(
            "INSERT INTO issues(player,chips,reason,time,sequence,line) SELECT \(Self.id(id)),-balance,'\(reason)',\(Self.time(time)),"
                + "\(place.sequence),\(place.line) FROM balances WHERE player=\(Self.id(id));")
    }

    private func issue(
        _ id: PlayerID, _ chips: Int, _ reason: String, _ time: Int64, _ place: RecordPlace, _ bytes: inout [UInt8]
    ) {
        bytes.sql(
            "INSERT INTO issues(player,chips,reason,time,sequence,line) VALUES(\(Int(truncatingIfNeeded: id.rawValue)),\(chips),"
                + "'\(reason)',\(Self.time(time)),\(place.sequence),\(place.line));")
    }

    private func insertTable(
        _ name: String, _ rules: HouseRules, _ opened: Int64, _ bytes: inout [UInt8]
    ) {
        bytes.sql(
            "INSERT INTO tables(name,opened,owner,rules) VALUES(\(Self.text(name)),\(Self.time(opened)),"
                + "\(Self.id(owners[name])),\(Self.text(rules.canonicalText)));")
    }

    private func move(
        _ id: PlayerID, _ table: String, _ seat: Int?, _ chips: Int, _ time: Int64, _ place: RecordPlace, _ bytes: inout [UInt8]
    ) {
        let seat = seat.map(String.init) ?? "NULL"
        bytes.sql(
            "INSERT INTO visits(player,table_name,seat,chips,time,sequence,line) VALUES(\(Int(truncatingIfNeeded: id.rawValue)),"
                + "\(Self.text(table)),\(seat),\(chips),\(Self.time(time)),\(place.sequence),\(place.line));")
    }

    private mutating func insert(_ round: PlayedRound, _ bytes: inout [UInt8]) {
        roundID += 1
        let total = round.dealer.isEmpty || round.holeIsHidden ? "NULL" : String(round.dealerValue.total)
        let dealer = Self.text(round.dealer.map(\.description).joined(separator: " "))
        bytes.sql(
            "INSERT INTO rounds VALUES(\(roundID),\(Self.text(round.table)),\(Self.time(tables[round.table]?.opened ?? 0)),"
                + "\(round.number),\(round.shoe),\(Self.time(round.started)),\(Self.time(round.ended ?? round.started)),"
                + "\(dealer),\(total),\(round.isVoided ? 1 : 0),\(round.place.sequence),\(round.place.line));")
        for seat in round.seats {
            let player = Int(truncatingIfNeeded: seat.player.rawValue)
            for (index, hand) in seat.hands.enumerated() {
                let cards = Self.text(hand.cards.map(\.description).joined(separator: " "))
                let moves = Self.text(hand.moves.map(\.action.name).joined(separator: " "))
                let settlement = hand.settlement ?? Settlement(.push, paid: hand.stake)
                bytes.sql(
                    "INSERT INTO hands VALUES(\(roundID),\(seat.seat),\(index + 1),\(player),\(cards),\(moves),\(hand.stake),"
                        + "'\(settlement.outcome.name)',\(settlement.paid));")
            }
            guard let insurance = seat.insurance else { continue }
            bytes.sql(
                "INSERT INTO insurances VALUES(\(roundID),\(seat.seat),\(player),\(insurance.stake),\(insurance.paid ?? 0));")
        }
    }

    private static func id(_ player: PlayerID?) -> String {
        player.map { String(Int(truncatingIfNeeded: $0.rawValue)) } ?? "NULL"
    }

    /// A moment as text, which SQLite's date functions read.
    private static func time(_ time: Int64) -> String { "'\(UniversalTime.text(time))'" }

    /// A string literal. SQLite ends a statement at a zero byte, so control characters are replaced.
    static func text(_ text: String) -> String {
        var literal = "'"
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x27: literal += "''"
            case 0..<0x20, 0x7F: literal += "\u{FFFD}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "'"
    }

    // MARK: Schema

    /// Tables and views. Amounts are chips, times are UTC as text, cards are as on the wire (`KH TD`).
    public static let schema = """
        BEGIN;
        CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_bot INTEGER NOT NULL, is_guest INTEGER NOT NULL,
          created TEXT NOT NULL, closed TEXT);
        -- Chips from the bank and back; reason: account, rebuy, credit, closed, arrived, departed, carried over.
        CREATE TABLE issues(id INTEGER PRIMARY KEY, player INTEGER NOT NULL, chips INTEGER NOT NULL, reason TEXT NOT NULL,
          time TEXT NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        CREATE TABLE tables(name TEXT NOT NULL, opened TEXT NOT NULL, gone TEXT, owner INTEGER, rules TEXT NOT NULL,
          PRIMARY KEY(name, opened));
        -- Chips to a table (seat given) and from it (negative).
        CREATE TABLE visits(id INTEGER PRIMARY KEY, player INTEGER NOT NULL, table_name TEXT NOT NULL, seat INTEGER,
          chips INTEGER NOT NULL, time TEXT NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        -- Shoes that are over, with their keys; a shoe in play is not here.
        CREATE TABLE shoes(table_name TEXT NOT NULL, table_opened TEXT NOT NULL, number INTEGER NOT NULL, started TEXT NOT NULL,
          key TEXT NOT NULL);
        -- Finished rounds. dealer_total is NULL if the hole card was never shown.
        CREATE TABLE rounds(id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, table_opened TEXT NOT NULL, number INTEGER NOT NULL,
          shoe INTEGER NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, dealer TEXT NOT NULL, dealer_total INTEGER,
          is_voided INTEGER NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        CREATE TABLE hands(round INTEGER NOT NULL, seat INTEGER NOT NULL, hand INTEGER NOT NULL, player INTEGER NOT NULL,
          cards TEXT NOT NULL, moves TEXT NOT NULL, stake INTEGER NOT NULL, outcome TEXT NOT NULL, paid INTEGER NOT NULL,
          PRIMARY KEY(round, seat, hand));
        CREATE TABLE insurances(round INTEGER NOT NULL, seat INTEGER NOT NULL, player INTEGER NOT NULL, stake INTEGER NOT NULL,
          paid INTEGER NOT NULL, PRIMARY KEY(round, seat));
        CREATE INDEX hands_player ON hands(player);
        CREATE INDEX insurances_player ON insurances(player);
        CREATE INDEX issues_player ON issues(player);
        -- The net of each player's finished hands and insurances, round by round.
        CREATE VIEW results AS
          SELECT round, seat, player, stake, paid - stake AS net FROM hands
          UNION ALL SELECT round, seat, player, stake, paid - stake FROM insurances;
        CREATE VIEW player_rounds AS
          SELECT r.id AS round, r.table_name, r.number, r.ended, x.player, p.name, SUM(x.stake) AS wagered, SUM(x.net) AS net
          FROM results x JOIN rounds r ON r.id = x.round JOIN players p ON p.id = x.player GROUP BY r.id, x.player;
        -- Chips that each player owns, bets of rounds in play included.
        CREATE VIEW balances AS
          SELECT p.id AS player, p.name,
            (SELECT COALESCE(SUM(chips), 0) FROM issues WHERE player = p.id) AS issued,
            (SELECT COALESCE(SUM(net), 0) FROM results WHERE player = p.id) AS net,
            (SELECT COALESCE(SUM(chips), 0) FROM issues WHERE player = p.id)
              + (SELECT COALESCE(SUM(net), 0) FROM results WHERE player = p.id) AS balance
          FROM players p;
        CREATE VIEW house AS SELECT table_name, table_opened, COUNT(DISTINCT r.id) AS rounds, -SUM(x.net) AS net
          FROM rounds r JOIN results x ON x.round = r.id GROUP BY table_name, table_opened;

        """
}

extension [UInt8] {
    fileprivate mutating func sql(_ statement: String) {
        append(contentsOf: statement.utf8)
        append(UInt8(ascii: "\n"))
    }
}

import ServerCore

/// A line of the log in words, for a host at a terminal. Pure.
struct HostSentence {
    private let event: String
    private let level: LogLevel
    private let fields: [LogField]
    /// Whether the names of fields stand for their values.
    private let isPattern: Bool

    init(_ line: LogLine) { self.init(event: "\(line.event)", level: line.level, fields: line.fields) }

    init(event: String, level: LogLevel, fields: [LogField]) {
        (self.event, self.level, self.fields, isPattern) = (event, level, fields, false)
    }

    /// The sentence of an event with its fields in capitals: `NAME comes in.`
    init(patternOf event: String) { (self.event, level, fields, isPattern) = (event, .info, [], true) }

    /// One sentence; of an event without words of its own, its name and fields.
    var text: String {
        let words = own ?? general
        return switch level {
        case .error: "ERROR: \(words)"
        case .warning: "Warning: \(words)"
        case .info, .debug: words
        }
    }

    /// Whether the event has words of its own.
    var isOwn: Bool { own != nil }

    private var own: String? { players ?? operation ?? ending ?? data ?? configuration }

    private func field(_ key: String) -> String { optional(key) ?? (isPattern ? key.uppercased() : "?") }

    private func optional(_ key: String) -> String? {
        // Of the parts that may be missing, a pattern has the reason.
        isPattern ? (key == "reason" ? "REASON" : nil) : fields.first { "\($0.key)" == key }?.value
    }

    /// `: reason`, or a full stop.
    private var because: String {
        guard let reason = optional("reason") else { return "." }
        return ": \(reason)" + (reason.last.map { ".?!".contains($0) } == true ? "" : ".")
    }

    /// `1 hand`, `2 hands`.
    private func count(_ key: String, _ one: String, _ many: String) -> String {
        let number = field(key)
        return "\(number) \(number == "1" ? one : many)"
    }

    /// `5 s`, from a field in milliseconds.
    private func seconds(_ key: String) -> String {
        guard let milliseconds = Int(field(key)) else { return isPattern ? "SECONDS s" : "?" }
        return abs(milliseconds) < 1000 ? "\(milliseconds) ms" : "\((milliseconds + 999) / 1000) s"
    }

    /// `log dropped` for `log_dropped`.
    private static func spaced(_ name: String) -> String { String(name.map { $0 == "_" ? " " : $0 }) }

    /// `Log dropped: lines 3.`
    private var general: String {
        let name = Self.spaced(event)
        let fields = fields.map { Self.spaced("\($0.key) \($0.value)") }.joined(separator: ", ")
        return name.prefix(1).uppercased() + name.dropFirst() + (fields.isEmpty ? "." : ": \(fields).")
    }

    // MARK: Events

    private var players: String? {
        let name = field("name")
        return switch event {
        case "login": "\(name) comes in from \(field("address"))."
        case "gone": "\(name) goes."
        case "arrived": "\(name) comes over from another server of the house."
        case "sat": "\(name) sits down at \(field("table")), seat \(field("seat"))."
        case "left": "\(name) leaves \(field("table")) with \(field("chips")) chips."
        case "sent_away": "\(field("owner")) sends \(name) away from \(field("table"))."
        case "called_back": "\(field("owner")) lets \(name) come back to \(field("table"))."
        case "table_owned": "The table \(field("table")) belongs to \(field("owner"))."
        case "owner_pass_kept":
            (field("pass") == "none"
                ? "\(field("table")) needs no pass phrase, as its owner \(field("owner")) has decided"
                : "\(field("table")) keeps the pass phrase of its owner \(field("owner"))")
                + "; a new phrase in the configuration replaces that."
        case "owner_pass_overruled":
            "The configuration names another pass phrase for \(field("table")): the owner's phrase is over."
        case "wrong_secret": "\(field("address")) gives a wrong secret for \(name), \(field("failures")) so far."
        case "wrong_invite": "\(field("address")) gives a wrong invite code for \(name), \(field("failures")) so far."
        case "wrong_owner": "\(field("address")) gives a wrong owner's code for \(name), \(field("failures")) so far."
        case "wrong_pass": "\(field("address")) gives a wrong pass phrase for \(field("table")), \(field("failures")) so far."
        case "refused": "Connection \(field("conn")): a request is refused, \(field("code"))."
        case "connected": "Connection \(field("conn")) comes from \(field("peer"))."
        case "turned_away": "Connection \(field("conn")) is turned away\(because)"
        case "disconnected": "Connection \(field("conn")) ends\(because)"
        case "relayed": "Connection \(field("conn")) goes on to the server of partition \(field("partition"))."
        case "evicted": "Player \(field("player")) is forgotten: nobody came back."
        case "house_bot": "A house bot stops\(because)"
        default: nil
        }
    }

    private var operation: String? {
        switch event {
        case "admin": return request
        case "started":
            return
                "bjserver \(field("version")) runs as process \(field("pid")), \(field("role")), with data in \(field("data"))."
        case "descriptors": return "There is room for \(field("connections")) connections."
        case "descriptors_short":
            return
                "There is room for \(field("connections")) connections, not for \(field("max_connections")): raise the limit on open files."
        case "descriptors_near_limit": return "\(field("used")) of \(field("limit")) open files are in use."
        case "accept_failed": return "New connections wait\(because)"
        case "proxy_not_trusted": return "\(field("peer")) is no trusted proxy: see --trust."
        case "proxy_header": return "\(field("peer")) sends no right PROXY header\(because)"
        case "seeded": return "Every shoe is predictable: --seed is for tests only."
        case "suppressed": return "\(count("lines", "line", "lines")) about \(field("of")) left out."
        case "log_dropped": return "\(count("lines", "line", "lines")) of this list left out: the terminal is too slow."
        default: return nil
        }
    }

    private var request: String {
        let target = optional("name") ?? optional("table") ?? optional("address") ?? ""
        let words = "You ask by 'ctl': \(field("request"))\(target.isEmpty ? "" : " \(target)")"
        // Codes are words: `no_such_table`.
        if let refused = optional("refused") {
            return "\(words). It is refused: \(Self.spaced(refused))."
        }
        return words + because
    }

    private var ending: String? {
        switch event {
        case "stopping":
            let hands = optional("hands").flatMap { Int($0) } ?? 0
            let played =
                hands == 0
                ? "No hand is in play."
                : "\(count("hands", "hand is", "hands are")) played to \(hands == 1 ? "its" : "their") end, "
                    + "within \(seconds("drain_timeout_ms")) at most."
            let again = fields.contains { "\($0.key)" == "cause" && $0.value == "SIGINT" } ? "Ctrl-C again" : "A second signal"
            return "The server drains: no new seats. \(played) \(again) ends it at once and returns the bets.\(kept)"
        case "suspending":
            let hands = optional("hands").flatMap { Int($0) } ?? 0
            let going = hands == 0 ? "No hand is in play." : "\(count("hands", "hand goes", "hands go")) on at the next start."
            return "The server stops and keeps all seats. \(going)\(kept)"
        case "stopping_at_once": return "The server ends at once: bets are returned.\(kept)"
        case "draining": return "The tables close."
        case "evening":
            let bot = field("bot") == "yes" ? " (a bot)" : ""
            let net = field("net").hasPrefix("-") || field("net") == "0" ? field("net") : "+" + field("net")
            return
                "Place \(field("place")): \(field("name"))\(bot), \(net) chips in \(count("rounds", "round", "rounds")), biggest win \(field("biggest_win"))."
        case "stopped":
            let right = field("imbalance") == "0" ? "" : " The chips do NOT add up: \(field("imbalance"))."
            return "The server has stopped after \(count("rounds", "round", "rounds")).\(right)"
        case "table_closed": return "The table \(field("table")) is closed."
        default: return nil
        }
    }

    /// Where the chips are once the server has ended; empty without the field.
    private var kept: String {
        guard let data = optional("data") else { return "" }
        return data == "none" ? " Chips are not kept (--data none)." : " Chips are kept in \(data)."
    }

    private var data: String? {
        switch event {
        case "accounts_full":
            return
                "There are \(field("max_accounts")) accounts, and newcomers are refused: raise --max-accounts, or delete unused ones."
        case "recovered":
            let tables = count("open_tables", "open table", "open tables")
            return "\(count("known_accounts", "account", "accounts")) and \(tables) are read from \(field("data"))."
        case "journal_cut": return "The last write before the end was interrupted, and is left out; nobody was told of it."
        case "anchor_made": return "The folder of the data gets its anchor: an older version has written it."
        case "history_kept":
            return "Hands are kept whatever their age until \(field("until")): the clock has to prove itself first."
        case "clock_jumped":
            return "The machine's clock has jumped by \(seconds("by_ms")): the time is its own again, deadlines stay."
        case "clock_set_back":
            return "The machine's clock is \(seconds("by_ms")) before the last record: times go on from the clock."
        case "journal_failed": return "The data can't be used, and the server ends\(because)"
        case "journal_incomplete": return "The last \(count("bytes", "byte", "bytes")) of the data could not be written."
        case "checkpoint": return "The data is condensed: \(count("removed_bytes", "byte", "bytes")) removed."
        case "checkpoint_failed": return "The data could not be condensed\(because)"
        case "history_failed": return "A player's history could not be read\(because)"
        case "data_readable_by_others":
            return "\(field("data")) can be read by others, and has keys of shoes: chmod 700."
        case "table_not_continued": return "The table \(field("table")), of \(field("players")), does not go on\(because)"
        case "database_away": return "The database does not answer: the tables wait\(because)"
        case "database_stores": return "The database stores records again."
        case "relay_failed": return "The server of partition \(field("partition")) is not reached\(because)"
        case "row_damaged": return "The database has a row that no server has written\(because)"
        case "ban_not_shared":
            return "The house's other servers do not know of the ban of \(field("block")): the database does not answer."
        case "lease_failed": return "The lease of the tables can't be read or renewed\(because)"
        case "partition_owned": return "This server has the tables of partition \(field("partition")) from now on."
        case "partition_left_alone":
            return "Nobody has the tables of partition \(field("partition")), and this server leaves them alone\(because)"
        case "lease_in_doubt": return "Another server may have taken the tables over: they wait\(because)"
        case "lease_renewed": return "No other server has taken the tables over: they go on."
        case "fenced": return "Another server has taken the tables over, and this one ends."
        case "database_rolled_back": return "The database is an older copy of itself, and this server ends\(because)"
        case "disk_full": return "The disk is full: the tables wait\(because)"
        case "disk_has_space": return "The disk has space again."
        case "storage_stalled": return "The disk or the database does not answer: the tables wait."
        case "paused": return "This process did not run for \(seconds("ms")): every deadline has moved by that time."
        case "storage_caught_up": return "The disk or the database answers again, after \(seconds("ms"))."
        default: return nil
        }
    }

    private var configuration: String? {
        switch event {
        case "config_refused": return "The configuration is not right, and nothing is changed\(because)"
        case "config_doubtful": return "The settings are hardly meant so\(because)"
        case "config_changed": return "\(field("key")) is \(field("to")) instead of \(field("from"))."
        case "config_needs_restart":
            let key = optional("table").map { "The table \($0)" } ?? field("key")
            let change = optional("configured").map { "is \(field("effective")), and \($0) only after" } ?? "changes only with"
            return "\(key) \(change) a restart\(because)"
        case "config_reloaded":
            return
                field("changed") == "0" && field("need_restart") == "0"
                ? "The configuration is read again: nothing has changed."
                : "The configuration is read again: \(count("changed", "change", "changes")), \(field("need_restart")) after a restart."
        case "invites_changed": return "\(count("to", "invite code is", "invite codes are")) valid."
        case "bans_changed": return "\(count("to", "ban", "bans")) by the configuration."
        case "table_opened": return "The table \(field("table")) is open."
        case "table_closing": return "The table \(field("table")) closes after its round."
        case "table_not_opened": return "The table \(field("table")) is not opened\(because)"
        case "table_pass_changed":
            let author = optional("owner").map { " by its owner \($0)" } ?? ""
            return "The pass phrase of \(field("table")) is \(field("pass") == "none" ? "taken away" : "changed")\(author)."
        case "table_pending":
            return "The table \(field("table")) \(optional("closes").map { "closes \($0)" } ?? "opens \(field("opens"))")."
        default: return nil
        }
    }

    // MARK: Patterns

    /// Every event of the log, for the manual page. A test compares the list with the sources.
    static let events: [String] = [
        // Players
        "login", "gone", "arrived", "sat", "left", "sent_away", "called_back", "wrong_secret", "wrong_invite", "wrong_owner",
        "wrong_pass",
        "refused",
        "connected", "turned_away", "relayed", "disconnected", "evicted", "house_bot",
        // Tables
        "table_opened", "table_closing", "table_closed", "table_pending", "table_not_opened", "table_not_continued",
        "table_pass_changed", "table_owned", "owner_pass_kept", "owner_pass_overruled",
        // Configuration
        "config_changed", "config_needs_restart", "config_reloaded", "config_refused", "config_doubtful", "invites_changed",
        "bans_changed",
        // Data
        "accounts_full", "recovered", "anchor_made", "history_kept", "clock_jumped", "clock_set_back",
        "journal_cut",
        "journal_failed", "journal_incomplete", "checkpoint", "checkpoint_failed",
        "history_failed",
        "data_readable_by_others", "disk_full", "disk_has_space", "storage_stalled", "storage_caught_up", "paused",
        "database_away", "database_stores", "lease_failed",
        "partition_owned", "partition_left_alone", "relay_failed", "row_damaged", "ban_not_shared", "lease_in_doubt",
        "lease_renewed", "fenced", "database_rolled_back",
        // Operation
        "started", "admin", "descriptors", "descriptors_short", "descriptors_near_limit", "accept_failed", "proxy_not_trusted",
        "proxy_header", "seeded", "suppressed", "log_dropped", "stopping", "stopping_at_once", "suspending", "draining",
        "evening", "stopped",
    ]
}

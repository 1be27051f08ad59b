import CommandLineKit

extension Command where Program == ServerProgram {
    /// Sections of the manual page about what a host types and reads.
    mutating func declareTopics() {
        topic(
            "Tables in a file",
            """
            In the configuration file an element of 'tables' is a name or an object with these keys: \
            { "name": "friends", "rules": "vegas-strip", "pass": "open sesame" }.
            """, entries: TableSpec.Key.allCases.map { ($0.rawValue, $0.meaning) })
        topic(
            "Words for a running server",
            """
            Type them at another terminal: bjserver ctl WORD. The server takes no words at its own terminal, only keys: \
            Ctrl-C drains it, and a second one ends it at once and returns the bets. Closing the terminal drains it, too.
            """, entries: ControlOptions.Verb.allCases.map { ($0.usage, $0.meaning) })
        topic(
            "Events of the log",
            """
            The log has a line for each event, 'event=NAME' with its fields. Where standard error is a terminal and the format is logfmt, \
            lines of who comes and goes, of the start and of the end are sentences with their time (UTC) instead.
            """)
    }
}

extension ControlOptions.Verb {
    /// The word with its operands and options.
    var usage: String {
        let options: String =
            switch self {
            case .kick, .drain: " [--reason TEXT]"
            case .say: " [--table TABLE]"
            case .ban: " [--for DURATION]"
            case .accounts: " [--limit COUNT]"
            default: ""
            }
        return [rawValue, target, value].compactMap(\.self).joined(separator: " ") + options
    }

    /// One sentence.
    var meaning: String {
        switch self {
        case .tables: "Lists the tables: phase, seats, round, chips, limits, owner, whether a pass phrase is asked."
        case .players: "Lists the players here, also those whose seat is kept while they are away."
        case .owner:
            "Prints a line to paste, once and within an hour: who does owns the table, may send players away and change the pass phrase."
        case .evening: "Ranks the players of the evening: rounds, chips won or lost, biggest win. A drain ends it."
        case .kick: "Ends a player's connection and frees the seat; hand and chips stay. Only a ban keeps the player out."
        case .say: "Sends a line to all at the tables, or at one; clients show it as the host's word."
        case .ban: "Bans an address or a network, for a time or for ever, and closes its connections."
        case .unban: "Lifts the operator's ban of exactly this address or network."
        case .bans: "Lists the bans with their source and end."
        case .log: "Logs from a severity on (debug, info, warning, error), until the next start."
        case .drain: "Stops the server after all rounds; SIGTERM keeps seats and hands for the next start instead."
        case .config: "Shows each setting with its source."
        case .stats: "Shows the figures of /metrics, without histogram buckets."
        case .accounts: "Lists the accounts, also those of players who are not here."
        case .account: "Shows one account."
        case .credit: "Gives an account chips of the bank, or takes them back (-100)."
        case .rename: "Changes an account's name; its player has no seat."
        case .disable: "Refuses logins to an account, ends the connection and gives up the seat."
        case .enable: "Admits logins to the account again."
        case .resetSecret:
            "Prints a new secret for an account, once, for 'bjclient accounts import --server HOST:PORT'; the old one is void."
        case .delete: "Erases an account: its chips return to the bank."
        }
    }
}

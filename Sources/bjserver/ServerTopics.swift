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
            "Control requests",
            """
            Run them in another terminal, with 'bjserver ctl REQUEST'. In the server's own terminal, Ctrl-C drains, and a second \
            Ctrl-C stops at once and returns the bets. Closing the terminal also drains.
            """, entries: AdminVerb.all.map { ($0.usage, $0.meaning) })
        topic(
            "Log events",
            """
            The log has a line for each event, 'event=NAME' with its fields. Where standard error is a terminal and the format is logfmt, \
            logins, seats, start and stop are printed as sentences with the time (UTC) instead.
            """)
    }
}

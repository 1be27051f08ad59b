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
            """, entries: AdminVerb.all.map { ($0.usage, $0.meaning) })
        topic(
            "Events of the log",
            """
            The log has a line for each event, 'event=NAME' with its fields. Where standard error is a terminal and the format is logfmt, \
            lines of who comes and goes, of the start and of the end are sentences with their time (UTC) instead.
            """)
    }
}

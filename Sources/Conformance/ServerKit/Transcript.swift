extension ServerKit {
    /// One transcript of a file: `== name`, its needs, its steps. A line that begins with `#` is a remark.
    ///
    /// - needs:
    ///
    /// ```
    /// needs: minimumBet>1, surrender=late      a condition on the table: rules, seats
    /// needs: tables>=2                         open tables without players
    /// needs: locked                            a table whose pass phrase the performer has
    /// needs: given crowded                     a condition that only the host can bring about, and declares
    /// takes: decisionSeconds+1                 seconds that it waits for a clock
    /// ```
    ///
    /// - steps, one a line; `WHO` is any name of a connection:
    ///
    /// ```
    /// connect WHO                  opens a connection
    /// cut WHO                      ends it without a word
    /// WHO> {"type":"ping"}         sends a line; $name is replaced by its value, as JSON
    /// WHO>> {"type":"pi            sends bytes without an end of line; \n \r \t \\ \xFF \(a*5000) are escapes
    /// WHO< {"type":"ok",...}       the next reply (ok, error, hello, bye), skipping events;
    ///                              or, for an event (diff, chat …), the next one that matches
    /// WHO<! {"type":"diff",...}    the very next line
    /// WHO<? {"type":"error",...}   a line that may come, or not, before the next one that is expected
    /// WHO closed                   the server closes the connection
    /// WHO sees {"phase":"waiting",...}   waits until the table looks like this to WHO: items by name, sections as a whole
    /// WHO plays 20 hit,stand until {…}   bets, and answers by the first of these that is legal, until the table looks like this;
    ///                              at most this many rounds. `ann+bob plays …` for several. 0 rounds: never bets
    /// WHO reckons                  sets $server, $shoe and, once it is closed, $list from the item `next` that WHO sees, and
    ///                              $WHO_contribution with $WHO_commitment, $WHO_other with $WHO_other_commitment; skips the rest
    ///                              where there is no such item
    /// WHO keeps OTHER              WHO has the table as OTHER had it
    /// let name = $a+5              gives a name to a number
    /// within 5                     seconds that each step after it may take at most
    /// define NAME WHO … end        steps under a name, outside of any transcript; `NAME ann` plays them for ann
    /// ```
    ///
    /// - patterns: `*` is anything, `...` allows further fields or elements, `a|b` is either, `!a` anything else, `$name` is the value of the
    ///   name, or sets it. `$WHO` is a unique player's name; `$table`, `$other` are tables where nobody is; `$minimumBet` and so on, with
    ///   `$min`, `$max`, `$step` for short, are rules.
    public struct Transcript: Equatable, Sendable {
        public let name: String
        var needs: [Need] = []
        /// Seconds that it has to wait for clocks.
        var takes = Term(first: .number(0))
        var steps: [Step] = []
        /// The text of all steps, searched for the features in use.
        var text = ""

        /// Whether it uses a table.
        var usesTable: Bool { text.firstRange(of: "$table") != nil }
        var usesOtherTable: Bool { text.firstRange(of: "$other") != nil }
    }

    /// A condition for playing a transcript.
    enum Need: Equatable, Sendable {
        /// A rule of the table, or its number of seats, compared with a value.
        case rule(key: String, sign: String, value: String)
        case tables(Int)
        case locked
        case given(String)
    }

    /// One line of a transcript.
    struct Step: Equatable, Sendable {
        enum Action: Equatable, Sendable {
            case connect(String)
            case cut(String)
            case send(String, String)
            case sendRaw(String, String)
            case hear(String, Pattern)
            case hearNext(String, Pattern)
            case mayHear(String, Pattern)
            case closed(String)
            case sees(String, Pattern)
            case plays([String], rounds: Int, actions: [String], until: Pattern)
            case keeps(String, String)
            case reckons(String)
            case set(String, Term)
            case within(Term)
        }

        let action: Action
        /// As it is written.
        let text: String
    }
}

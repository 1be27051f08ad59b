import CommandLineKit
import TerminalUI

extension Command where Program == ClientProgram {
    /// The statuses of a session that commands or a script control.
    mutating func sessionStatuses(refused: String) {
        exitStatus(65, refused)
        exitStatus(66, "the script can't be read")
        exitStatus(75, "an expectation of a script was not met in time")
    }

    /// Sections of the manual page for authors of scripts and tools.
    mutating func declareTopics() {
        topic(
            "Scripts",
            """
            A script has a command or an expectation in each line; '#' begins a comment. Each line waits until it is possible or met, for \
            30 seconds unless 'within 60s' at its end, or on a line of its own for all lines after it, says otherwise (1s to 86400s). The \
            end of the file waits for the hand in play. A line that fails is named on standard error.

            'expect phase NAME', 'expect turn' (a question to you) and 'expect seat' look at the table as it is. 'expect event KIND', \
            'expect "text"' and 'expect /expression/' look for a sentence: the first one since the last sentence that was found. That \
            sentence and all before it are used up: two expectations of one sentence need it twice, and one of an earlier sentence is \
            never met. Sentences of which none is expected wait, the last 1000 of them.

            An expression has . [a-z] \\d \\w \\s \\b ( ) | * + ? {2,5} ^ and $, and is compared without backtracking.
            """)
        topic("Phases", "The NAME of 'expect phase NAME', and 'phase' in a line of JSON.", entries: Script.phases)
        topic(
            "Events", "The KIND of 'expect event KIND', and 'event' in a line of JSON: the subject of a sentence.",
            entries: Script.events)
        topic(
            "Lines for programs",
            """
            With --json each line of standard output is one object of JSON, ASCII alone, at most \(JSONLines.longest) bytes. Commands are \
            read as with --plain. The member 'type' says what it is; a program skips types and members that it does not know. A member \
            without a value is left out.
            """, entries: JSONLines.types)
    }
}

import CommandLineKit
import Journal

extension Command<ServeOptions, ServerProgram> {
    /// Options about what outlives the process.
    mutating func declareData() {
        option(
            "--data", \.data, .dataFolder, environment: "BJ_DATA",
            help:
                "The folder of accounts, chips and hands. Default: $STATE_DIRECTORY, else $XDG_STATE_HOME/bjserver/PORT (in "
                + "~/.local/state); none with port 0 or --seed. With none, nothing outlives the process.")
        flag(
            "--create", \.create, environment: "BJ_CREATE",
            help:
                "Makes the folder of --data if it is missing, with its parents, and a new house in an empty one. Without it a missing or "
                + "empty folder is refused: its disk may not be mounted. The default folder needs no --create.")
        option(
            "--durability", \.durability, .choice, environment: "BJ_DURABILITY",
            help:
                "When a change counts as stored. sync: on the disk; neither a crash nor a power cut loses anything that a player was "
                + "told. interval: with the system, and on the disk within a second; a crash of the server loses nothing, a "
                + "power cut the last second. none: within a second; a crash loses the last second, a power cut more.")
        option(
            "--history", \.history, .history, environment: "BJ_HISTORY", traits: .reloadable,
            help: "How much of the journal to keep for audit and history. Accounts and chips are kept in any case.")
    }
}

extension HostSentence {
    /// Every event of the log, for the manual page. A test compares the list with the sources.
    static let events: [String] = [
        // Players
        "login", "gone", "sat", "left", "sent_away", "wrong_secret", "wrong_invite", "wrong_pass", "refused", "connected",
        "turned_away", "disconnected", "evicted", "house_bot",
        // Tables
        "table_opened", "table_closing", "table_closed", "table_pending", "table_not_opened", "table_not_continued",
        "table_pass_changed", "table_owner_unknown", "table_owned", "owner_pass_kept", "owner_pass_overruled",
        // Configuration
        "config_changed", "config_needs_restart", "config_reloaded", "config_refused", "config_doubtful", "invites_changed",
        "bans_changed",
        // Data
        "accounts_full", "recovered", "anchor_made", "history_kept", "clock_jumped", "clock_set_back", "journal_cut",
        "journal_failed", "journal_incomplete", "checkpoint", "checkpoint_failed",
        "history_failed",
        "data_readable_by_others", "disk_full", "disk_has_space", "disk_stalled", "disk_caught_up",
        // Operation
        "admin", "descriptors", "descriptors_short", "descriptors_near_limit", "accept_failed", "proxy_not_trusted",
        "proxy_header", "seeded", "suppressed", "log_dropped", "stopping", "stopping_at_once", "suspending", "draining",
        "stopped",
    ]
}

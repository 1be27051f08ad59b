import Fairness
import Rules
import TableEngine
import Wire

/// The first line of a checkpoint.
struct CheckpointStart: Coded {
    static var blank: Self { Self() }
    var format = SavedState.checkpointFormat
    var sequence = 0
    var house = ""
    var time: Int64 = 0
    var version = ""
    var isStopped = false
    var lastID = 0
    var bank = 0
    var formerTables = 0
    var formerRounds = 0
    var formerHouseNet = 0

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.required("checkpoint", &format)
        try coder.required("sequence", &sequence)
        try coder.text("house", &house)
        try coder.time("time", &time)
        try coder.text("version", &version)
        try coder.flag("stopped", &isStopped)
        try coder.number("lastID", &lastID)
        try coder.number("bank", &bank)
        try coder.number("formerTables", &formerTables)
        try coder.number("formerRounds", &formerRounds)
        try coder.number("formerHouseNet", &formerHouseNet)
    }
}

/// The last line of a checkpoint.
struct CheckpointEnd: Coded {
    static var blank: Self { Self() }
    /// The number of lines before.
    var lines = 0
    /// The CRC-32 of the lines before, their ends included.
    var check = 0

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.required("lines", &lines)
        try coder.required("check", &check)
    }
}

extension SavedAccount: Coded {
    static var blank: Self {
        SavedAccount(id: PlayerID(0), name: "", isBot: false, secret: nil, chips: 0, issued: 0, created: 0, lastSeen: 0)
    }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.player("account", &id)
        try coder.text("name", &name)
        try coder.flag("bot", &isBot)
        try coder.optionalDigest("secret", &secret)
        try coder.number("chips", &chips)
        try coder.number("issued", &issued)
        try coder.flag("disabled", &isDisabled)
        try coder.time("created", &created)
        // Absent where it is the first sit, and in older checkpoints.
        var seen = lastSeen == created ? 0 : lastSeen
        try coder.time("lastSeen", &seen)
        lastSeen = seen == 0 ? created : seen
        try coder.flag("mayExpire", &mayExpire)
        try coder.optionalTime("lastRebuy", &lastRebuy)
        try coder.optionalText("table", &table)
    }
}

extension SavedTable {
    /// The fields of a line, the name excepted.
    struct Fields: Coded {
        static var blank: Self { Self(saved: Table.Saved(rules: HouseRules(), pace: Pace())) }
        var name = ""
        var pass: String?
        var owner: PlayerID?
        var opened: Int64 = 0
        var time: Int64 = 0
        var version = Table.Saved.version
        var saved: Table.Saved

        mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
            try coder.text("table", &name)
            try coder.number("version", &version, absent: nil)
            try coder.optionalText("pass", &pass)
            try coder.optionalPlayer("owner", &owner)
            try coder.time("opened", &opened)
            try coder.time("time", &time)
            try coder.rules("rules", &saved.rules)
            try coder.pace("pace", &saved.pace)
            try saved.code(&coder)
        }
    }
}

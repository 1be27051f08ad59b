import CommandLineKit
import Foundation
import Rules
import ServerCore
import TestKit
import Testing

@testable import bjserver

private func setting(_ name: String, pass: String? = nil, minimumBet: Int = 10) throws -> TableRoster.Setting {
    .init(name: name, rules: try HouseRules().with([("minimumBet", .integer(minimumBet))]), pass: pass)
}

extension RunningConfiguration {
    fileprivate func row(_ key: String) throws -> Row { try #require(rows.first { $0.key == key }) }
}

/// Configured and effective settings.
struct ReloadingTests {
    @Test func whatNeedsARestartIsSaidAtEachReload_untilItIsTakenBack() throws {
        var running = RunningConfiguration(try read(#"{"settle": "4s", "loops": 1, "idleTimeout": "5m"}"#))
        for _ in 0..<2 {
            let change = running.reload(try read(#"{"settle": "1s", "loops": 2, "idleTimeout": "6m"}"#))
            #expect(
                change.needsRestart == [.init(key: "settle", old: "4s", new: "1s"), .init(key: "loops", old: "1", new: "2")])
        }
        #expect(
            try running.row("settle")
                == .init(key: "settle", effective: "4s", configured: "1s", origin: "file etc/bj.json", pending: "restart"))
        #expect(try running.row("idleTimeout").effective == "6m" && running.row("idleTimeout").pending == nil)
        // New tables have the effective settle time.
        #expect(running.effective.shards.settledMilliseconds == 4_000 && running.effective.shards.idleMilliseconds == 360_000)
        #expect(running.effective.options.loops == 1 && running.configured.options.loops == 2)
        // Restoring the value that holds needs nothing.
        let restored = running.reload(try read(#"{"settle": "4s", "loops": 1, "idleTimeout": "6m"}"#))
        #expect(restored.needsRestart.isEmpty && restored.applied.isEmpty && restored.pendingTables.isEmpty)
        #expect(running.rows.allSatisfy { $0.pending == nil && $0.effective == $0.configured })
    }

    @Test func aReloadReadsTheCodesOfAClosedHouseAgain_andAFaultyFileChangesNothing() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "bj-codes-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = #"{"invite": "\#(path)"}"#
        try Data("spring-1\n".utf8).write(to: URL(filePath: path))
        var running = RunningConfiguration(try read(file))
        try Data("spring-1\nspring-2\n".utf8).write(to: URL(filePath: path))
        _ = running.reload(try read(file))
        #expect(running.effective.shards.invites == InviteCodes(["spring-1", "spring-2"]))
        try Data("# for friends\nshort\n".utf8).write(to: URL(filePath: path))
        let fault = #expect(throws: ConfigurationFault.self) { try read(file) }
        #expect(fault?.description == "\(path): line 2 is not a code of 8 to 64 visible ASCII characters")
    }

    @Test func everySettingIsEitherTakenOverOrPending() throws {
        let old = try read("{}")
        var changed = 0
        for setting in old.settings {
            guard let key = setting.key, let value = setting.value,
                Int(value) != nil || !value.contains(",") && (value.hasSuffix("s") || value.hasSuffix("m"))
            else { continue }
            let other = Int(value).map { String($0 + 1) } ?? "\"7s\""
            var running = RunningConfiguration(old)
            let change = running.reload(try read("{\"\(key)\": \(other)}"))
            #expect(change.applied.map(\.key) + change.needsRestart.map(\.key) == [key])
            #expect(change.applied.isEmpty != setting.isReloadable)
            changed += 1
        }
        #expect(changed > 15)
    }

    @Test func aChangedPhrase_countsAsAChange_thoughNoTextShowsIt() throws {
        var running = RunningConfiguration(try read(#"{"tables": [{"name": "a", "pass": "x"}, {"name": "b", "pass": "x"}]}"#))
        let change = running.reload(try read(#"{"tables": [{"name": "a", "pass": "y"}, {"name": "b", "pass": "x"}]}"#))
        #expect(change.applied.isEmpty && change.count == 1)
        let more = running.reload(try read(#"{"tables": [{"name": "a", "pass": "z"}], "chatRate": 7}"#))
        #expect(more.applied.map(\.key) == ["tables", "chatRate"] && more.count == 2)
    }

    @Test func settingsAtATerminal_areShort() {
        var table = AdminTable(columns: ["key", "effective", "configured", "origin", "pending"])
        let long = String(repeating: "x", count: 300)
        table.add(["tables", .text(long), .text(long), "default", .none])
        table.add(["settle", "4s", "1s", "file", "restart"])
        for columns in [60, 80, 132] {
            let short = table.shortened(to: columns)
            #expect(short.rows[0][1].text.hasSuffix("x…") && short.rows[0][2] == "=" && short.rows[1] == table.rows[1])
            #expect(short.text.split(separator: "\n").map(\.count).max() == columns)
        }
        table.rows.removeLast()
        #expect(table.shortened(to: 80).columns == ["key", "effective", "origin"])
    }

    @Test func newRulesHoldForNewTables_andEachOpenTableThatKeepsItsOwnIsNamedEachTime() throws {
        var running = RunningConfiguration(try read(#"{"tables": ["low", "high"]}"#))
        for _ in 0..<2 {
            let change = running.reload(try read(#"{"tables": ["low", "high", "new"], "rules": {"decks": 2}}"#))
            #expect(change.needsRestart.isEmpty && change.pendingTables == [.rules(name: "low"), .rules(name: "high")])
        }
        #expect(
            running.roster.running["new"]?.setting.rules.decks == 2 && running.roster.running["low"]?.setting.rules.decks == 6)
        let row = try running.row("tables")
        #expect(row.effective == "low,high,new" && row.pending == "restart for the rules of low, high")
        #expect(ConfigurationChange.Item(key: "maxLine", old: "", new: "").scope == "new connections")
        // Closed by the operator and opened by a reload, a table has the new ones.
        running.roster.dismiss("low")
        #expect(running.roster.closed("low").isEmpty && running.roster.pending == [.rules(name: "high")])
        let change = running.reload(running.configured)
        #expect(change.tableActions.count == 1 && change.pendingTables == [.rules(name: "high")])
        #expect(running.roster.running["low"]?.setting.rules.decks == 2)
    }
}

struct TableRosterTests {
    @Test func aPassPhraseIsTakenOverAtOnce() throws {
        var roster = TableRoster([try setting("a", pass: "one"), try setting("b")])
        let wanted = [try setting("a", pass: "two"), try setting("b", pass: "three")]
        let actions = roster.configure(wanted)
        #expect(actions == [.setPass("two", name: "a"), .setPass("three", name: "b")] && roster.pending.isEmpty)
        let again = roster.configure(wanted)
        #expect(again.isEmpty)
        let lifted = roster.configure([try setting("a"), try setting("b", pass: "three")])
        #expect(lifted == [.setPass(nil, name: "a")])
    }

    @Test func aTableThatIsPutBackWhileItCloses_opensWhenItHasClosed() throws {
        let (a, b) = (try setting("a"), try setting("b", minimumBet: 20))
        var roster = TableRoster([a, try setting("b")])
        let removed = roster.configure([a])
        #expect(removed == [.close(name: "b")] && roster.pending == [.closes(name: "b")])
        let restored = roster.configure([a, b])
        #expect(restored.isEmpty && roster.pending == [.opens(name: "b")])
        let opened = roster.closed("b")
        #expect(opened == [.open(b)] && roster.pending.isEmpty)
    }

    @Test func aTableThatTheOperatorClosed_staysClosedUntilTheNextReload() throws {
        let tables = [try setting("a"), try setting("b")]
        var roster = TableRoster(tables)
        roster.dismiss("b")
        #expect(roster.pending == [.closes(name: "b")])
        let closed = roster.closed("b")
        #expect(closed.isEmpty && roster.pending.isEmpty)
        let reopened = roster.configure(tables)
        #expect(reopened == [.open(tables[1])])
        // Closed by the operator and put back by a reload in the same round.
        roster.dismiss("a")
        let waiting = roster.configure(tables)
        #expect(waiting.isEmpty && roster.pending == [.opens(name: "a")])
        let again = roster.closed("a")
        #expect(again == [.open(tables[0])])
    }

    @Test func aTableThatFoundNoRoom_isTriedAgainWhenOneHasClosed() throws {
        var roster = TableRoster([try setting("a")])
        let b = try setting("b")
        let actions = roster.configure([b])
        #expect(actions == [.close(name: "a"), .open(b)])
        roster.notOpened("b")
        #expect(roster.pending == [.opens(name: "b"), .closes(name: "a")])
        let again = roster.closed("a")
        #expect(again == [.open(b)] && roster.pending.isEmpty)
    }
}

@Test(.ownThread) func ctlReload_saysWhatHasChanged_whatWaitsForARestart_andWhatIsWrong() throws {
    let scratch = DataScratch()
    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: scratch.path("bj.json"))) }
    try write("{}")
    let server = try DataServer(on: scratch, "--config '\(scratch.path("bj.json"))'")
    try write(#"{"idleTimeout": "6m", "sitOut": "5m", "tables": ["main", "new"], "bots": 0, "chips": 7}"#)
    let changed = try scratch.control("reload")
    #expect(changed.status == 0)
    for sentence in [
        "idleTimeout is 6m instead of 15m.", "The table new is open.", "sitOut is 10m, and 5m only after a restart.",
        "The settings are hardly meant so: chips: 7 are less than the smallest bet of the tables, 10.",
        "The configuration is read again: 3 changes, 1 after a restart.",
    ] { #expect(changed.output.contains(sentence + "\n"), "\(sentence) in \(changed.output)") }
    try write(#"{"idelTimeout": "7m"}"#)
    let refused = try scratch.control("reload")
    #expect(
        refused.status == 1 && refused.errors.contains("Nothing is changed: ")
            && refused.errors.contains("did you mean idleTimeout?"))
    _ = try server.login("ann")
    #expect(server.shell.waits(forLog: "event=gone conn=1 name=ann address=127.0.0.1"))
    #expect(server.shell.log.contains("event=login conn=1 name=ann address=127.0.0.1"))
    server.kill()
}

import Operations
import ServerCore

/// Reloading, opening and closing of tables. Confined to the main queue.
extension Host {
    private typealias Telling = (LogLevel, StaticString, [LogField]) -> Void

    /// Reads the configuration again and applies reloadable values.
    /// - Returns: the changes in words, as a host reads them in the log.
    @discardableResult
    func reload() -> AdminReply {
        // A draining server opens no tables.
        guard !stopping.isRaised else { return .refused(code: "stopping", message: "The server is about to stop.") }
        var news: [String] = []
        let tell: Telling = { [self] level, event, fields in
            note(level, event, fields)
            news.append(HostSentence(LogLine(time: server.now, level: level, event: event, fields: fields)).text)
        }
        notifier?.notify(.reloading(monotonicMicroseconds: ServiceNotifier.monotonicMicroseconds))
        defer { notifier?.notify(.ready) }
        do throws(ConfigurationFault) {
            let new = try reserve.lend { () throws(ConfigurationFault) in try ServerConfiguration.read() }
            let former = configuration
            let change = current.withLock { $0.reload(new) }
            apply(configuration, insteadOf: former, tell)
            perform(change.tableActions, tell)
            server.claimTables(current.withLock { $0.roster.settings })
            report(change, tell)
            for doubt in new.doubts { tell(.warning, "config_doubtful", [LogField("reason", doubt)]) }
            metrics.noteReload(.applied)
            let others = news.count > Self.namedTables ? ["\(news.count - Self.namedTables) more lines are in the log."] : []
            return .done((news.suffix(Self.namedTables) + others).joined(separator: "\n"))
        } catch {
            metrics.noteReload(.refused)
            note(.error, "config_refused", [LogField("reason", error.description)])
            return .refused(code: "config_refused", message: "Nothing is changed: \(error)")
        }
    }

    private func apply(_ new: ServerConfiguration, insteadOf former: ServerConfiguration, _ tell: Telling) {
        log.settings.level = new.options.log
        log.settings.format = new.options.logFormat
        log.setBudget(new.logBudget)
        server.trust(proxies: new.options.proxyTrust)
        server.keep(new.options.history)
        server.reconfigure(
            new.shards, bans: new.bans, limits: new.connectionLimits, outboundTotal: new.options.maxOutboundTotal)
        if former.options.maxConnections != new.options.maxConnections {
            server.logDescriptors(wanted: new.options.maxConnections)
        }
        if let codes = new.invites?.count, codes != former.invites?.count {
            tell(.info, "invites_changed", [LogField("from", former.invites?.count ?? 0), LogField("to", codes)])
        }
        if former.bans.count != new.bans.count {
            tell(.info, "bans_changed", [LogField("from", former.bans.count), LogField("to", new.bans.count)])
        }
    }

    /// A table has closed; a new one of the same name may be waiting.
    func tableClosed(_ name: String) {
        let actions = current.withLock { $0.roster.closed(name) }
        dismissBots(ofTable: name)
        guard !stopping.isRaised else { return }
        perform(actions) { note($0, $1, $2) }
    }

    /// Closes a table for the operator. It stays closed until the next reload.
    /// - Returns: false if there is no such table.
    func closeTable(_ name: String, reason: String) -> Bool {
        current.withLock { $0.roster.dismiss(name) }
        return server.closeTable(named: name, reason: reason)
    }

    private func perform(_ actions: [TableRoster.Action], _ tell: Telling) {
        for action in actions {
            switch action {
            case .close(let name):
                if server.closeTable(named: name) { tell(.info, "table_closing", [LogField("table", name)]) }
            case .setPass(let pass, let name):
                // Logs the change, never the phrase.
                if server.setPass(pass, ofTable: name) {
                    tell(.info, "table_pass_changed", [LogField("table", name), LogField("pass", pass == nil ? "none" : "set")])
                }
            case .open(let setting):
                guard !server.openTable(setting) else {
                    tell(.info, "table_opened", [LogField("table", setting.name)])
                    seatBots(atTable: setting.name)
                    continue
                }
                current.withLock { $0.roster.notOpened(setting.name) }
                tell(
                    .warning, "table_not_opened",
                    [LogField("table", setting.name), LogField("reason", "the limit maxTables is reached")])
            }
        }
    }

    /// Tables named one by one in a log line.
    private static let namedTables = 50

    private func report(_ change: ConfigurationChange, _ tell: Telling) {
        for item in change.applied {
            var fields = [LogField("key", item.key), LogField("from", item.old), LogField("to", item.new)]
            if let scope = item.scope { fields.append(LogField("holds_for", scope)) }
            tell(.info, "config_changed", fields)
        }
        for item in change.needsRestart {
            tell(
                .warning, "config_needs_restart",
                [LogField("key", item.key), LogField("effective", item.old), LogField("configured", item.new)])
        }
        var needRestart = change.needsRestart.count
        for (index, pending) in change.pendingTables.enumerated() {
            if case .rules = pending { needRestart += 1 }
            if index < Self.namedTables { report(pending, tell) }
        }
        tell(.info, "config_reloaded", [LogField("changed", change.count), LogField("need_restart", needRestart)])
    }

    private func report(_ pending: TableRoster.Pending, _ tell: Telling) {
        switch pending {
        case .rules(let name):
            tell(
                .warning, "config_needs_restart",
                [
                    LogField("key", "tables"), LogField("table", name),
                    LogField("reason", "an open table keeps its rules and owner: restart, or use close-table and reload"),
                ])
        case .closes(let name): tell(.info, "table_pending", [LogField("table", name), LogField("closes", "after its round")])
        case .opens(let name):
            tell(.info, "table_pending", [LogField("table", name), LogField("opens", "after the previous table has closed")])
        }
    }
}

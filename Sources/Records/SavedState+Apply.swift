import Fairness
import Rules
import TableEngine
import Wire

extension SavedState {
    /// Chips of an account: sums cannot overflow.
    private static let mostChips = 1 << 60

    /// Applies a record.
    /// - Throws: the reason for which it does not fit; the state is then of no further use.
    public mutating func apply(_ record: Record, at place: RecordPlace? = nil) throws(ReplayError) {
        do {
            try perform(record)
        } catch {
            throw ReplayError(place: place, reason: error)
        }
    }

    /// Reads and applies one line.
    /// - Throws: as ``apply(_:at:)``; also for a line that is no record.
    public mutating func apply(line: UnsafeBufferPointer<UInt8>, at place: RecordPlace? = nil) throws(ReplayError) {
        let record: Record
        do {
            record = try Record(line: line)
        } catch {
            throw ReplayError(place: place, reason: .unreadable(error))
        }
        try apply(record, at: place)
    }

    private mutating func perform(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .facts(let table, let time, let facts): try apply(facts, table, time)
        case .answer(let id, let request, let message, let answer):
            let remembered = SavedAnswer(id: request, request: message, answer: answer, time: time)
            try change(id) { account in
                if account.answers.count >= WireLimits.retries { account.answers.removeFirst() }
                account.answers.append(remembered)
            }
        case .started(let time, let version):
            if time < self.time { try setBack(to: time) }
            advance(to: time)
            self.version = version
            isStopped = false
        case .stopped(let time):
            advance(to: time)
            isStopped = true
        case .opened, .pass, .ownerPass, .sentAway, .gone: try performOnTable(record)
        case .banned(let block, let until): bans.updateValue(until, forKey: block)
        case .unbanned(let block): bans[block] = nil
        case .account, .closed, .issued, .renamed, .disabled, .secret, .mayExpire, .seen, .invited: try performOnAccount(record)
        }
    }

    private mutating func advance(to time: Int64) { self.time = max(self.time, time) }

    /// The clock was set back: what is past is so by now, what is to come keeps its distance. One start in 2030 is not for ever.
    private mutating func setBack(to time: Int64) throws(ReplayError.Reason) {
        let distance = time - self.time
        self.time = time
        for id in accounts.keys {
            try change(id) { account in
                (account.created, account.lastSeen) = (min(account.created, time), min(account.lastSeen, time))
                account.lastRebuy = account.lastRebuy.map { min($0, time) }
                for index in account.answers.indices { account.answers[index].time = min(account.answers[index].time, time) }
            }
        }
        for (name, saved) in tables {
            tables[name]?.time = min(saved.time, time)
            guard saved.table.phase != .closed else { continue }
            do { try tables[name]?.table.replay(.postponed(milliseconds: Int(distance))) } catch {
                throw .misfit(table: name, fact: 1, error)
            }
        }
        for (name, decided) in decisions { decisions[name]?.sentAway = decided.sentAway.moved(by: distance) }
        bans = bans.mapValues { $0.map { max(0, $0 + distance) } }
    }
}

/// Accounts.
extension SavedState {
    private mutating func performOnAccount(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .account(let id, let name, let isBot, let secret, let chips, let time):
            guard id.rawValue > 0, accounts[id] == nil else { throw .accountExists(id) }
            guard (0...Self.mostChips).contains(chips) else { throw .chips(id, chips) }
            advance(to: time)
            lastID = max(lastID, id.rawValue)
            bank &-= chips
            accounts[id] = SavedAccount(
                id: id, name: name, isBot: isBot, secret: secret, chips: chips, issued: chips, created: time, lastSeen: time)
        case .closed(let id, let time):
            guard let account = accounts[id] else { throw .unknownAccount(id) }
            if let table = account.table { throw .accountAtTable(id, table: table) }
            advance(to: time)
            bank &+= account.chips
            accounts[id] = nil
            if account.secret != nil { decisions.forget(id) }
        case .issued(let id, let chips, let reason, let time):
            guard (-Self.mostChips...Self.mostChips).contains(chips) else { throw .chips(id, chips) }
            try add(chips, to: id)
            advance(to: time)
            bank &-= chips
            try change(id) { account in
                account.issued &+= chips
                switch reason {
                case .rebuy: account.lastRebuy = time
                case .credit: account.mayExpire = false
                }
            }
        case .renamed(let id, let name): try change(id) { ($0.name, $0.mayExpire) = (name, false) }
        case .disabled(let id, let isDisabled): try change(id) { ($0.isDisabled, $0.mayExpire) = (isDisabled, false) }
        case .secret(let id, let secret): try change(id) { ($0.secret, $0.mayExpire) = (secret, false) }
        case .mayExpire(let id): try change(id) { $0.mayExpire = true }
        case .seen(let id, let time):
            advance(to: time)
            try change(id) { $0.lastSeen = max($0.lastSeen, time) }
        case .invited(let code, let id):
            if accounts[id] == nil { throw .unknownAccount(id) }
            guard invitations.updateValue(id, forKey: code) == nil else { throw .invitationUsed }
        default: break
        }
    }

    private mutating func change(_ id: PlayerID, _ body: (inout SavedAccount) -> Void) throws(ReplayError.Reason) {
        guard let index = accounts.index(forKey: id) else { throw .unknownAccount(id) }
        body(&accounts.values[index])
    }

    /// - Parameter chips: negative: takes them away.
    private mutating func add(_ chips: Int, to id: PlayerID) throws(ReplayError.Reason) {
        guard let index = accounts.index(forKey: id) else { throw .unknownAccount(id) }
        let (sum, overflow) = accounts.values[index].chips.addingReportingOverflow(chips)
        guard !overflow, (0...Self.mostChips).contains(sum) else { throw .chips(id, chips) }
        accounts.values[index].chips = sum
    }
}

/// Tables.
extension SavedState {
    private mutating func performOnTable(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .opened(let name, let rules, let pace, let pass, let owner, let time):
            guard tables[name] == nil else { throw .tableExists(name) }
            advance(to: time)
            tables[name] = SavedTable(
                table: Table(rules: rules, pace: pace), pass: pass, owner: owner, opened: time, time: time)
            if decisions[name]?.owner != owner { decisions[name] = nil }
        case .pass(let name, let pass):
            guard tables[name] != nil || decisions[name]?.phrase != nil else { throw .unknownTable(name) }
            tables[name]?.pass = pass
            decisions.overrulePhrase(of: name)
        case .ownerPass(let name, let owner, let pass, let configured):
            decisions.decide(name, owner) { $0.phrase = OwnerPhrase(pass: pass, configured: configured) }
            tables[name]?.pass = pass
        case .sentAway(let name, let owner, let player, let until):
            decisions.decide(name, owner) { $0.sentAway.insert(player, until: until) }
        case .gone(let name, let time):
            guard let table = tables[name]?.table else { throw .unknownTable(name) }
            guard table.chipsOnTable == 0, table.playerViews.isEmpty else { throw .tableInUse(name) }
            advance(to: time)
            former.tables &+= 1
            former.rounds &+= table.round
            former.houseNet &+= table.houseNet
            formerProofs.keep(table.proofsLeft, of: name, isLocked: tables[name]?.pass != nil)
            tables[name] = nil
        default: break
        }
    }

    private mutating func apply(_ facts: [Fact], _ name: String, _ time: Int64) throws(ReplayError.Reason) {
        guard let index = tables.index(forKey: name) else { throw .unknownTable(name) }
        for (number, fact) in facts.enumerated() {
            try moveChips(fact, name)
            do {
                try tables.values[index].table.replay(fact)
            } catch {
                throw .misfit(table: name, fact: number + 1, error)
            }
            if case .roundEnded = fact { notePlayed(tables.values[index].table) }
        }
        let surplus = tables.values[index].table.surplus
        guard surplus == 0 else { throw .imbalance(table: name, chips: surplus) }
        tables.values[index].time = time
        advance(to: time)
    }

    /// Players with a hand have played.
    private mutating func notePlayed(_ table: Table) {
        for seat in 1...table.rules.seats {
            guard let owner = table.owner(seat: seat), accounts[owner]?.mayExpire == true else { continue }
            accounts[owner]?.mayExpire = false
        }
    }

    /// Chips move between an account and a table with sitting down and getting up only.
    private mutating func moveChips(_ fact: Fact, _ name: String) throws(ReplayError.Reason) {
        switch fact {
        case .sat(let id, _, _, let chips):
            guard let account = accounts[id] else { throw .unknownAccount(id) }
            if let table = account.table, table != name { throw .accountAtTable(id, table: table) }
            guard chips >= 0 else { throw .chips(id, chips) }
            try add(-chips, to: id)
            try change(id) { $0.table = name }
        case .left(let id, let chips):
            guard accounts[id]?.table == name else { throw .unknownAccount(id) }
            guard chips >= 0 else { throw .chips(id, chips) }
            try add(chips, to: id)
            try change(id) { $0.table = nil }
        default: break
        }
    }
}

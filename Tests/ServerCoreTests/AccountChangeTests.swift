import Records
import TestKit
import Testing
import Wire

@testable import ServerCore

/// An operator's changes of accounts: each change, wherever the account is.
struct AccountChangeTests {
    /// Where the account ann is; in the last three there is none.
    enum Place: CaseIterable { case seated, resident, dormant, guest, unopened, nobody }

    private static let changes: [AccountChange] = {
        let names = ["ann2", "ANN", "B0b"].compactMap { try? PlayerName($0) }.map { AccountChange.rename($0) }
        return names + [1, -1000, -1001, Int.max].map { .credit($0) } + [.disable(true), .secret(secret(of: "new")), .delete]
    }()

    /// bob has an account, too, and two are the limit.
    private func server(_ place: Place) throws -> VirtualServer {
        let server = VirtualServer.plain { ($0.maximumAccounts, $0.requests) = (2, .unreached) }
        server.seat("bob", 9)
        server.receive(#"{"type":"leave"}"#, from: 9)
        switch place {
        case .nobody: break
        case .unopened: server.enter("ann", 1)
        case .guest: server.seat(guest: "ann", 1)
        case .seated, .resident, .dormant:
            server.seat("ann", 1)
            try server.establish("ann")
            if place != .seated { server.receive(#"{"type":"leave"}"#, from: 1) }
            if place == .dormant {
                server.receive(#"{"type":"logout"}"#, from: 1)
                server.cut(1)
            }
        }
        _ = server.take()
        return server
    }

    private func refusal(_ place: Place, _ change: AccountChange) -> AccountRefusal? {
        switch (place, change) {
        case (.nobody, _): .noSuchAccount("ann")
        case (_, .rename(let name)) where name.text == "B0b": .nameInUse("B0b")
        case (.unopened, _): .noSuchAccount("ann")
        case (.guest, _): .guest("ann")
        case (.seated, .credit), (.seated, .rename), (.seated, .delete): .seated("ann", table: "main")
        case (_, .credit(-1001)), (_, .credit(.max)): .chips("ann", has: 1000)
        default: nil
        }
    }

    @Test(arguments: Place.allCases, changes.indices)
    func aChange_isCarriedOut_orRefusedWithoutEffect(_ place: Place, _ index: Int) throws {
        let (server, change) = (try server(place), Self.changes[index])
        let (name, before) = (try PlayerName("ann"), server.records)
        if let refusal = refusal(place, change) {
            #expect(throws: refusal) { try server.shard.change(name, change, at: server.now) }
            #expect(server.records == before && server.take().isEmpty)
            return
        }
        let account = try server.shard.change(name, change, at: server.now)
        let isClosed = server.take().contains(.closed(1))
        for connection in ConnectionID(1)...2 { server.cut(connection) }
        func enter(_ name: String, secret digits: String) -> String {
            server.greet(5)
            return server.say(#"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, 5)
        }
        let own = secret(of: "ann").digits
        switch change {
        case .credit(let chips):
            #expect(!isClosed && account.chips == 1000 + chips && enter("ann", secret: own).contains("\"chips\":\(1000 + chips)"))
        case .rename(let name):
            #expect(!isClosed && enter(name.text, secret: own).contains(#""name":"\#(name.text)","chips":1000"#))
        case .disable:
            #expect(account.isDisabled && account.table == nil && enter("ann", secret: own).contains("not_allowed"))
        case .secret(let new):
            #expect(enter("ann", secret: own).contains("wrong_secret"))
            #expect(server.say(#"{"type":"login","name":"ann","secret":"\#(new.digits)"}"#, 5).contains("ok"))
        case .delete:
            #expect(account.chips == 1000 && server.shard.openAccounts == 1)
            #expect(enter("ann", secret: secret(of: "eve").digits).contains(#""chips":1000"#), "the name is free")
            #expect(server.say(#"{"type":"sit"}"#, 5).contains(#""to":"sit","table":"main""#), "there is room")
        }
        let removesSession =
            switch change {
            case .credit, .rename: false
            default: place != .dormant
            }
        #expect(isClosed == removesSession)
        #expect(try server.ledger.imbalance == 0 && replayed(server.records).ledger == 0)
    }

    @Test func aNameThatOnlyLooksLikeIt_isAnotherAccount() throws {
        let server = try server(.dormant)
        #expect(throws: AccountRefusal.noSuchAccount("4nn")) {
            try server.shard.change(PlayerName("4nn"), .credit(1), at: server.now)
        }
        #expect(try server.shard.player(named: PlayerName("4nn")) == nil && server.shard.player(named: PlayerName("Ann")) != nil)
    }
}

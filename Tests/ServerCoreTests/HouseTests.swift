import Fairness
import Journal
import TableEngine
import TestKit
import Testing
import Wire

@testable import Records
@testable import ServerCore

/// Accounts of a house of several servers: each in one place, through every crash.
struct HouseTests {
    private let house: VirtualHouse

    init() throws { house = try VirtualHouse() }

    // MARK: One account at any server

    @Test func aPlayerWaitsForAnAnswerFromTheDisk_beforeGoingElsewhere() throws {
        let (ann, _) = house.enter("ann", at: 1)
        let session = try #require(house[1].shard.sessions.values.first)
        let account = try #require(session.account)
        session.questions = [PlayerQuestion(.history(), of: account.id, from: session.connection, at: 0)]
        #expect(house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann).contains("on_the_way") && house.place(of: ann) == 1)
        session.questions = []
        #expect(house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann).contains(#""to":"sit""#) && house.place(of: ann) == 2)
        try house.check()
    }

    @Test func aStrangerWhoMovesBetweenServers_hasOneDeadlineForTheLogin() throws {
        let house = try VirtualHouse()
        let (stranger, asking) = (house.connect(to: 1), house.connect(to: 1))
        for number in 1...10 {
            house.advance(6_001)
            let shard = house[2 - number % 2].shard
            shard?.timerFired(.connection(stranger), at: house.now)
            if let session = shard?.sessions[stranger] { shard?.relay(session, to: 1 + number % 2) }
            // One whose line waits for the registry is no better off.
            if number == 9 { house.send(#"{"type":"available","name":"ben"}"#, asking) }
            if number == 10 { house[1].shard.timerFired(.connection(asking), at: house.now) }
            house.settle()
        }
        for connection in [stranger, asking] {
            #expect(house.take(connection).contains("login_timeout") && house.closed.contains(connection))
        }
    }

    // MARK: Names, secrets

    /// An operator gives the row its new name first. Between the two the old one is anybody's.
    @Test func anAccountThatIsBeingRenamed_isInOnePlace() throws {
        let (ann, _) = house.enter("ann", at: 1)
        let id = try #require(house.row("ann")?.id)
        #expect(try house[1].registryClient.rename(id, to: PlayerName("cleo")))
        let cleo = house.connect(to: 1)
        _ = house.take(cleo)
        house.send(login("ann").replacing(#""name":"ann""#, with: #""name":"cleo""#), cleo)
        house.advance(1000)
        #expect(house.take(cleo).contains("on_the_way"))
        try house.check("renamed")
        let other = house.connect(to: 2)
        _ = house.take(other)
        #expect(house.say(login("cleo").replacing(#""name":"cleo""#, with: #""name":"ann""#), other).contains(#""chips":1000"#))
        house.say(#"{"type":"logout"}"#, ann)
        #expect(house.row("cleo")?.id == id && house.row("cleo")?.place == 0 && house.row("cleo")?.serial == 1)
        try house.check("departed")
    }

    @Test func aRowThatCannotBeRead_isLeftAlone() throws {
        house.say(#"{"type":"logout"}"#, house.enter("ann", at: 1).connection)
        var row = try #require(house.row("ann"))
        row.account = Array("{}".utf8)
        #expect(try house.rows.registry(1, epoch: 1).replace(row, serial: row.serial))
        let ann = house.connect(to: 2)
        _ = house.take(ann)
        house.send(login("ann"), ann)
        house.advance(1000)
        #expect(house.take(ann).contains("on_the_way") && house.row("ann")?.place == 0)
        house.crash(2)
        try house.start(2)
    }

    /// The connection ends, or the server, or the answer to the insertion is lost: at every step of a login.
    @Test func aNameIsFreeAgain_unlessItsAccountWasOpened() throws {
        for steps in 0..<8 {
            for fault in 0..<3 {
                let house = try VirtualHouse()
                let ann = house.connect(to: 1)
                house.rows.lostAnswers = fault == 2 ? 1 : 0
                house.send(login("ann"), ann)
                for _ in 0..<steps { house.step(1) }
                if fault == 1 {
                    house.crash(1)
                    try house.start(1)
                } else {
                    house.cut(ann)
                }
                house.advance(2 * RegistryClient.interval)
                let isUsed = house.row("ann") != nil
                let other = login("ann").replacing(secret(of: "ann").digits, with: secret(of: "eve").digits)
                let reply = house.say(other, house.connect(to: 2))
                #expect(reply.contains(isUsed ? "wrong_secret" : #""chips":1000"#), "\(steps) steps, fault \(fault)")
                try house.check()
            }
        }
    }

    /// The account was not opened, so its name is given back, late, while the player logs in on two connections: both find it free, and the first
    /// inserts it and gives it back, too.
    @Test func aPlayerWhoLogsInTwice_isNotToldThatTheNameIsTaken() throws {
        for milliseconds in stride(from: RegistryClient.interval - 120, to: RegistryClient.interval + 20, by: 5) {
            let house = try VirtualHouse()
            let former = house.connect(to: 1)
            house.say(login("ann"), former)
            house.rows.isAway = true
            house.say(#"{"type":"logout"}"#, former)
            house.rows.isAway = false
            house.advance(milliseconds)
            let connections = (0..<2).map { _ in house.connect(to: 1) }
            for connection in connections { house.send(login("ann"), connection) }
            house.send(#"{"type":"logout"}"#, connections[0])
            house.advance(1000)
            let replies = connections.map { house.take($0) }
            #expect(!replies.contains { $0.contains("name_taken") }, "after \(milliseconds) ms")
            try house.check()
        }
    }

    // MARK: Failures

    @Test func strangersQuestions_areFew_andWaitForWhatHasBegun() throws {
        let house = try VirtualHouse()
        let (ann, _) = house.enter("ann", at: 2)
        let strangers = (0..<RegistryClient.strangers + 8).map { _ in house.connect(to: 1) }
        for stranger in strangers { house.send(#"{"type":"available","name":"cleo"}"#, stranger) }
        let (refused, waiting) = (strangers.suffix(8), strangers.dropLast(8))
        #expect(refused.allSatisfy { house.take($0).contains(#""code":"on_the_way""#) && !house.closed.contains($0) })
        // A secret may be that of an account.
        let ben = house.connect(to: 1)
        house.send(login("ben"), ben)
        house.send(#"{"type":"sit","table":"t1"}"#, ann)
        while house.place(of: ann) == 2 { house.step(2) }
        // The lanes take turns.
        for _ in 0..<2 { house.step(1) }
        #expect(house.row("ann")?.place == 1)
        let answered = waiting.count { house.take($0).contains("available") }
        #expect(answered <= 1)
        house.settle()
        #expect(waiting.count { house.take($0).contains(#""free":true"#) } == waiting.count - answered)
        #expect(house.take(ben).contains(#""chips":1000"#))
        #expect(refused.allSatisfy { house.say(#"{"type":"available","name":"cleo"}"#, $0).contains(#""free":true"#) })
        try house.check()
    }

    /// Players who seldom played and left first make room, at a second's distance, and one on the way does not.
    @Test func inAFullHouse_accountsOfFewHandsMakeRoom() throws {
        let house = try VirtualHouse { $0.maximumAccounts = 2 }
        for (name, hands) in [("ann", 10), ("ben", 9), ("cat", 1)] {
            let player = house.connect(to: 1)
            for line in [login(name), #"{"type":"sit","table":"t1"}"#] { house.say(line, player) }
            let account = try #require(house[1].shard.sessions[player]?.account)
            for _ in 0..<hands { account.state.play(at: house.now) }
            for line in [#"{"type":"leave"}"#, #"{"type":"logout"}"#] { house.say(line, player) }
        }
        house.advance(RegistryClient.interval)
        #expect(house.rows.rows.map(\.name.text) == ["ann"], "more than one at a time")
        let dan = house.connect(to: 2)
        for line in [login("dan"), #"{"type":"sit","table":"t2"}"#] { house.say(line, dan) }
        #expect(house.row("dan")?.place == 2 && house.row("ann")?.place == 0)
    }

    /// More of them than follow at once, and before all others.
    @Test func impossibleRows_keepNoOtherAccountFromItsRow() throws {
        let clients = (1...12).map { house.enter("player \($0)", at: 1).connection }
        let rows = house.rows.rows
        house.rows.damaged = Set(rows.prefix(10).map(\.id))
        for client in clients { house.cut(client) }
        house.advance(300_000)
        #expect(house.rows.rows.map(\.place) == Array(repeating: 1, count: 10) + [0, 0])
        house.rows.damaged = []
        house.advance(300_000)
        #expect(house.rows.rows.allSatisfy { $0.place == 0 })
        try house.check()
    }

    @Test func aGuestWhoIsLostOnTheWay_givesTheChipsBackToTheBank() throws {
        let guest = house.connect(to: 1)
        house.say(#"{"type":"login","name":"guest"}"#, guest)
        house.send(#"{"type":"sit","table":"t2"}"#, guest)
        while house.row("guest")?.ticket == nil { house.step(1) }
        house.crash(1)
        try house.check("in transit")
        house.advance(RegistryClient.guestMilliseconds + 2 * RegistryClient.interval)
        #expect(house.row("guest") == nil)
        try house.start(1)
        house.settle()
        try house.check("over")
        #expect(try [1, 2].reduce(0) { try $0 + house.state($1).bank } == 0)
    }

    @Test func guestsOnTheWay_areBounded() throws {
        var refused = 0
        for _ in 0..<300 {
            let guest = house.connect(to: 1)
            house.say(#"{"type":"login","name":"guest"}"#, guest)
            if house.say(#"{"type":"sit","table":"t2"}"#, guest).contains("rate_limited") { refused += 1 }
            house.cut(guest)
            house.settle()
        }
        #expect(refused >= 90 && house.row("guest") == nil)
        house.advance(1000)
        let guest = house.connect(to: 1)
        house.say(#"{"type":"login","name":"guest"}"#, guest)
        #expect(house.say(#"{"type":"sit","table":"t2"}"#, guest).contains(#""seat""#))
        try house.check()
    }

    @Test func accountsThatEndTogether_areClosedTogether() throws {
        for number in 0..<30 { house.say(#"{"type":"logout"}"#, house.enter("ann-\(number)", at: 1).connection) }
        let registry = house.rows.registry(1, epoch: 1)
        for var row in house.rows.rows {
            (row.end, row.secret) = (0, nil)
            #expect(try registry.replace(row, serial: row.serial))
        }
        #expect(house.rows.rows.count == 30)
        house.advance(RegistryClient.interval)
        #expect(house.rows.rows.isEmpty)
        try house.check()
    }

    @Test func theLanesOfTheQueue_takeTurns() {
        var lanes = TurnLanes<Int>()
        for number in 0..<4 { lanes.append(number, toFirst: true) }
        lanes.append(100, toFirst: false)
        var order = [lanes.next(), lanes.next()]
        lanes.append(101, toFirst: false)
        while let next = lanes.next() { order.append(next) }
        #expect(order == [0, 100, 1, 101, 2, 3] && lanes.next() == nil)
    }

    @Test func aConnectionThatEndsWhileItWaits_leavesTheAccountInItsRow() throws {
        house.say(#"{"type":"logout"}"#, house.enter("ann", at: 1).connection)
        for steps in 0..<12 {
            let ann = house.connect(to: 2)
            house.send(login("ann"), ann)
            for _ in 0..<steps { house.step(2) }
            house.cut(ann)
            house.advance(300_000)
            #expect(house.row("ann")?.place == 0, "\(steps) steps")
            try house.check("\(steps) steps")
        }
        let ben = house.connect(to: 2)
        house.send(login("ben"), ben)
        house.step(2)
        house.cut(ben)
        house.settle()
        #expect(house.row("ben") == nil)
    }
}

/// Where the accounts of a house are, between partitions and rows.
struct HouseAuditTests {
    private static let ann = PlayerID(7)
    private static let secret = SHA256.hash("secret".utf8)

    private func opened(_ id: PlayerID = ann) throws -> SavedState {
        var state = SavedState(house: "h")
        try state.apply(.account(id, name: "ann", isBot: false, secret: Self.secret, chips: 1000, time: 5))
        return state
    }

    private func row(place: Int, serial: UInt64, _ account: [UInt8] = []) throws -> AccountRow {
        var row = AccountRow(id: Self.ann, name: try PlayerName("ann"), place: place, serial: serial, secret: Self.secret)
        row.account = account
        return row
    }

    /// - Returns: the fault; nil for a house without one.
    private func fault(_ states: [SavedState], _ rows: [AccountRow]) -> String? {
        var audit = HouseAudit()
        do throws(JournalError) {
            for (index, state) in states.enumerated() { try audit.add(state, of: index + 1) }
            for row in rows { try audit.add(row) }
            try audit.finish()
        } catch { return error.description }
        return nil
    }

    /// A moment after each step of an account that goes from one partition to the other.
    @Test func anAccountOnItsWay_isInOnePlaceAtEachStep_withItsChips() throws {
        var (from, to) = (try opened(), SavedState(house: "h"))
        #expect(fault([from, to], [try row(place: 1, serial: 0)]) == nil)
        try from.apply(.departed(Self.ann, ticket: nil, time: 6))
        let bytes = try #require(from.departures[Self.ann]).bytes
        #expect(fault([from, to], [try row(place: 1, serial: 0)]) == nil)
        #expect(fault([from, to], [try row(place: 0, serial: 1, bytes)]) == nil)
        let claimed = try row(place: 2, serial: 2, bytes)
        #expect(fault([from, to], [claimed]) == nil)
        let arrival = try #require(Record.arrival(of: Self.ann, bytes, serial: 2, at: 9))
        try to.apply(arrival)
        #expect(fault([from, to], [claimed]) == nil)
        try from.apply(.delivered(Self.ann, serial: 0, time: 9))
        #expect(fault([from, to], [claimed]) == nil)
        // A claimed row whose account was never opened.
        #expect(fault([SavedState(house: "h")], [try row(place: 1, serial: 0)]) == nil)
    }

    @Test func anAccountInTwoPlaces_orInNone_andChipsLostOnTheWay_areFound() throws {
        let (here, empty) = (try opened(), SavedState(house: "h"))
        #expect(fault([here, here], [try row(place: 1, serial: 0)]) == "account 7 is in partitions 1 and 2")
        #expect(fault([here, empty], []) == "account 7 of partition 1 has no row")
        #expect(fault([here, empty], [try row(place: 2, serial: 0)])?.contains("its row has place 2") == true)
        #expect(fault([here, empty], [try row(place: 1, serial: 3)])?.contains("serial 3") == true)
        var left = here
        try left.apply(.departed(Self.ann, ticket: nil, time: 6))
        let bytes = try #require(left.departures[Self.ann]).bytes
        // Its row has it, and it never left.
        #expect(fault([here, empty], [try row(place: 0, serial: 1, bytes)]) != nil)
        #expect(fault([left, empty], [try row(place: 0, serial: 1)])?.contains("cannot be read") == true)
        // The row is gone, and the chips with it.
        #expect(fault([left, empty], [])?.contains("do not add up: -1000 too many") == true)
        try left.apply(.delivered(Self.ann, serial: 0, time: 6))
        #expect(fault([left, empty], [try row(place: 1, serial: 0)])?.contains("do not add up") == true)
    }
}

import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Accounts of a house of several servers: each in one place, through every crash.
struct HouseTests {
    private let house: VirtualHouse

    init() throws { house = try VirtualHouse() }

    // MARK: One account at any server

    @Test func aLoginElsewhere_isRelayedToTheServerThatHasTheAccount_andReplacesTheOldConnection() throws {
        let (old, _) = house.enter("ann", at: 1)
        let (new, reply) = house.enter("ann", at: 2)
        #expect(reply.contains(#""to":"login""#) && !reply.contains("hello") && house.place(of: new) == 1)
        #expect(house.take(old).contains("replaced") && house.closed.contains(old))
        try house.check()
    }

    @Test func aTableElsewhere_isPlayedThroughARelay_andTheAccountGoesAlong() throws {
        let (ann, _) = house.enter("ann", at: 1)
        #expect(house.say(#"{"type":"lobby"}"#, ann).contains(#""t2":{"#))
        let sat = house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann)
        #expect(sat.contains(#""to":"sit""#) && sat.contains("snapshot") && house.place(of: ann) == 2)
        #expect(house.row("ann")?.place == 2 && house[1].shard.accounts.isEmpty && house[1].shard.sessions.isEmpty)
        #expect(house.say(#"{"type":"leave","id":2}"#, ann).contains(#""to":"leave""#))
        #expect(house.say(#"{"type":"sit","id":3,"table":"t1"}"#, ann).contains(#""to":"sit""#))
        #expect(house.place(of: ann) == 1)
        #expect(house.say(#"{"type":"sit","id":4,"table":"t2"}"#, ann).contains("not_allowed"), "it has a seat")
        try house.check()
    }

    @Test func aTableThatAnotherServerHasJustAnnounced_isFound() throws {
        let (ann, _) = house.enter("ann", at: 1)
        try house.start(3)
        house.settle()
        #expect(!house.say(#"{"type":"lobby"}"#, ann).contains(#""t3":{"#))
        #expect(house.say(#"{"type":"watch","id":1,"table":"t4"}"#, ann).contains("no_such_table") && house.place(of: ann) == 1)
        try house.start(4)
        house.settle()
        #expect(house.say(#"{"type":"watch","id":2,"table":"t4"}"#, ann).contains(#""to":"watch""#) && house.place(of: ann) == 4)
        try house.check()
    }

    @Test func aPlayerWaitsForAnAnswerFromTheDisk_beforeGoingElsewhere() throws {
        let (ann, _) = house.enter("ann", at: 1)
        let session = try #require(house[1].shard.sessions.values.first)
        let account = try #require(session.account)
        session.questions = [PlayerQuestion(.history, of: account.id, from: session.connection, at: 0)]
        #expect(house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann).contains("on_the_way") && house.place(of: ann) == 1)
        session.questions = []
        #expect(house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann).contains(#""to":"sit""#) && house.place(of: ann) == 2)
        try house.check()
    }

    @Test func aGuestGoesToATableElsewhere_andLeavesNothingBehind() throws {
        let guest = house.connect(to: 1)
        house.say(#"{"type":"login","name":"guest"}"#, guest)
        #expect(house.say(#"{"type":"sit","table":"t2"}"#, guest).contains(#""to":"sit""#))
        try house.check()
        house.cut(guest)
        house.settle()
        #expect(house.row("guest") == nil)
        try house.check()
        #expect(try [1, 2].reduce(0) { try $0 + house.state($1).bank } == 0)
    }

    @Test func aPlayerWhoNamesNoTable_isSentElsewhereAgain_afterAServerWasNotReached() throws {
        let oneSeat = try HouseRules([("seats", .number(1))])
        let house = try VirtualHouse { $0.tables[0].rules = $0.tables[0].name == "t1" ? oneSeat : $0.tables[0].rules }
        house.say(#"{"type":"sit","table":"t1"}"#, house.enter("ben", at: 1).connection)
        let (ann, _) = house.enter("ann", at: 1)
        house.crash(2)
        #expect(house.say(#"{"type":"sit","id":1}"#, ann).contains("on_the_way"))
        try house.start(2)
        house.advance(2 * Registrar.interval)
        #expect(house.say(#"{"type":"sit","id":1}"#, ann).contains(#""ok","id":1,"to":"sit","table":"t2""#))
    }

    @Test func theDeadlineOfADeparture_isNotThatOfALaterOne() throws {
        let (ann, _) = house.enter("ann", at: 1)
        for table in ["t2", "t1"] {
            house.say(#"{"type":"sit","table":"\#(table)"}"#, ann)
            house.say(#"{"type":"leave"}"#, ann)
        }
        house.advance(Registrar.deadline - 100)
        house.rows.isAway = true
        house.send(#"{"type":"sit","table":"t2"}"#, ann)
        house.advance(200)
        house.rows.isAway = false
        house.advance(2 * Registrar.interval)
        #expect(house.take(ann).contains(#""to":"sit""#) && house.place(of: ann) == 2 && !house.closed.contains(ann))
        try house.check()
    }

    @Test func aServer_hasRevisionsOfTheListOfItsOwn() throws {
        let revisions = [1, 2].map { house[$0].shard.lobby.revision }
        #expect(revisions[1] - revisions[0] > 1 << 31)
    }

    @Test func aPlayerWhoNamesNoTable_findsAFreeSeatElsewhere_andIsNotSentOn() throws {
        let oneSeat = try HouseRules([("seats", .number(1))])
        let house = try VirtualHouse { configuration in
            for index in configuration.tables.indices { configuration.tables[index].rules = oneSeat }
        }
        house.say(#"{"type":"sit"}"#, house.enter("ann", at: 1).connection)
        let (ben, _) = house.enter("ben", at: 1)
        #expect(house.say(#"{"type":"sit"}"#, ben).contains(#""table":"t2""#) && house.place(of: ben) == 2)
        house.advance(2 * Registrar.interval)
        let (cleo, _) = house.enter("cleo", at: 1)
        #expect(house.say(#"{"type":"sit"}"#, cleo).contains("table_full") && house.place(of: cleo) == 1)
        // Server 1 lists the table as it was a second ago.
        house.say(#"{"type":"leave"}"#, ben)
        house.advance(2 * Registrar.interval)
        let (dan, _) = house.enter("dan", at: 2)
        house.say(#"{"type":"sit","table":"t2"}"#, dan)
        #expect(house.say(#"{"type":"sit"}"#, cleo).contains("table_full") && house.place(of: cleo) == 2)
        try house.check()
    }

    @Test func aCodeThatMakesAnOwner_isTakenAtTheServerOfItsTable_andItsOwnerKeepsTheTableFromElsewhere() throws {
        let end = house.now + TableOwners.codeMilliseconds
        house[2].shard.owners.expect(OwnerClaim.digest(of: "2-abcdefgh"), of: "t2", until: end)
        // Of an account that is elsewhere: neither server sends it to the other for ever.
        let (old, _) = house.enter("ann", at: 1)
        let (new, refused) = house.enter("ann", at: 1, #","owner":"2-abcdefgh""#)
        #expect(refused.contains("on_the_way") && house.place(of: new) == 2)
        house.say(#"{"type":"logout"}"#, old)
        let (ann, reply) = house.enter("ann", at: 1, #","owner":"2-abcdefgh""#)
        #expect(reply.contains(#""owner":"t2""#) && house.place(of: ann) == 2)
        house.say(#"{"type":"logout"}"#, ann)
        #expect(house.row("ann")?.place == 0)
        house.crash(2)
        try house.start(2)
        #expect(house[2].shard.owners.owner(of: "t2")?.name == "ann")
        try house.check()
    }

    @Test func aPlayerWhoWasSentAway_isCalledBack_whereverTheAccountIs() throws {
        house[1].shard.owners.expect(OwnerClaim.digest(of: "1-abcdefgh"), of: "t1", until: house.now + 1000)
        let (ann, _) = house.enter("ann", at: 1, #","owner":"1-abcdefgh""#)
        house.say(#"{"type":"sit"}"#, ann)
        let (carl, _) = house.enter("carl", at: 1)
        house.say(#"{"type":"sit"}"#, carl)
        #expect(house.say(#"{"type":"kick","player":"carl"}"#, ann).contains(#""to":"kick""#) && house.closed.contains(carl))
        let (elsewhere, refused) = house.enter("carl", at: 1)
        #expect(refused.contains(#""to":"login""#) && house.say(#"{"type":"sit","table":"t1"}"#, elsewhere).contains("sent_away"))
        #expect(house.say(#"{"type":"sit"}"#, elsewhere).contains(#""to":"sit""#) && house.row("carl")?.place == 2)
        let id = try #require(house.row("carl")?.id)
        let left = house[1].shard.hostedTables[0].sentAway.wait(of: id, at: house.now)
        #expect(house.say(#"{"type":"kick","id":1,"player":"car1"}"#, ann) == #"{"type":"ok","id":1,"to":"kick","minutes":10}"#)
        #expect(left != nil && house[1].shard.hostedTables[0].sentAway.wait(of: id, at: house.now) == left)
        #expect(house.say(#"{"type":"kick","player":"nobody"}"#, ann).contains("not_found"))
        #expect(
            house.say(#"{"type":"kick","id":2,"player":"carl","minutes":0}"#, ann)
                == #"{"type":"ok","id":2,"to":"kick","minutes":0}"#)
        house.say(#"{"type":"leave"}"#, elsewhere)
        #expect(house.say(#"{"type":"sit","table":"t1"}"#, elsewhere).contains(#""to":"sit""#))
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

    @Test func silenceAndIdleDeadline_holdThroughARelay() throws {
        let house = try VirtualHouse { $0.idleMilliseconds = 60_000 }
        let (ann, _) = house.enter("ann", at: 1)
        house.say(#"{"type":"options","silence":10}"#, ann)
        #expect(house.say(#"{"type":"sit","table":"t2"}"#, ann).contains(#""to":"sit""#) && house.place(of: ann) == 2)
        house.advance(9_999)
        house.say(#"{"type":"ping"}"#, ann)
        house.advance(9_999)
        #expect(!house.closed.contains(ann))
        house.advance(1)
        #expect(house.take(ann).contains(#""idle""#) && house.closed.contains(ann))
        let (ben, _) = house.enter("ben", at: 1)
        house.say(#"{"type":"sit","table":"t2"}"#, ben)
        house.advance(59_999)
        #expect(!house.closed.contains(ben))
        house.advance(1)
        #expect(house.take(ben).contains(#""idle""#) && house.closed.contains(ben))
        try house.check()
    }

    // MARK: Names, secrets

    @Test func aNameAndItsLookAlikes_areUsedOnceInTheHouse() throws {
        _ = house.enter("Ian", at: 1)
        let stranger = house.connect(to: 2)
        #expect(house.say(#"{"type":"available","name":"IAN"}"#, stranger).contains(#""free":false"#))
        #expect(house.say(#"{"type":"available","name":"bert"}"#, stranger).contains(#""free":true"#))
        #expect(house.say(#"{"type":"login","name":"IAN"}"#, stranger).contains("name_taken"))
        #expect(house.say(#"{"type":"login","name":"lan"}"#, stranger).contains("name_taken"))
        #expect(house.rows.rows.count == 1)
    }

    @Test func theFirstLoginOfAnAccount_atTwoServersAtOnce_opensOne() throws {
        let connections = [1, 2].map { house.connect(to: $0) }
        for connection in connections {
            _ = house.take(connection)
            house.send(login("ann"), connection)
        }
        house.settle()
        for connection in connections { #expect(house.take(connection).contains(#""to":"login""#)) }
        #expect(house.closed.count == 1)
        // A guest's name is taken.
        let guest = house.connect(to: 1)
        house.say(#"{"type":"login","name":"gus"}"#, guest)
        #expect(house.enter("gus", at: 2).reply.contains("name_taken"))
        try house.check()
    }

    @Test func aServerThatIsFull_saysNothingToAClientOfAnotherOne() throws {
        let house = try VirtualHouse { $0.maximumConnections = 1 }
        let (ann, _) = house.enter("ann", at: 1)
        _ = house.connect(to: 2)
        #expect(house.say(#"{"type":"sit","id":1,"table":"t2"}"#, ann).isEmpty && house.closed.contains(ann))
    }

    /// An operator gives the row its new name first. Between the two the old one is anybody's.
    @Test func anAccountThatIsBeingRenamed_isInOnePlace() throws {
        let (ann, _) = house.enter("ann", at: 1)
        let id = try #require(house.row("ann")?.id)
        #expect(try house[1].registrar.rename(id, to: PlayerName("cleo")))
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

    @Test func aWrongSecret_claimsNothing() throws {
        let (ann, _) = house.enter("ann", at: 1)
        house.say(#"{"type":"logout"}"#, ann)
        let thief = house.connect(to: 2)
        let wrong = login("ann").replacing(secret(of: "ann").digits, with: secret(of: "eve").digits)
        #expect(house.say(wrong, thief).contains("wrong_secret"))
        #expect(house.row("ann")?.place == 0)
        #expect(house.say(login("ann"), thief).contains(#""chips":1000"#))
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
                house.advance(2 * Registrar.interval)
                let isUsed = house.row("ann") != nil
                let other = login("ann").replacing(secret(of: "ann").digits, with: secret(of: "eve").digits)
                let reply = house.say(other, house.connect(to: 2))
                #expect(reply.contains(isUsed ? "wrong_secret" : #""chips":1000"#), "\(steps) steps, fault \(fault)")
                try house.check()
            }
        }
    }

    // MARK: Failures

    @Test func aStaleOwner_claimsNothing() throws {
        house.say(#"{"type":"logout"}"#, house.enter("ann", at: 1).connection)
        _ = house.rows.claim(2)
        let (_, reply) = house.enter("ann", at: 2)
        #expect(reply.contains("on_the_way") && reply.contains(#""retryAfter":500"#))
        #expect(house.row("ann")?.place == 0)
        #expect(house.enter("ben", at: 2).reply.contains("on_the_way"))
        #expect(house.row("ben") == nil)
    }

    @Test func aRegistryThatIsAway_refusesLogins_andDisturbsNobodyWhoIsHere() throws {
        let (ann, _) = house.enter("ann", at: 1)
        house.rows.isAway = true
        #expect(house.enter("ben", at: 1).reply.contains("on_the_way"))
        #expect(house.say(#"{"type":"sit","table":"t1"}"#, ann).contains(#""to":"sit""#))
        #expect(house.enter("ann", at: 1).reply.contains(#""table":"t1""#))
        house.rows.isAway = false
        #expect(house.enter("ben", at: 1).reply.contains(#""to":"login""#))
    }

    @Test func strangersQuestions_areFew_andWaitForWhatHasBegun() throws {
        let house = try VirtualHouse()
        let (ann, _) = house.enter("ann", at: 2)
        let strangers = (0..<Registrar.strangers + 8).map { _ in house.connect(to: 1) }
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
        house.advance(Registrar.interval)
        #expect(house.rows.rows.map(\.name.text) == ["ann"], "more than one at a time")
        let dan = house.connect(to: 2)
        for line in [login("dan"), #"{"type":"sit","table":"t2"}"#] { house.say(line, dan) }
        #expect(house.row("dan")?.place == 2 && house.row("ann")?.place == 0)
    }

    @Test func aRefusedAccount_leavesTheNameFree() throws {
        let house = try VirtualHouse { $0.maximumAccounts = 1 }
        house.say(#"{"type":"logout"}"#, house.enter("ann", at: 1).connection)
        house.advance(2 * Registrar.interval)
        let ben = house.connect(to: 2)
        house.say(login("ben"), ben)
        #expect(house.say(#"{"type":"sit","table":"t2"}"#, ben).contains("server_full"))
        house.cut(ben)
        house.settle()
        #expect(house.row("ben") == nil)
    }

    @Test func anAccountWithoutAHand_leavesNoRow_andKeepsItsSeatMeanwhile() throws {
        let ann = house.connect(to: 1)
        for line in [login("ann"), #"{"type":"sit","table":"t2"}"#] { house.say(line, ann) }
        #expect(house.row("ann")?.place == 2)
        house.cut(ann)
        house.settle()
        let again = house.connect(to: 1)
        #expect(house.say(login("ann"), again).contains(#""table":"t2""#))
        house.say(#"{"type":"logout"}"#, again)
        #expect(house.row("ann") == nil)
        try house.check()
    }

    @Test func whatAPlayerHasSaid_countsAfterATripToAnotherServer() throws {
        let (ann, _) = house.enter("ann", at: 1)
        var refused = 0
        for number in 0..<6 {
            house.say(#"{"type":"watch","table":"t\#(number % 2 + 1)"}"#, ann)
            for _ in 0..<5 where house.say(#"{"type":"chat","text":"hello"}"#, ann).contains("rate_limited") { refused += 1 }
        }
        // At each of two servers a burst of five.
        #expect(refused == 20)
        try house.check()
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
        house.advance(Registrar.guestMilliseconds + 2 * Registrar.interval)
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
        house.advance(Registrar.interval)
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

    @Test func linesBehindTheOneThatWaits_areCarriedOutInOrder() throws {
        let ann = house.connect(to: 1)
        _ = house.take(ann)
        for line in [login("ann"), #"{"type":"sit","table":"t1"}"#, #"{"type":"ping"}"#] { house.send(line, ann) }
        #expect(house.take(ann).isEmpty)
        house.settle()
        let told = house.take(ann).split(separator: "\n").filter { $0.contains(#""to":"#) }
        #expect(told.count == 3 && told[0].contains("login") && told[1].contains("sit") && told[2].contains("ping"))
    }
}

import Fairness
import Rules
import TableModel
import Testing
import Wire

@testable import ClientCore

/// A way of a server to cheat, and the contradiction that it leaves.
struct Tampering: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: ShoeFault
    let house: @Sendable () throws -> ShoeHouse
    let run: @Sendable (inout ShoeHouse) throws -> Void

    /// - Parameter lies: shown from the beginning.
    init(
        _ name: String, _ fault: ShoeFault, rules: [(String, RuleValue)] = [], at beginning: ShoeHouse.Beginning = .open,
        lies: [ShoeHouse.Lie] = [], run: @escaping @Sendable (inout ShoeHouse) throws -> Void = { $0.playAShoe() }
    ) {
        (testDescription, self.fault, self.run) = (name, fault, run)
        house = { try ShoeHouse(at: beginning, rules: rules, lies: lies) }
    }

    /// Whether the fault found is the one expected; codes of cards depend on the order.
    func isFound(_ found: ShoeFault?) -> Bool {
        switch (fault, found) {
        case (.card(let shoe, -1, _, _), .card(let other, _, _, _)?): shoe == other
        case (.card(let shoe, let place, _, _), .card(let other, let seen, let expected, let face)?):
            (shoe, place) == (other, seen) && expected != face
        case (.face(let shoe, let place, _, _), .face(let other, let seen, let before, let after)?):
            (shoe, place) == (other, seen) && before != after
        default: fault == found
        }
    }

    /// A number for each case of `ShoeFault`: a new one has to be added here, and to the table.
    static func kind(of fault: ShoeFault) -> Int {
        switch fault {
        case .anotherShoe: 0
        case .secret: 1
        case .contribution: 2
        case .list: 3
        case .mixed: 4
        case .ownContribution: 5
        case .order: 6
        case .segment: 7
        case .segmentStart: 8
        case .card: 9
        case .secretReused: 10
        case .commitmentRepeated: 11
        case .commitmentChanged: 12
        case .listChanged: 13
        case .orderChanged: 14
        case .leftOut: 15
        case .namedAsWithholder: 16
        case .contradiction: 17
        case .voidedWithoutCause: 18
        case .wentBack: 19
        case .shoesWithoutRounds: 20
        case .unannounced: 21
        case .face: 22
        case .gap: 23
        case .cutCard: 24
        case .shuffledEarly: 25
        case .shuffledLate: 26
        case .itemMissing: 27
        case .dealtAfterReveal: 28
        case .rulesDigest: 29
        case .rulesDiffer: 30
        case .rulesChanged: 31
        case .payment: 32
        case .dealerPlay: 33
        }
    }
}

extension ShownTable {
    /// Shows another face than a card has, face up.
    mutating func swap(_ index: Int, by distance: UInt8) {
        cards[index].face = cards[index].face.map { Card(code: ($0.code + distance) % 52) }
    }

    /// A card of the second round is another one, as long as it lies there.
    static func swapped(_ index: Int, by distance: UInt8) -> ShoeHouse.Lie {
        { if $0.round == 2, !$0.cards.isEmpty { $0.swap(index, by: distance) } }
    }
}

extension Tampering {
    static let all = [
        proofs, ceremonies, withholders, unseen, rounds, places, contradictions, repeats, itemsNeverShown, itemsLeftOut,
        rules,
    ].flatMap(\.self)

    static let proofs: [Tampering] = [
        .init("the proof of another commitment", .anotherShoe) { house in
            house.alters = { $0.commitment = SHA256.hash([]) }
            house.playAShoe()
        },
        .init("another secret", .secret) { house in
            house.alters = { proof in
                if let contribution = proof.contributions[0].reveal { proof.secret = contribution }
            }
            house.playAShoe()
        },
        .init("another contribution of another player", .contribution("bob")) { house in
            house.close()
            house.reveal(ShoeHouse.bob, ShoeSecret(SHA256.hash([]).bytes))
            house.mix()
            house.shuffle()
            house.playOn()
        },
        .init("another list in the proof", .list) { house in
            house.alters = { $0.contributions.reverse() }
            house.playAShoe()
        },
        .init(
            "an announced order of other cards", .order(shoe: 1, segment: 0),
            lies: [
                { table in
                    table.fair?.order = SHA256.hash([])
                    guard case .mixed(let list, let mixed, _) = table.next?.stage else { return }
                    table.next?.stage = .mixed(list: list, mixed, order: SHA256.hash([]))
                }
            ]),
        .init(
            "a card that is swapped", .card(shoe: 1, place: 4, expected: nil, seen: 0), lies: [ShownTable.swapped(0, by: 1)]),
        .init(
            "cards in another order", .card(shoe: 1, place: -1, expected: nil, seen: 0),
            lies: [
                { table in
                    for index in table.cards.indices { table.swap(index, by: 1) }
                }
            ]),
        .init("a secret that is used twice", .secretReused) { house in
            house.ceremony()
            house.shuffle(reusingSecret: true)
            house.playOn()
            #expect(house.failures == [])
            house.playOn()
        },
    ]

    static let ceremonies: [Tampering] = [
        .init("a contribution that is changed", .ownContribution) { house in
            house.commit(SHA256.hash([]))
            house.playAShoe()
        },
        .init("a commitment that is changed at the close", .commitmentChanged) { house in
            house.open(publishes: false)
            house.playAShoe()
        },
        .init("a list that is changed after the reveal", .listChanged) { house in
            house.close()
            house.lie { if case .revealing(let list) = $0.next?.stage { $0.next?.stage = .revealing(list.reversed()) } }
            house.mix()
        },
        .init(
            "a list that is changed with the shuffle", .listChanged,
            lies: [
                {
                    guard case .mixed(_, let mixed, let order) = $0.next?.stage else { return }
                    $0.next?.stage = .mixed(list: SHA256.hash([]), mixed, order: order)
                }
            ]),
        .init("a contributor who is left out", .leftOut) { house in
            house.commit(nil)
            house.playAShoe()
        },
        .init("a reveal that is dropped", .mixed) { house in
            house.close()
            house.reveal(ShoeHouse.ann, nil)
            house.mix()
            house.shuffle()
            house.playOn()
        },
        .init("a commitment that is used twice", .commitmentRepeated, at: .mixed) { house in
            let used = house.next!.commitment
            house.lies = [{ if $0.next?.shoe == 2 { $0.next?.commitment = used } }]
            house.shuffle()
            house.playOn()
        },
        .init("a mix of a list that was not shown", .listChanged) { $0.mixUnlisted() },
        .init("an attempt given up for nothing", .voidedWithoutCause, at: .closed) { $0.void(withheld: []) },
        .init("an order given up", .voidedWithoutCause, at: .mixed) { $0.void(withheld: []) },
        .init("a withholder who is not on the list", .voidedWithoutCause, at: .closed) { $0.void(withheld: ["ghost"]) },
        .init("a withholder while the list is open", .voidedWithoutCause) { $0.void(withheld: ["bob"]) },
        .init("a ceremony that is taken away", .commitmentChanged, at: .closed) { house in
            house.lie { $0.next = nil }
            house.lies = []
            house.open()
            house.playAShoe()
            #expect(house.failures.count == 1 && house.verified.isEmpty)
        },
        .init("another ceremony after a restart that kept the shoe", .commitmentChanged, at: .dealt) { house in
            house.restart()
            house.open()
        },
        .init("a shoe's number of no ceremony", .commitmentChanged, at: .dealt) { house in
            for number in 1...100 { house.lie { ($0.shoe.number, $0.round) = (1 + number, 1 + number) } }
        },
        .init("an order given up at a table that closes for a moment", .wentBack, at: .mixed) { house in
            house.lie { $0.phase = .closed }
            house.lies = []
            house.void(withheld: [])
        },
        .init("the next shoe's ceremony before its turn", .commitmentChanged, at: .closed) { $0.open(2) },
        .init("an announced order that changes", .orderChanged, at: .dealt) { house in
            house.lie { $0.fair?.order = SHA256.hash([]) }
        },
        .init("a contributor left out, whose commitment was repeated", .leftOut) { house in
            house.loseSeatOnReconnect(forgets: false)
            house.publish()
            house.commit(nil)
            house.close()
        },
        .init("the same on a connection that changed nothing", .leftOut) { house in
            house.reconnect(missesChanges: false)
            house.commit(nil)
            house.close()
        },
        .init("the same behind missed changes", .leftOut) { house in
            house.reconnect(missesChanges: true)
            house.commit(nil)
            house.close()
        },
        .init("a list of nobody", .leftOut) { $0.mixUnlisted(ofNobody: true) },
    ]

    static let withholders: [Tampering] = [
        .init("a name for a confirmed reveal", .namedAsWithholder, at: .closed) { $0.void(withheld: ["ann"]) },
        .init("a name in a whole view, on a connection that lasted", .namedAsWithholder, at: .closed) { house in
            house.isShown = false
            house.void(withheld: [])
            house.void(withheld: ["ann"])
            house.isShown = true
        },
        .init("the last mix without a confirmed reveal", .namedAsWithholder) { house in
            house.reachTheLastAttempt()
            house.close()
            house.reveal(ShoeHouse.ann, nil)
            house.mix()
        },
    ]

    static let unseen: [Tampering] = [
        .init("another number, unseen", .commitmentChanged, at: .closed) { house in
            house.loseConnection()
            house.open(2)
            house.isShown = true
        },
        .init("an order that was made and not played, unseen", .voidedWithoutCause, at: .mixed) { house in
            house.isShown = false
            house.skip(shoes: 1, rounds: 1)
        },
        .init("an order that was made and given up, unseen", .voidedWithoutCause, at: .mixed) { house in
            house.unseen { $0.void(withheld: ["bob"]) }
        },
        .init("a name from no list, unseen", .voidedWithoutCause, at: .closed) { house in
            house.unseen { $0.void(withheld: ["ghost"]) }
        },
        .init("a list of nobody, unseen", .leftOut) { house in house.unseen { $0.mixUnlisted(ofNobody: true) } },
        .init("a reveal left out of an early attempt, unseen", .mixed) { house in
            house.isShown = false
            house.ceremony()
            house.shuffle()
            house.isShown = true
        },
        .init("another commitment behind another table", .commitmentChanged, at: .closed) { house in
            house.visitAnotherTable()
            #expect(house.failures == [])
            house.open(publishes: false)
            house.visitAnotherTable()
        },
        .init("a shoe in play without its order", .unannounced, at: .mixed) { house in
            house.isShown = false
            house.shuffle()
            house.lies = [{ $0.fair = nil }]
            house.isShown = true
        },
        .init("cards before the first shoe", .unannounced) { house in
            house.endCeremonies(keeping: house.next)
            house.deal()
        },
    ]

    private static let chosen: ShoeHouse.Lie = { $0.fair?.segment?.count -= 1 }

    static let rounds: [Tampering] = [
        .init("a cut card at another place", .cutCard(expected: 26, seen: 30), lies: [{ $0.shoe.behindCutCard += 4 }]),
        .init("a shuffle before the cut card", .shuffledEarly, at: .started) { house in
            house.replaceShoe()
            // The proof is right all the same: it is evidence.
            #expect(house.findings.contains { if case .evidence(_, .shuffledEarly) = $0 { true } else { false } })
        },
        .init("a shuffle for no newcomer", .shuffledEarly, rules: [("midShoeEntry", .flag(false))], at: .started) {
            $0.replaceShoe()
        },
        .init("a round after the cut card", .shuffledLate, at: .playedOut) { house in
            house.ceremony()
            house.deal()
        },
        .init("a round after the cut card, unseen", .shuffledLate, at: .playedOut) { house in
            house.ceremony()
            house.unseen { $0.deal() }
        },
        .init("a card dealt after the secret was revealed", .dealtAfterReveal, at: .started) { house in
            house.play(until: 25)
            house.ceremony()
            house.deal()
            house.reveal()
            house.settle()
            #expect(house.verified.count == 1)
            house.deal()
        },
        .init("a round dealt after the secret was revealed, unseen", .dealtAfterReveal) { house in
            house.proveInMidRound()
            house.deal()
            house.settle()
            house.isShown = true
        },
        .init("a card after the proof, unseen", .dealtAfterReveal, at: .playedOut) { house in
            house.reveal()
            house.ceremony()
            #expect(house.failures == [] && house.verified.count == 1)
            house.unseen {
                $0.deal()
                $0.lies = [{ for index in $0.cards.indices { $0.swap(index, by: 1) } }]
            }
        },
        .init("discards that are chosen", .segment(shoe: 1, number: 1), lies: [chosen]) { $0.playReshuffled() },
        .init("discards that are chosen, unseen", .segment(shoe: 1, number: 1), lies: [chosen]) {
            $0.reshuffleUnseen(first: false)
        },
        .init("the same in a round that was shown", .segment(shoe: 1, number: 1), lies: [chosen]) {
            $0.reshuffleUnseen(first: true)
        },
        .init(
            "reshuffled cards at another place", .segmentStart(shoe: 1, number: 1, expected: 52, seen: 53),
            lies: [{ $0.fair?.segment?.first += 1 }]
        ) { $0.playReshuffled() },
    ]

    static let places: [Tampering] = [
        .init("a place that is skipped", .gap(shoe: 1, place: 7, seen: 8), at: .started) { house in
            house.deal()
            house.settle()
            house.deal(burning: 1)
        },
        .init(
            "cards out of order", .gap(shoe: 1, place: 9, seen: 10),
            lies: [{ if $0.round == 3, $0.cards.last?.place == 9 { $0.cards[$0.cards.count - 1].place = 10 } }]),
        .init("places skipped as a round ends", .gap(shoe: 1, place: 4, seen: nil), at: .dealt) { house in
            house.lie { ($0.phase, $0.left) = (.waiting, $0.left - 2) }
        },
        .init("a place skipped behind the number of a round", .shoesWithoutRounds, at: .started) { house in
            house.lies = [{ $0.round += 1 }]
            house.deal(burning: 1)
        },
        .init("a shoe passed over, without a card", .gap(shoe: 1, place: 1, seen: nil), at: .mixed) { house in
            house.shuffle(deals: false)
            house.lie { $0.round = 1 }
        },
        .init("a shoe skipped within a round", .shoesWithoutRounds, at: .dealt) { $0.lie { $0.shoe.number += 1 } },
        .init(
            "a face that changes", .face(shoe: 1, place: 5, before: 0, seen: 0),
            lies: [{ if $0.round == 2, $0.phase == .settled { $0.swap(1, by: 5) } }]),
        .init("a place skipped in a whole view", .gap(shoe: 1, place: 6, seen: 8), at: .started) {
            $0.showRound(at: [0, 1, 4], drawn: 5)
        },
        .init("the last place skipped in a whole view", .gap(shoe: 1, place: 7, seen: nil), at: .started) {
            $0.showRound(at: [0, 1, 2], drawn: 5)
        },
        .init("the first place skipped in a whole view", .gap(shoe: 1, place: 4, seen: 5), at: .started) {
            $0.showRound(at: [1, 2, 3], drawn: 4)
        },
        .init("a place beyond those drawn", .gap(shoe: 1, place: 6, seen: 7), at: .started) {
            $0.showRound(at: [0, 1, 3], drawn: 3)
        },
        .init("a place skipped after missed rounds", .gap(shoe: 1, place: 12, seen: 13), at: .started) {
            $0.showRound(at: [7, 9], drawn: 10, missesRounds: true)
        },
        .init("the first place of a shoe skipped, unseen", .gap(shoe: 1, place: 1, seen: 2), at: .mixed) { house in
            house.isShown = false
            house.shuffle()
            house.lies = [{ $0.cards.removeFirst() }]
            house.isShown = true
        },
        .init("a card that comes back into the shoe", .gap(shoe: 1, place: 4, seen: 3), at: .started) {
            $0.lie(every: false) { $0.left += 1 }
        },
        .init("a card taken after the round", .gap(shoe: 1, place: 4, seen: nil), at: .started) {
            $0.lie(every: false) { $0.left -= 1 }
        },
        .init("a place skipped before the next bets", .gap(shoe: 1, place: 5, seen: 6), at: .started) {
            $0.showRound(at: [0, 2], drawn: 3, phase: .betting)
        },
    ]

    static let contradictions: [Tampering] = [
        .init("another list in the same revision", .contradiction) { house in
            house.repeatRevision()
            #expect(house.findings == [])
            house.lies = [{ $0.next?.stage = .revealing([Contributor(name: "bob", commitment: SHA256.hash([]))]) }]
            house.repeatRevision()
        },
        .init("an announcement that disappears", .contradiction, at: .started) { house in
            house.lies = [{ $0.fair = nil }]
            house.hit()
        },
        .init("an announcement that disappears, unseen", .contradiction, at: .started) { house in
            house.lies = [{ $0.fair = nil }]
            house.unseen { $0.hit() }
        },
        .init("an earlier shoe", .wentBack) { $0.jump(shoes: -1, rounds: 0) },
        .init("an earlier round", .wentBack) { $0.jump(shoes: 0, rounds: -1) },
        .init("more shoes than rounds", .shoesWithoutRounds) { $0.jump(shoes: 2, rounds: 1) },
        .init("more rounds than revisions", .shoesWithoutRounds) { $0.jump(revisions: 0) },
        .init("an earlier revision", .wentBack) { $0.jump(revisions: -4) },
    ]

    static let repeats: [Tampering] = (0..<4).map { (change: Int) -> Tampering in
        Tampering("change \(change) in the same revision", .contradiction) { house in
            house.start()
            house.repeatRevision()
            #expect(house.failures == [])
            house.lies = [
                {
                    switch change {
                    case 0: $0.fair?.order = SHA256.hash([])
                    case 1: $0.left -= 1
                    case 2: $0.fair = nil
                    default: $0.shoe.number += 1
                    }
                }
            ]
            house.repeatRevision()
        }
    }

    private static let wins = HandIdentifier(seat: 2, number: 1)
    private static let payingLess: ShoeHouse.Lie = { table in
        guard let rules = try? table.rules.rules.with([("blackjackPays", .text("6:5"))]) else { return }
        table.rules.rules = rules
    }

    static let rules: [Tampering] = [
        .init("a commitment under other rules", .rulesDiffer, lies: [{ $0.rules.digest = SHA256.hash([]).hex }]),
        .init("rules that are shown otherwise than committed to", .rulesDiffer, lies: [payingLess]),
        .init("rules that the reply states otherwise than committed to", .rulesDigest) { house in
            let digest = TableSnapshot(house.table).tableRules?.digest ?? ""
            house.statedRules = AllRules(TableRules(HouseRules(), digest: digest))
            house.recover()
            house.playAShoe()
        },
        .init("rules that change", .rulesChanged) { house in
            house.start()
            house.lie(payingLess)
            house.lies = []
            house.playOn()
        },
        .init("a blackjack that is paid 6:5", .payment(seat: 2, due: 15, seen: 12)) { house in
            house.lies = [{ if $0.phase == .settled { $0.show(.result(wins, HandResult(outcome: .blackjack, net: 12))) } }]
            house.playAShoe()
        },
        .init("a blackjack that is paid 6:5 where no pause follows", .payment(seat: 2, due: 15, seen: 12)) { house in
            house.lies = [
                {
                    guard $0.phase == .settled else { return }
                    $0.phase = .waiting
                    $0.show(.result(wins, HandResult(outcome: .blackjack, net: 12)))
                }
            ]
            house.playAShoe()
        },
        .init("a dealer who stands on soft 17", .dealerPlay, rules: [("soft17", .text("hit"))]) { house in
            house.lies = [
                { table in
                    for (code, index) in zip(
                        [0, 5] as [UInt8], table.cards.indices.filter { table.cards[$0].section == .dealer })
                    where table.cards[index].face != nil { table.cards[index].face = Card(code: code) }
                    if table.phase == .settled { table.show(.result(wins, HandResult(outcome: .win, net: 10))) }
                }
            ]
            house.playAShoe()
        },
    ]

    static let itemNames: [(TableItem, String)] = [
        (.shoe, "shoe"), (.cardsLeft, "left"), (.rules, "rules"), (.round, "round"), (.phase, "phase"),
    ]

    static let itemsNeverShown: [Tampering] = itemNames.map { (item: TableItem, name: String) -> Tampering in
        Tampering("\(name) is never shown", .itemMissing(name)) { house in
            house.lie { $0.omitted = [item] }
            #expect(house.failures == [.itemMissing(name)])
            house.playAShoe()
            #expect(house.failures.count > 1 && house.failures.allSatisfy { $0 == .itemMissing(name) })
            #expect(house.verified == [])
        }
    }

    static let itemsLeftOut: [Tampering] = itemNames.map { (item: TableItem, name: String) -> Tampering in
        Tampering("\(name) is left out once", .itemMissing(name)) { house in
            house.start()
            house.lie { $0.omitted = [item] }
            house.lies = []
            house.ceremony()
            house.shuffle()
            #expect(house.failures == [.itemMissing(name)])
        }
    }
}

/// Every contradiction that a server leaves is found, and no such shoe is verified.
struct ShoeTamperingTests {
    @Test(arguments: Tampering.all)
    func aTampering_isContradicted(tampering: Tampering) throws {
        var house = try tampering.house()
        try tampering.run(&house)
        #expect(tampering.isFound(house.failures.first), "\(tampering.testDescription): found \(house.findings)")
        var contradicted: [WatchedShoe] = []
        for finding in house.findings {
            if case .contradicted(let report, _) = finding { contradicted.append(report.watched) }
            guard case .verified(let report) = finding else { continue }
            #expect(!contradicted.contains { ($0.shoe, $0.commitment) == (report.shoe, report.watched.commitment) })
        }
        #expect(house.session.tally.contradicted == house.failures.count)
    }

    @Test func everyFault_isInTheTable() {
        #expect(Set(Tampering.all.map { Tampering.kind(of: $0.fault) }) == Set(0..<34))
    }

    @Test func aTableThatNeverShowsTheComingShoe_isContradicted() throws {
        var house = try ShoeHouse(publishes: false)
        house.lies = [{ $0.omitted = [.nextShoe] }]
        house.ceremony()
        house.shuffle()
        #expect(house.failures == [.itemMissing("next")])
    }

    /// The text is hashed as it came: keys that this version does not know, and younger ones that are left out.
    @Test(arguments: [("}", ",\"zeal\":{\"a\":2,\"b\":1}}"), ("\"charlie\":0,", "")])
    func rulesOfALaterServer_areVerifiedAsReceived(old: String, new: String) throws {
        let text = HouseRules().canonicalText.replacing(old, with: new)
        let digest = SHA256.hash(text.utf8).hex
        let line = #"{"type":"ok","to":"rules","table":"main","digest":"\#(digest)","rules":\#(text)}"#
        let message = try Array(line.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
        guard case .ok(_, .rules(_, let all)) = message else {
            Issue.record("\(message)")
            return
        }
        #expect(all.text == text && all.fault(beside: all.rules) == nil)
        #expect(
            all.fault(beside: TableRules(HouseRules(), digest: digest, others: [.init(key: "zeal", value: "1")])) == .rulesDiffer)
        var house = try ShoeHouse()
        #expect(house.session.tally.tables == 1 && house.session.tally.tablesWithRules == 1)
        house.unanswered = ["rules"]
        house.lies = [{ $0.rules.others = [.init(key: "zeal", value: "1")] }]
        #expect(!house.session.tally.hasUnknownRules)
        house.recover()
        #expect(house.session.tally.hasUnknownRules, "payments cannot be compared")
        #expect(house.session.tally.tables == 2 && house.session.tally.tablesWithRules == 1, "no reply is not verified")
    }

    /// Many commitments and epochs; then a table whose shoes have no ceremonies.
    @Test func aFloodOfContradictions_isOneAlarmAShoe() throws {
        var house = try ShoeHouse(at: .started)
        for number in 0..<140 {
            house.lie { table in
                table.fair?.commitment = SHA256.hash([UInt8(number)])
                table.next?.commitment = SHA256.hash([UInt8(number), 1])
            }
            house.restart()
        }
        #expect((1...2).contains(house.failures.count) && house.session.tally.contradicted == house.failures.count)
        var bare = try ShoeHouse()
        bare.endCeremonies()
        bare.lies = [{ $0.rules.digest = SHA256.hash([]).hex }]
        for _ in 0..<3 { bare.recover() }
        #expect(bare.failures == [.rulesDiffer])
    }

    @Test func aSwappedCard_isNamed_withItsProof() throws {
        var house = try ShoeHouse(lies: [ShownTable.swapped(0, by: 1)])
        house.playAShoe()
        guard case .contradicted(let report, .card(1, 4, let expected?, let seen))? = house.findings.first else {
            Issue.record("\(house.findings)")
            return
        }
        #expect(report.proof?.key.order(decks: 1)[4] == expected && seen != expected)
        #expect(ShoeFault.card(shoe: 1, place: 4, expected: 0, seen: 25).description == "card 5 was KH instead of AS")
    }

    @Test func facesAreNoted_alsoWithoutTheNumberOfCardsLeft() throws {
        var house = try ShoeHouse()
        house.ceremony()
        house.lies = [{ $0.omitted = [.cardsLeft] }]
        house.shuffle()
        guard case .contradicted(let report, .itemMissing("left"))? = house.findings.first else {
            Issue.record("found \(house.findings)")
            return
        }
        #expect(report.watched.seen == 2)
    }
}

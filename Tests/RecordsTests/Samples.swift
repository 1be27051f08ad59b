import Fairness
import Rules
import TableEngine
import TableModel
import Wire

@testable import Records

/// Every fact and every record, with the smallest and largest values and odd text.
enum Samples {
    static let key: ShoeKey = {
        guard let key = ShoeKey((0..<32).map { UInt8($0 * 7) }) else { preconditionFailure("32 bytes") }
        return key
    }()

    static let oddText = "Zoë \"\\ \n\u{1}\u{7F} 🂡 'x';--"

    private static let card = Card(.ten, .diamonds)
    private static let late = Timestamp(milliseconds: 1_795_000_000_123)

    static let facts: [Fact] =
        players + shoe + rounds
        + Outcome.allCases.map { .settled(seat: 7, hand: 3, $0, stake: 1 << 53, paid: 0) }
        + StandReason.allCases.map { .stood(seat: 1, hand: 0, $0) }
        + (0...255).map { .turnStarted(seat: 1, hand: 1, legal: ActionSet(rawValue: $0), closes: late) }
        + Card.deck.map { .dealt(CardID(rawValue: 5), $0, seat: 2, hand: 0) }

    private static let players: [Fact] = [
        .sat(player: PlayerID(1), profile: PlayerProfile(name: "ann"), seat: 2, chips: 1000),
        .sat(player: PlayerID(Int.max), profile: PlayerProfile(name: oddText, isBot: true), seat: 7, chips: 0),
        .left(player: PlayerID(2), chips: 1 << 53), .leaving(player: PlayerID(3)),
        .satOut(player: PlayerID(4), until: late), .satIn(player: PlayerID(5)),
        .disconnected(player: PlayerID(6), grace: late), .away(player: PlayerID(7)), .reconnected(player: PlayerID(8)),
        .released(player: PlayerID(9)), .idling(until: Timestamp(milliseconds: 0)),
        .charged(player: PlayerID(10), milliseconds: 1 << 53, from: late),
    ]

    private static let shoe: [Fact] = [
        .shoeSupplied(.keyed(key)), .shoeSupplied(.seeded(.max)), .shuffled(shoe: 3, source: .keyed(key)),
        .shuffled(shoe: 1, source: .seeded(0)), .burned(CardID(rawValue: 0)), .reshuffled(cards: 416),
    ]

    static let secret: ShoeSecret = {
        guard let secret = ShoeSecret((0..<32).map { UInt8($0 * 5 + 3) }) else { preconditionFailure("32 bytes") }
        return secret
    }()

    static let ceremonies: [Fact] = [
        .declared(player: PlayerID(1), contributes: true), .declared(player: PlayerID(1), contributes: false),
        .ceremoniesBegan(table: "low-3"), .ceremonyOpened(shoe: 3, secret: secret),
        .contributed(player: PlayerID(1), name: oddText, commitment: SHA256.hash([])), .listDue(until: late),
        .listDue(until: nil),
        .listClosed(until: late), .revealed(player: PlayerID(1), contribution: secret), .attemptVoided(timedOut: true),
        .attemptVoided(timedOut: false), .secretRevealed(shoe: 3),
        .sat(player: PlayerID(1), profile: PlayerProfile(name: "ann", contributes: true), seat: 2, chips: 1000),
    ]

    private static let rounds: [Fact] = [
        .bettingOpened(closes: late), .betPlaced(seat: 1, amount: 0), .betPlaced(seat: 7, amount: 1_000_000_000_000),
        .bettingAbandoned, .roundStarted(round: 1), .dealtToDealer(CardID(rawValue: .max), card),
        .holeDealt(CardID(rawValue: 7)), .earlySurrenderOffered(closes: late), .insuranceOffered(closes: late),
        .insured(seat: 3, amount: 5), .evenMoneyTaken(seat: 4), .declined(seat: 5, timedOut: false),
        .declined(seat: 6, timedOut: true), .peeked, .insuranceSettled(seat: 3, stake: 5, paid: 15),
        .hit(seat: 2, hand: 3), .doubled(seat: 1, hand: 0, added: 25), .split(seat: 1, hand: 0, newHand: 1),
        .surrendered(seat: 2), .holeRevealed(CardID(rawValue: 7), card), .roundEnded(until: late), .cleared,
        .closing(ClosingNotice()), .closing(ClosingNotice(.server, deadline: 1_795_000_000_123, reason: oddText)), .closed,
        .postponed(milliseconds: 1 << 53),
    ]

    static let digest = SHA256.hash("secret".utf8)

    static let records: [Record] = {
        let odd = HouseRules.presetNames.compactMap { try? HouseRules(preset: $0) }
        var records: [Record] = [
            .started(time: 1_795_000_000_000, version: "1.2.3"), .stopped(time: 1_795_000_000_001),
            .account(PlayerID(12), name: "ann", isBot: false, secret: digest, chips: 1000, time: 5),
            .account(PlayerID(13), name: oddText, isBot: true, secret: nil, chips: 0, time: 0), .closed(PlayerID(13), time: 9),
            .issued(PlayerID(12), chips: -20, reason: .credit, time: 3),
            .issued(PlayerID(12), chips: 500, reason: .rebuy, time: 3),
            .renamed(PlayerID(12), name: "anna"), .disabled(PlayerID(12), true), .disabled(PlayerID(12), false),
            .secret(PlayerID(12), digest), .pass(table: "low-3", nil), .pass(table: "low-3", oddText),
            .gone(table: "low-3", time: 7), .banned(block: "10.0.0.0/8", until: nil), .banned(block: "::1", until: 77),
            .unbanned(block: "::1"), .facts(table: "low-3", time: 8, []),
            .facts(table: oddText, time: 1_795_000_000_000, facts),
        ]
        for rules in odd + [HouseRules()] {
            records.append(.opened(table: "t", rules: rules, pace: Pace(), pass: nil, time: 1))
        }
        let pace = Pace(
            settledMilliseconds: 0, missedRounds: .max, timeOuts: 0, graceMilliseconds: 1, sitOutMilliseconds: 1 << 53)
        records.append(.opened(table: "t", rules: HouseRules(), pace: pace, pass: "p", time: 1))
        records.append(.facts(table: "low-3", time: 9, ceremonies))
        records += [
            .owned(table: "low-3", owner: PlayerID(12), code: digest),
            .ownerPass(table: "low-3", owner: PlayerID(12), nil, configured: nil),
            .ownerPass(table: "low-3", owner: PlayerID(12), oddText, configured: "open sesame"),
            .sentAway(table: "low-3", owner: PlayerID(12), PlayerID(13), until: 1_795_000_600_000),
            .ownerPause(table: "low-3", owner: PlayerID(12), until: 1_795_003_600_000, reason: oddText, time: 1_795_000_000_000),
            .ownerPause(table: "low-3", owner: PlayerID(12), until: nil, time: 1_795_000_000_000),
            .ownerMatch(table: "low-3", owner: PlayerID(12), Evening.Match(rounds: 30, from: 46)),
        ]
        var bounded = pace
        bounded.bankMilliseconds = 30_000
        records.append(.opened(table: "t", rules: HouseRules(), pace: bounded, pass: nil, time: 1))
        records.append(.facts(table: "low-3", time: 9, [.charged(player: PlayerID(1), milliseconds: 10_000, from: late)]))
        records.append(.paced(table: "low-3", pace: bounded, time: 1_795_000_000_000))
        var account = AccountState(id: PlayerID(14), name: oddText, isBot: true, secret: digest)
        (account.serial, account.chips, account.issued, account.created) = (3, 1 << 53, -7, 1_795_000_000_000)
        (account.lastPlayed, account.lastRebuy, account.isDisabled, account.hands) = (1_795_000_000_001, 7, true, 3)
        records += [
            .arrived(account, time: 1_795_000_000_000),
            .departed(PlayerID(14), ticket: nil, time: 1_795_000_000_000),
            .departed(PlayerID(14), ticket: digest, time: 1_795_000_000_000),
            .delivered(PlayerID(14), serial: 3, time: 1_795_000_000_000),
        ]
        account.career.count(hands: 4, blackjacks: 1, staked: 60, net: 35, at: 1_795_000_000_001)
        records += [
            .started(time: 1_795_000_000_000, version: "1.2.3", careers: true), .arrived(account, time: 1_795_000_000_000),
        ]
        return records
    }()
}

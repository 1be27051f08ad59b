import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private func ip(_ text: String) -> IPAddress { IPAddress(text)! }

/// Small budgets, no time limits.
private func limits(_ change: (inout AddressLimits) -> Void = { _ in }) -> AddressLimits {
    var limits = AddressLimits(trusted: [])
    limits.connecting = .perSecond(1, burst: 3)
    limits.loggingIn = .perSecond(1, burst: 2)
    limits.asking = .perSecond(10, burst: 20)
    limits.talking = .perMinute(6, burst: 2)
    change(&limits)
    return limits
}

struct AddressBudgetTests {
    @Test func aBudgetIsTheAddresss_howeverOftenItComesBack() {
        var budgets = AddressBudgets(limits())
        let key = budgets.key(of: ip("192.0.2.1"))
        for _ in 0..<3 { #expect(budgets.take(.connect, key, at: 0) == .granted) }
        #expect(budgets.take(.connect, key, at: 0) == .refused(retryAfter: 1000))
        #expect(budgets.take(.connect, budgets.key(of: ip("192.0.2.2")), at: 0) == .granted)
        #expect(budgets.take(.connect, key, at: 1000) == .granted)
        // Each activity has its own.
        #expect(budgets.take(.logIn, key, at: 1000) == .granted && budgets.take(.talk, key, at: 1000) == .granted)
    }

    @Test func chat_takesFromPlayerAndAddress_orFromNeither_andTheLongerWaitIsTheAnswer() {
        // A player has a line a minute, an address two at once and one in ten seconds.
        let limit = RateLimit.perMinute(1, burst: 1)
        var budgets = AddressBudgets(limits())
        let key = budgets.key(of: ip("2001:db8::1"))
        var (ann, bob, eve) = (TokenBucket(), TokenBucket(), TokenBucket())
        func talk(_ player: inout TokenBucket, at now: Int64 = 0) -> TokenBucket.Verdict {
            budgets.talk(&player, of: limit, key, at: now)
        }
        #expect(talk(&ann) == .granted)
        // Her own budget refuses, and costs the address nothing.
        for _ in 0..<5 { #expect(talk(&ann) == .refused(retryAfter: 60_000)) }
        #expect(talk(&bob) == .granted)
        // Both refuse.
        #expect(talk(&ann) == .refused(retryAfter: 60_000))
        // The address refuses, and costs the player nothing.
        for _ in 0..<5 { #expect(talk(&eve) == .refused(retryAfter: 10_000)) }
        #expect(eve.available(limit, at: 0) == 1)
        #expect(talk(&ann, at: 55_000) == .refused(retryAfter: 5000))
        #expect(talk(&eve, at: 55_000) == .granted)
    }

    @Test func oneAddressIsOneKey_whicheverWayItIsWritten_andSoIsANetworkOfACustomer() {
        let budgets = AddressBudgets(limits())
        #expect(budgets.key(of: ip("::ffff:192.0.2.1")) == budgets.key(of: ip("192.0.2.1")))
        #expect(budgets.key(of: ip("2001:db8:0:1::7")) == budgets.key(of: ip("2001:db8:0:1:ffff::9")))
        #expect(budgets.key(of: ip("2001:db8:0:1::7")) != budgets.key(of: ip("2001:db8:0:2::7")))
    }

    @Test func aNetworkOfIPv6HasSeveralTimesAnAddresssBudget_howeverManyOfItsAddressesAsk() {
        var budgets = AddressBudgets(limits { $0.connecting = .perSecond(1, burst: 10) })
        func granted(_ addresses: some Sequence<String>, at now: Int64) -> Int {
            addresses.count { budgets.take(.connect, budgets.key(of: ip($0)), at: now) == .granted }
        }
        // One network of 64 bits, then its /56, then its /48.
        #expect(granted((0..<50).map { "2001:db8:0:1::\($0)" }, at: 0) == 10)
        #expect(granted((0..<500).map { "2001:db8:0:\(String($0 % 256, radix: 16))::1" }, at: 0) == 30)
        #expect(granted((0..<5_000).map { "2001:db8:0:\(String($0, radix: 16))::1" }, at: 0) == 120)
        // Others have theirs, and a second is worth 16 in all.
        #expect(granted((0..<50).map { "2001:db8:1:1::\($0)" }, at: 0) == 10 && granted(["192.0.2.1"], at: 0) == 1)
        #expect(granted((0..<5_000).map { "2001:db8:0:\(String($0, radix: 16))::1" }, at: 1_000) == 16)
    }

    @Test func oneNetworkOfIPv6EvictsNoOthers_andItsOwnRefusalsCostItNothing() {
        var budgets = AddressBudgets(limits(), capacity: 64)
        let (home, version4) = (budgets.key(of: ip("2001:db8:1::1")), budgets.key(of: ip("192.0.2.1")))
        for key in [home, version4] { for _ in 0..<3 { #expect(budgets.take(.connect, key, at: 0) == .granted) } }
        for network in 0..<65_536 { _ = budgets.take(.connect, ip("2001:db8:0:\(String(network, radix: 16))::"), at: 0) }
        #expect(budgets.take(.connect, home, at: 0) != .granted && budgets.take(.connect, version4, at: 0) != .granted)
        // 48 of a /48: those over it made no entries.
        #expect(budgets.count < 3 * 64 + 64)
        // A refusal of a /64 costs its neighbours nothing.
        for _ in 0..<1_000 { _ = budgets.take(.connect, home, at: 0) }
        #expect(budgets.take(.connect, budgets.key(of: ip("2001:db8:1:1::1")), at: 0) == .granted)
    }

    @Test func aNetworkOfIPv6GuessesAsFastAsSixteenAddresses_atMost() {
        var budgets = AddressBudgets(limits())
        var checked = 0
        // Each second, 100 networks that were never heard of try.
        for second in 0..<600 {
            for network in 0..<100 {
                let key = ip("2001:db8:0:\(String(second * 100 + network, radix: 16))::")
                guard budgets.delay(key, at: Int64(second) * 1000) == nil else { continue }
                checked += 1
                _ = budgets.fail(key, at: Int64(second) * 1000)
            }
        }
        #expect((80...80 + 10 * 16 + 30).contains(checked), "\(checked)")
        // One address of it cannot use up what the others have.
        let (loud, quiet) = (ip("2001:db8:2:1::"), ip("2001:db8:2:ffff::"))
        for second in 0..<600 where budgets.delay(loud, at: Int64(second) * 1000) == nil {
            _ = budgets.fail(loud, at: Int64(second) * 1000)
        }
        #expect(budgets.delay(quiet, at: 600_000) == nil)
    }

    @Test func theTrustedHaveNoBudget_butCountInTotals() {
        var budgets = AddressBudgets(
            limits {
                $0.trusted = AddressLimits.loopback
                $0.strangers = .perSecond(10, burst: 10)
            })
        let key = budgets.key(of: ip("::ffff:127.0.0.9"))
        #expect(key == nil)
        for _ in 0..<100 { #expect(budgets.take(.connect, key, at: 0) == .granted) }
        #expect(budgets.ask(key, price: 10, advance: 0, isStranger: true, at: 0).verdict == .granted)
        #expect(budgets.ask(key, price: 1, advance: 0, isStranger: true, at: 0).verdict == .refused(retryAfter: 100))
        // A flood of questions keeps nobody from logging in, but a flood of logins does.
        for _ in 0..<10 { #expect(budgets.take(.logIn, key, at: 0) == .granted) }
        #expect(budgets.take(.logIn, key, at: 0) == .refused(retryAfter: 100))
        #expect(budgets.count == 0)
    }

    @Test func requestsArePaidForInAdvance_butNobodyTakesASmallBudgetWhole() throws {
        var budgets = AddressBudgets(limits())
        let key = budgets.key(of: ip("192.0.2.1"))
        let (paid, verdict) = budgets.ask(key, price: 1, advance: 31, isStranger: false, at: 0)
        #expect(paid == 3 && verdict == .granted)
        #expect(budgets.ask(key, price: 18, advance: 0, isStranger: false, at: 0) == (0, .refused(retryAfter: 100)))
        budgets.giveBack(2, try #require(key))
        #expect(budgets.ask(key, price: 19, advance: 5, isStranger: false, at: 0) == (19, .granted))
        // A refusal by the total costs the address nothing.
        budgets.limits.strangers = .perSecond(1, burst: 1)
        #expect(budgets.ask(key, price: 5, advance: 0, isStranger: true, at: 500).paid == 0)
        #expect(budgets.ask(key, price: 5, advance: 0, isStranger: false, at: 500).paid == 5)
    }

    @Test func theDelayGrowsWithEachFailure_toABound_andFailuresAreForgiven() {
        var budgets = AddressBudgets(limits { $0.longestDelay = 3_000 })
        let key = budgets.key(of: ip("192.0.2.1"))
        for count in 1...5 {
            #expect(budgets.fail(key, at: 0) == .init(count: count, delay: 0) && budgets.delay(key, at: 0) == nil)
        }
        var now: Int64 = 0
        for expected: Int64 in [500, 1000, 2000, 3000, 3000] {
            #expect(budgets.fail(key, at: now).delay == expected)
            #expect(budgets.delay(key, at: now + expected - 1) == 1 && budgets.delay(key, at: now + expected) == nil)
            now += expected
        }
        // Ten failures, one forgiven for each minute.
        #expect(budgets.fail(key, at: now + 7 * AddressLimits.forgiveness) == .init(count: 4, delay: 0))
        #expect(budgets.delay(nil, at: now) == nil && budgets.fail(nil, at: now).delay == 0)
    }

    @Test func anAddressHasNoFailure_beforeItsFirst_andAnHourAfterTheLast_andANetworkCountsAsOne() {
        var budgets = AddressBudgets(limits())
        #expect(budgets.hasNoFailure(ip("2001:db8::1"), at: 0) && !budgets.hasNoFailure(nil, at: 0))
        _ = budgets.fail(ip("2001:db8::"), at: 0)
        for (other, isInside) in [("2001:db8::", true), ("2001:db8:0:7::", true), ("2001:db8:1::", false)] {
            #expect(budgets.hasNoFailure(ip(other), at: 3_599_999) != isInside && budgets.hasNoFailure(ip(other), at: 3_600_000))
        }
    }

    @Test func howManyFailuresThereAre_nothingOverflows() {
        var budgets = AddressBudgets(limits { $0.freeFailures = 0 })
        let key = budgets.key(of: ip("192.0.2.1"))
        for _ in 0..<10_000 { #expect(budgets.fail(key, at: .max / 2).delay <= 60_000) }
        // It comes to an end.
        #expect(budgets.fail(key, at: .max / 2 + 30 * AddressLimits.forgiveness) == .init(count: 1, delay: 500))
    }

    @Test func addressesNotHeardOfForLong_makeRoom() {
        var budgets = AddressBudgets(limits(), capacity: 8)
        let keys = (1...20).map { ip("192.0.2.\($0)") }
        for _ in 0..<3 { _ = budgets.take(.connect, keys[0], at: 0) }
        // Four others are as many as are certainly kept beside it.
        for key in keys[1...4] { #expect(budgets.take(.connect, key, at: 0) == .granted) }
        #expect(budgets.take(.connect, keys[0], at: 0) == .refused(retryAfter: 1000))
        for key in keys[5...] { #expect(budgets.take(.connect, key, at: 0) == .granted && budgets.count <= 8) }
        #expect(budgets.take(.connect, keys[0], at: 0) == .granted)
    }

    /// Each address alone, as the model.
    @Test func whateverAddressesDo_eachHasTheBudgetOfItsOwn() {
        var random = SeededGenerator()
        let limits = limits()
        var budgets = AddressBudgets(limits, capacity: 32)
        var models: [IPAddress: [TokenBucket]] = [:]
        var now: Int64 = 0
        for step in 0..<20_000 {
            now += Int64.random(in: 0...300, using: &random)
            let key = ip("10.0.0.\(Int.random(in: 0..<16, using: &random))")
            var model = models[key] ?? [TokenBucket](repeating: TokenBucket(), count: 3)
            let (activity, index, limit): (AddressBudgets.Activity, Int, RateLimit) =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: (.connect, 0, limits.connecting)
                case 1: (.logIn, 1, limits.loggingIn)
                default: (.talk, 2, limits.talking)
                }
            let expected: AddressBudgets.Verdict =
                switch model[index].take(of: limit, at: now) {
                case .granted: .granted
                case .refused(let wait): .refused(retryAfter: wait)
                }
            models[key] = model
            #expect(budgets.take(activity, key, at: now) == expected, "step \(step), seed \(Seed.value)")
        }
        #expect(budgets.count == 16)
    }

    @Test func secretsAreTheSameInEitherSpelling_andElseNot_whateverTheirLengths() {
        let texts = ["", "a", "ab", "abab", "b", "open sesame", "open sesamf", "\u{E9}", "e\u{301}"]
        for shown in texts {
            for secret in texts {
                let isOtherSpelling = Set([Array(shown.utf8), Array(secret.utf8)]) == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]]
                let isSame = isOtherSpelling || shown.utf8.elementsEqual(secret.utf8)
                #expect(Secret.isSame(shown, secret) == isSame, "\(shown), \(secret)")
            }
        }
    }
}

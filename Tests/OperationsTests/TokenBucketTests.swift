import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private let limit = RateLimit.perSecond(20, burst: 40)

@Test func aBucketIsFullAtFirstWhateverTheClockSays() {
    for now in [Int64.min, -5, 0, 1_800_000_000_000, .max] {
        var bucket = TokenBucket()
        #expect(bucket.available(limit, at: now) == 40)
        for _ in 0..<40 { #expect(bucket.take(of: limit, at: now) == .granted) }
        #expect(bucket.take(of: limit, at: now) == .refused(retryAfter: 50))
    }
}

@Test func whatIsToldIsExactlyWhenTheNextTokenComes() {
    var bucket = TokenBucket()
    var draws = SeededGenerator()
    var now: Int64 = 1_800_000_000_000
    for _ in 0..<5_000 {
        now += Int64.random(in: 0...40, using: &draws)
        guard case .refused(let wait) = bucket.take(of: limit, at: now) else { continue }
        var early = bucket
        #expect(early.take(of: limit, at: now + wait - 1) != .granted, "seed \(Seed.value)")
        var due = bucket
        #expect(due.take(of: limit, at: now + wait) == .granted, "seed \(Seed.value)")
    }
}

@Test func refillingIsExactOverLongTimesInAnySteps() {
    // Seven in three seconds: no millisecond brings a whole token.
    let odd = RateLimit(7, perMilliseconds: 3_000, burst: 1_000)
    var draws = SeededGenerator()
    for _ in 0..<20 {
        var stepped = TokenBucket()
        _ = stepped.take(1_000, of: odd, at: 0)
        var now: Int64 = 0
        while now < 420_000 {
            now = min(420_000, now + Int64.random(in: 1...700, using: &draws))
            _ = stepped.available(odd, at: now)
        }
        #expect(stepped.available(odd, at: now) == 980, "seed \(Seed.value)")
    }
    var year = TokenBucket()
    _ = year.take(1_000, of: odd, at: 0)
    #expect(year.available(odd, at: 31_536_000_000) == 1_000)
}

@Test func inTheLongRunNoMoreIsGrantedThanTheRateAndTheBurst() {
    var draws = SeededGenerator()
    var bucket = TokenBucket()
    var granted = 0
    var now: Int64 = 0
    while now < 1_000_000 {
        now += Int64.random(in: 0...9, using: &draws)
        if bucket.take(of: limit, at: now) == .granted { granted += 1 }
    }
    #expect(granted <= 20 * 1_000 + 40 + 1, "seed \(Seed.value)")
    #expect(granted >= 20 * 1_000, "seed \(Seed.value)")
}

@Test func aClockThatGoesBackBringsNothingAndTakesNothing() {
    var bucket = TokenBucket()
    _ = bucket.take(40, of: limit, at: 1_000)
    #expect(bucket.take(of: limit, at: 0) == .refused(retryAfter: 50))
    #expect(bucket.take(of: limit, at: 1_050) == .granted)
}

@Test func moreThanTheBurstIsNeverGrantedAndASmallerLimitHoldsAtOnce() {
    var bucket = TokenBucket()
    #expect(bucket.take(41, of: limit, at: 0) == .refused(retryAfter: 1))
    #expect(bucket.take(.max, of: limit, at: 1_000_000) == .refused(retryAfter: 1))
    #expect(bucket.take(40, of: limit, at: 1_000_000) == .granted)
    let small = RateLimit.perSecond(1, burst: 2)
    #expect(bucket.take(of: small, at: 1_000_000) == .refused(retryAfter: 1_000))
    #expect(bucket.available(small, at: 1_002_000) == 2)
}

@Test func aLimitIsNeverWithoutEndAndNeverForbidsEverything() {
    let limit = RateLimit(0, perMilliseconds: -1, burst: .max)
    #expect(limit.count == 1 && limit.milliseconds == 1 && limit.burst == 1_000_000)
    #expect(MemoryLayout<TokenBucket>.size == 16)
    for limit in [RateLimit(.max, perMilliseconds: .max, burst: .max), RateLimit(.min, perMilliseconds: .min, burst: .min)] {
        var bucket = TokenBucket()
        for now in [Int64.min, 0, .max, .min] {
            for count in [1, 0, -1, Int.max, Int.min] { _ = bucket.take(count, of: limit, at: now) }
            #expect(bucket.available(limit, at: now) >= 0)
        }
    }
}

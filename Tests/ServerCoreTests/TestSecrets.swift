import Wire

/// The secret of a player in tests: the same for names that differ only in case.
func secret(of name: String) -> AccountSecret {
    var random = NameStream(state: name.lowercased().utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    return AccountSecret(using: &random)
}

/// A login as that player, with their secret.
func login(_ name: String) -> String { #"{"type":"login","name":"\#(name)","secret":"\#(secret(of: name).digits)"}"# }

/// A login as that player, with an owner's code.
func login(_ name: String, owner code: String) -> String { login(name).dropLast() + #","owner":"\#(code)"}"# }

private struct NameStream: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

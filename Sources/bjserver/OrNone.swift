import CommandLineKit
import Operations
import Wire

/// A list element or `none`: the only way to replace a default list by an empty one.
enum OrNone<Value: Sendable & Equatable>: Sendable, Equatable {
    case none
    case some(Value)

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}

extension ValueFormat<OrNone<AddressBlock>> {
    /// An address or a network, or `none`.
    static let addressBlockOrNone = ValueFormat(
        "CIDR|none", expected: "an address or a network such as 192.0.2.0/24 or 2001:db8::/32, or none",
        parse: { $0 == "none" ? OrNone.none : AddressBlock($0).map { .some($0) } },
        print: { $0.value?.description ?? "none" })
}

extension ValueFormat<OrNone<String>> {
    /// A reserved word, or `none`.
    static let reservedWord = ValueFormat(
        "WORD|none", expected: "a name, or none",
        parse: { $0 == "none" ? OrNone.none : (try? PlayerName($0)).map { .some($0.text) } },
        print: { $0.value ?? "none" })
}

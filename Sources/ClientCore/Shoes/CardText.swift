import Rules

/// Cards by their codes, in the words of the wire: `KD`.
enum CardText {
    static func text(_ code: UInt8) -> String { code < 52 ? Card(code: code).description : "no card" }

    static func code(_ text: String) -> UInt8? { Card(text)?.code }
}

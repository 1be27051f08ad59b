import Rules
import TableModel

/// Past rounds as CSV by RFC 4180, with a row for each hand.
public enum HandTable {
    /// The first line, its end included.
    public static let header =
        "time,table,round,voided,player,seat,bet,hand,cards,total,stake,outcome,net,insurance,insuranceNet,dealer,dealerTotal\r\n"

    /// The rows of a round.
    /// - Parameter player: the name of the player of a seat.
    public static func rows(of round: PastRound, player: (_ seat: Int) -> String) -> String {
        var rows = ""
        for seat in round.seats {
            for (index, hand) in seat.hands.enumerated() {
                // Once a seat.
                let insurance = index == 0 ? seat.insurance : nil
                let fields: [String] = [
                    UniversalTime.text(round.time), text(round.table), "\(round.round)", round.isVoided ? "yes" : "no",
                    text(player(seat.seat)), "\(seat.seat)", "\(seat.bet)", "\(index + 1)", codes(hand.cards), hand.total.text,
                    "\(hand.bet)", hand.result.outcome.name, "\(hand.result.net)", insurance.map { "\($0.bet)" } ?? "",
                    insurance.map { "\($0.net)" } ?? "", codes(round.dealer), round.dealerTotal.text,
                ]
                rows += fields.joined(separator: ",") + "\r\n"
            }
        }
        return rows
    }

    private static func codes(_ cards: [Card?]) -> String { cards.map { $0?.description ?? "??" }.joined(separator: " ") }

    /// Text of others: without line breaks, and with an apostrophe before what a spreadsheet would compute.
    private static func text(_ text: String) -> String {
        var plain = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        if let first = plain.first, "=+-@".contains(first) { plain = "'" + plain }
        guard plain.contains(where: { $0 == "," || $0 == "\"" }) else { return plain }
        return "\"" + plain.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

import TableModel
import Testing

@Test func everyTotalReadsBackFromItsText() {
    let totals = (0...31).map(Total.hard) + (11...21).map(Total.soft) + [.blackjack]
    for total in totals { #expect(Total(text: total.text) == total) }
    #expect(Set(totals.map(\.text)).count == totals.count)
}

@Test(arguments: [
    "", "soft", "soft 10", "soft 22", "bust 21", "bust 32", "22", "-1", "+5", "07", "blackjack ", "soft  17", "bust 0x16",
])
func aTextThatIsNoTotalIsRefused(_ text: String) {
    #expect(Total(text: text) == nil)
}

@Test func onlyMoreThanTwentyOneIsBust() {
    #expect(!Total.hard(21).isBust && Total.hard(22).isBust && !Total.soft(21).isBust && !Total.blackjack.isBust)
    #expect(Total.blackjack.points == 21)
}

import TableModel
import Testing

@Test func onlyMoreThanTwentyOneIsBust() {
    #expect(!Total.hard(21).isBust && Total.hard(22).isBust && !Total.soft(21).isBust && !Total.blackjack.isBust)
    #expect(Total.blackjack.points == 21)
}

/// The tests of each line of the rule book: 63 requirements from regulators' texts, and 18 traps that simulations do not find.
///
/// Each line names its tests, or says why it does not concern the table. A test checks that all lines and tests exist.
enum RuleBookIndex {
    enum Holding: Sendable {
        case tests([String])
        case notOfTheTable(String)
    }

    struct Line: Sendable {
        /// `1`…`63`, `T1`…`T18`.
        let id: String
        /// The requirement in short.
        let asks: String
        let holding: Holding

        init(_ id: String, _ asks: String, _ tests: String...) {
            (self.id, self.asks) = (id, asks)
            holding = .tests(tests)
        }

        init(_ id: String, _ asks: String, elsewhere reason: String) {
            (self.id, self.asks) = (id, asks)
            holding = .notOfTheTable(reason)
        }
    }

    static let lines = money + cards + betting + dealing + questions + play + dealer + time + record + traps

    private static let money = [
        Line(
            "1", "whole chips, and their sum is constant",
            "whateverIsAsked_chipsAreConserved_refusalsChangeNothing_andFactsRebuildTheTable"),
        Line(
            "2", "limits and steps of bets; a bet outside is refused, not clipped", "aBet_isRefused_whenItBreaksALimit",
            "whatLiesOnOtherBoxes_isNotThereToPayWith"),
        Line("3", "a bet is locked when betting closes", "aBet_isLocked_onceTheRoundHasBegun"),
        Line(
            "4", "payouts of a blackjack, rounded in one documented way", "blackjackPayouts_areWholeChips_roundedUp",
            "theSentences_sayWhatDecidesAboutMoney"),
        Line(
            "5", "surrender returns half; house and player balance",
            "aSurrenderedOddBet_givesBackTheLargerHalf_andTheHouseLosesWhatThePlayerWins"),
        Line(
            "6", "insurance of up to half the bet at 2:1", "insurance_mayBePartOfHalfTheBet_andNeverMore",
            "insurance_pays2To1_andTheBetIsLost", "insurance_isRefused_whenTheBankrollIsShort"),
        Line("7", "paid once, whatever is sent again", "aSettledHand_isPaidOnce_andLaterActionsChangeNothing"),
    ]

    private static let cards = [
        Line("8", "every card as often as there are decks", "everyShuffle_holdsEachCard_asOftenAsThereAreDecks"),
        Line(
            "9", "one ace at most counts 11", "aHand_countsOneAceAs11_whereThatDoesNotBust",
            "everyOrderOfACardSet_countsTheSame_asTheNaiveSum"),
        Line(
            "10", "shuffled before play and after each shoe", "aRound_isNotBegun_withoutTheShoeItNeeds",
            "aContinuousShuffle_isAFreshShoeEveryRound"),
        Line("11", "where the cut card lies", "theCut_liesWhereThePenetrationSays_andIsShown"),
        Line("12", "burned cards are unseen and count", "theFirstCards_areBurned_unseen_andCount"),
        Line(
            "13", "the cut card within a round finishes it; as the first card it means a shuffle before the deal",
            "theCutCard_finishesTheRound_andTheNextOneBeginsWithAShuffle",
            "aCutCardThatWouldComeFirst_meansAShuffleBeforeTheDeal_andIsNoCard"),
        Line("14", "the cut card is no card", "aCutCardThatWouldComeFirst_meansAShuffleBeforeTheDeal_andIsNoCard"),
        Line(
            "15", "a shoe that runs out goes on with the discards, provably",
            "aShoeThatRunsOut_goesOnWithTheDiscardsOfEarlierRounds", "sevenSeatsOfFourHands_inAOneDeckGame_areAllPlayedOut",
            "aSegmentsKey_isTheOneComputedIndependently"),
        Line("16", "no decision changes a card that is not drawn", "neitherABetNorADecision_changesACardThatIsNotDrawn"),
    ]

    private static let betting = [
        Line(
            "17", "a round takes a bet; betting closes by its clock or when all have bet",
            "bettingThatRunsOut_beginsTheRound_withWhoeverHasBet", "aRound_isNotBegun_withoutTheShoeItNeeds"),
        Line(
            "18", "sitting out; missed rounds", "sittingOut_returnsTheBet_andIsNotWaitedFor",
            "threeRoundsMissed_makeAConnectedPlayerSitOut", "whoSitsOutForTenMinutes_losesTheSeat"),
        Line(
            "19", "mid-shoe entry as the house says", "aNewcomer_waitsForTheShuffle_whereTheHouseSaysSo",
            "aNewcomer_mayBet_onceNobodyOfThisShoeIsSeated_andTheRoundBeginsWithAShuffle",
            "aNewcomer_isRefused_onceSomebodyOfThisShoeHasBet"),
        Line(
            "20", "several boxes of one player, each for itself, in seat order",
            "oneOwnersBoxes_arePlayedInSeatOrder_withAnothersBetween", "twoBoxesOfOnePlayer_areInsuredEachForItself"),
        Line(
            "21", "who watches sees what the table shows, and no more", "theHoleCard_isNowhereToBeSeen_untilItIsTurned",
            "threeClientsAndTwoBotsPlayFiftyRounds_andEveryViewEqualsTheServers"),
    ]

    private static let dealing = [
        Line(
            "22", "the order of the deal, with and without a hole card",
            "cards_areDealtInCasinoOrder_andBoxesPlayInSeatOrder", "withoutAHoleCard_aNaturalWaitsForTheDealersSecondCard"),
        Line("23", "the hole card leaves the table in no form", "theHoleCard_isNowhereToBeSeen_untilItIsTurned"),
    ]

    private static let questions = [
        Line(
            "24", "insurance under an ace only, asked of every box once, before anything else",
            "insurance_isAskedOfAllAtOnce_inAnyOrder_andOnlyOnce", "insuranceThatRunsOut_isDeclined",
            "aTenUp_offersNoInsurance_andItsBlackjackEndsTheRoundBeforeAnyDouble"),
        Line(
            "25", "even money pays 1:1 at once, and only where blackjacks pay 3:2",
            "anInsuredNatural_winsJustTheBet_whateverTheDealerHas", "evenMoney_isNotOffered_whereBlackjacksPay6To5",
            "aConditionalKeyThatIsAbsent_agreesWithWhatIsStated"),
        Line(
            "26", "insurance is settled before play, whatever becomes of the bet",
            "insurance_isSettledBeforePlay_andPlayGoesOn", "earlySurrender_leavesTheOthersPlaying_andTheirInsurance"),
        Line(
            "27", "the peek, before any box acts", "theDealerPeeks_beforeAnybodyActs",
            "withoutABlackjackUnderATen_thePeekIsSaid_andPlayGoesOn"),
        Line(
            "28", "no hole card: all bets, or original bets only, bust hands too",
            "withoutAHoleCard_aDealersBlackjackTakesDoublesToo_orTheOriginalBetOnly",
            "withoutAHoleCard_aDealersBlackjackTakesSplitsToo_orTheOriginalBetOnly",
            "withOriginalBetsOnly_aBustDoubleWaits_andComesBackOnADealersBlackjack"),
        Line(
            "29", "what a natural is, beats, and pushes with", "onlyAnAceAndATen_areATwoCard21",
            "aNatural_beatsADealers21OfThreeCards", "aNatural_pushesWithTheDealers_inWhateverOrderTheCardsCame",
            "withoutAHoleCard_aNaturalWaitsForTheDealersSecondCard"),
        Line("30", "21 after a split is no natural", "twentyOneAfterASplit_isNoBlackjack"),
        Line(
            "31", "early and late surrender against a dealer's blackjack",
            "earlySurrender_costsHalf_evenIfTheDealerHasABlackjack",
            "earlySurrenderNotAgainstAnAce_isNotOfferedAgainstAnAce",
            "lateSurrender_comesTooLate_whenTheDealerHasABlackjack"),
        Line(
            "32", "surrender is the first decision only, and not of a natural", "lateSurrender_isTheFirstDecisionOnly",
            "aNatural_isNotAskedForSurrender_andIsNotPaidBeforeThePeek"),
    ]

    private static let play = [
        Line(
            "33", "seat order; a box finishes its hands; others are refused",
            "cards_areDealtInCasinoOrder_andBoxesPlayInSeatOrder", "aSplitHand_isFinished_beforeTheSecondGetsItsCard",
            "anotherPlayersTurn_isRefused_andChangesNothing"),
        Line(
            "34", "hit until stand, 21 or bust; a bust loses at once", "aHandOf21_endsWithoutAQuestion_hardOrSoft",
            "aSoft18_mayBeHit", "aBust_losesAtOnce_evenIfTheDealerBustsLater"),
        Line(
            "35", "doubles: which totals, one card", "theRestrictedDoubles_speakOfHardTotals",
            "aDoubledHand_getsOneCard_andStands"),
        Line(
            "36", "doubling for less, never for more", "doubleForLess_takesAnyAmountUpToTheBet_andNeverMore",
            "doubleForLess_losesItsExtraOnly_whereABlackjackTakesAll"),
        Line(
            "37", "no double after a hit or a double", "double_isRefused_afterAHit", "aDoubledHand_getsOneCard_andStands"),
        Line(
            "38", "what a pair is; a split costs just the bet",
            "splitByRank_isNoPair_whereOnlyTheValuesAreEqual", "aSplit_costsJustTheBet_neverMoreNorLess"),
        Line("39", "the first split hand is finished first", "aSplitHand_isFinished_beforeTheSecondGetsItsCard"),
        Line("40", "resplits on any hand up to the most", "aPairOnAnyHand_isResplit_upToTheMostHands"),
        Line(
            "41", "split aces", "splitAces_getOneCardEach", "splitAces_areHit_whereTheHouseAllowsIt",
            "resplitAces_offersJustTheSplit"),
        Line(
            "42", "doubles after a split as the house says, no surrender", "doubleAfterSplit_isTheHousesChoice",
            "lateSurrender_isTheFirstDecisionOnly"),
        Line(
            "43", "what cannot be paid for is refused, net of all boxes, and the clock runs on",
            "split_isRefused_whenTheBankrollIsShort", "insurance_isRefused_whenTheBankrollIsShort",
            "whatLiesOnOtherBoxes_isNotThereToPayWith", "aRefusedAction_leavesTheClockRunning"),
        Line(
            "44", "every illegal action is refused with a reason and changes nothing",
            "everyCommand_inEveryReachableState_isLegalOrRefusedWithoutChange", "everyRefusal_hasACodeOfItsOwn_andASentence"),
    ]

    private static let dealer = [
        Line(
            "45", "the dealer's drawing, soft 17 as the house says", "theDealer_drawsTo16_andStandsOnHard17",
            "soft17_isHit_orNot_asTheHouseSays", "aSoft17ThatTurnsHard17_stands_whereTheDealerHitsSoft17"),
        Line(
            "46", "the dealer draws for live hands only", "withAllBoxesBustOrSurrendered_theDealerDrawsNothing",
            "withAllBoxesNatural_theyArePaidAtOnce_andTheDealerDrawsNothing",
            "withEvenMoneyTakenByAll_theDealerTurnsTheHoleCard_andDrawsNothing",
            "withoutAHoleCard_andNothingOpen_theDealerDrawsNoSecondCard",
            "withoutAHoleCard_insuranceIsSettledAtTheEnd"),
        Line(
            "47", "settlement by totals; a charlie only where the house has it", "equalTotals_push_andHigherOnesWin",
            "aCharlie_winsAtOnce_whateverTheDealerHas", "everyRound_settlesTheSame_byAnotherProgram"),
        Line(
            "48", "split hands are settled each for itself", "eachSplitHand_isSettledWithItsOwnStake_andTheBoxIsTheirSum"),
        Line(
            "49", "the dealer's hand is shown, also where it did not matter",
            "withAllBoxesBustOrSurrendered_theDealerDrawsNothing"),
    ]
}

extension RuleBookIndex {
    static let time = [
        Line(
            "50", "a clock for each decision; what arrives at the deadline is too late", "eachDecision_hasItsWholeTime",
            "anActionAtTheDeadline_meetsTheTableAfterTheTimeOut"),
        Line(
            "51", "the default on a time-out: stand, no insurance", "aTurnThatRunsOut_isAStand",
            "insuranceThatRunsOut_isDeclined"),
        Line(
            "52", "who is disconnected counts as present for 2 s, has the whole clock, and then the default",
            "aCutPlayer_isWaitedForForTheGrace_andNoLonger", "anAbsentPlayersTurn_runsItsWholeClock_andThenStands",
            "anAbsentPlayer_isAskedAboutInsurance_andTheClockDeclines", "whoVanishesMidHandHoldsNobodyUp_andLosesNoChips"),
        Line(
            "53", "who reconnects in time plays on, without more time",
            "reconnecting_withinTheClock_letsThePlayerAct_withoutMoreTime", "whoComesBackWhileTheirTurnRuns_mayAct"),
        Line(
            "54", "leaving mid-round stands and frees the seat at the end",
            "leaving_midRound_standsAndFreesTheSeatAfterSettlement",
            "leaving_whileSomebodyElseActs_standsWhenTheTurnComes"),
        Line(
            "55", "a bet stays; a seat is kept for who is away, and not for ever for who sits out",
            "aBetOfADisconnectedPlayer_staysAndIsDealt",
            "aDisconnectedPlayersBet_isEndedByTheirOwnRequest_orTheClosing_alone",
            "aSeatOfSomebodyAway_isKept_whateverRoundsPass", "aSeatThatIsKeptNoLonger_isFreedAtOnce_orAfterTheRoundOfItsBet",
            "threeRoundsMissed_makeAConnectedPlayerSitOut", "twoTimeOutsInARow_makeAPlayerSitOut",
            "whoSitsOutForTenMinutes_losesTheSeat", "whereverAConnectionIsCut_eachBetIsPlacedOnce_orRefused"),
        Line(
            "56", "a round is restored from its log, never settled by guess",
            "whateverIsAsked_chipsAreConserved_refusalsChangeNothing_andFactsRebuildTheTable",
            "voiding_returnsEveryBetOfTheRound_splitDoubledAndInsuredAlike"),
        Line("57", "closing finishes the round first", "closing_finishesTheRound_andThenEverybodyLeaves"),
        Line("58", "a client that stalls delays nobody", "aPeerThatDoesNotReadIsCutOff_andTheOthersPlayOn"),
    ]

    static let record = [
        Line(
            "59", "rules and limits in words before betting", "theSentences_sayWhatDecidesAboutMoney",
            "theHouseEdge_isThatOfTheBestChart",
            "aPreset_survivesItsOwnFields"),
        Line(
            "60", "every event is a fact, and facts alone rebuild the table",
            "whateverIsAsked_chipsAreConserved_refusalsChangeNothing_andFactsRebuildTheTable",
            "aRoundInOneGo_isTheRoundOfItsCommands_factForFact"),
        Line(
            "61", "an unbiased shuffle from a strong stream", "theShuffle_isUniform_byEachStatistic",
            "below_passesOverWords_thatWouldFavourSomeRemainders", "aWrongShuffle_isCaught"),
        Line(
            "62", "nothing adapts to bets or play; bots keep the same rules",
            "neitherABetNorADecision_changesACardThatIsNotDrawn"),
        Line(
            "63", "collusion",
            elsewhere:
                "boxes do not play each other, and all cards but the hole card lie open; a card known early is what 23 and 61 are about"
        ),
    ]

    static let traps = [
        Line("T1", "an insured natural against a blackjack", "anInsuredNatural_winsJustTheBet_whateverTheDealerHas"),
        Line("T2", "the same with even money", "anInsuredNatural_winsJustTheBet_whateverTheDealerHas"),
        Line("T3", "insurance lost, the double won", "insurance_isSettledBeforePlay_andPlayGoesOn"),
        Line(
            "T4", "an ace under a ten: no insurance, no doubles",
            "aTenUp_offersNoInsurance_andItsBlackjackEndsTheRoundBeforeAnyDouble"),
        Line("T5", "split aces with tens", "splitAcesWithTens_pushADealers21_andLoseToABlackjack"),
        Line("T6", "an eight on the last of four hands", "aPairOnAnyHand_isResplit_upToTheMostHands"),
        Line("T7", "a soft 17 of many aces", "aSoft17ThatTurnsHard17_stands_whereTheDealerHitsSoft17"),
        Line("T8", "all boxes bust or surrendered", "withAllBoxesBustOrSurrendered_theDealerDrawsNothing"),
        Line("T9", "all boxes natural", "withAllBoxesNatural_theyArePaidAtOnce_andTheDealerDrawsNothing"),
        Line("T10", "leaving between two split hands", "leaving_betweenTwoSplitHands_standsOnBoth"),
        Line("T11", "chips for one split only", "aBalanceForOneSplit_allowsNeitherTheResplitNorTheDouble"),
        Line("T12", "a double for less against a blackjack", "doubleForLess_losesItsExtraOnly_whereABlackjackTakesAll"),
        Line(
            "T13", "the dealer's third card is the last before the cut",
            "theCutCard_finishesTheRound_andTheNextOneBeginsWithAShuffle"),
        Line("T14", "two boxes, one insured", "twoBoxesOfOnePlayer_areInsuredEachForItself"),
        Line("T15", "a bet of one chip", "aBetOfOneChip_isRoundedInThePlayersFavour_andCannotBeInsured"),
        Line("T16", "the clock and the action in one tick", "anActionAtTheDeadline_meetsTheTableAfterTheTimeOut"),
        Line("T17", "a return while the default stand is made", "reconnecting_atTheDeadline_findsTheHandFinished"),
        Line("T18", "seven boxes of four hands and one deck", "sevenSeatsOfFourHands_inAOneDeckGame_areAllPlayedOut"),
    ]
}

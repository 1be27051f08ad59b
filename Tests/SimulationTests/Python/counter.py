"""A card counter at blackjack, simulated from the rules alone: it shares no code with the product.

Six decks to 75 %, one card burned; the dealer stands on soft 17 and peeks; double on any two cards, also after a split; to four hands, aces once with
one card each; insurance; no surrender. Standard input: {seed, rounds, tags, ramp, leaveBelow, bankroll, charts}; output: [mean, error] by name.
"""
import bisect, json, math, random, sys

task = json.load(sys.stdin)
random.seed(task["seed"])
tags, ramp, charts = task["tags"], task["ramp"], task["charts"]
froms = [chart["from"] for chart in charts]
pack = [min(rank, 10) for rank in range(1, 14) for _ in range(24)]


class Shoe:
    def __init__(self):
        self.cards = random.sample(pack, len(pack))
        self.cards.pop()
        self.running, self.unseen = 0, 312

    def deal(self, seen=True):
        card = self.cards.pop()
        if seen:
            self.see(card)
        return card

    def see(self, card):
        self.running += tags[card - 1]
        self.unseen -= 1

    def count(self):
        return self.running * 52 / self.unseen


def total(cards):
    hard = sum(cards)
    return (hard + 10, True) if 1 in cards and hard <= 11 else (hard, False)


def chart(shoe):
    return charts[max(0, bisect.bisect_right(froms, shoe.count()) - 1)]


def action(shoe, cards, up, may_split, may_double):
    cells, value = chart(shoe)["cells"], total(cards)
    rows = ["pair %s" % ("A" if cards[0] == 1 else cards[0])] if may_split else []
    rows.append("soft %d" % value[0] if value[1] else "hard %d" % max(5, value[0]))
    for row in rows:
        play = cells[row][up - 1]
        if play in ("P", "Ph", "Pd") and may_split:
            return "P"
        if play in ("D", "Ds"):
            return "D" if may_double else "S" if play == "Ds" else "H"
        if play in ("H", "S"):
            return play
    raise ValueError(rows)


def play_round(shoe):
    """The net win in bets."""
    hand, up = [shoe.deal()], shoe.deal()
    hand.append(shoe.deal())
    hole = shoe.deal(seen=False)
    insured = up == 1 and chart(shoe)["insurance"]
    natural, dealer_natural = total(hand)[0] == 21, total([up, hole])[0] == 21
    net = (1 if dealer_natural else -0.5) if insured else 0
    if natural or dealer_natural:
        shoe.see(hole)
        return net + (0 if natural and dealer_natural else 1.5 if natural else -1)
    hands, done = [(hand, False)], []
    while hands:
        cards, from_split = hands.pop(0)
        if len(cards) == 1:
            cards.append(shoe.deal())
        bet, split_ace = 1, from_split and cards[0] == 1
        while not split_ace and total(cards)[0] < 21:
            two = len(cards) == 2
            may_split = two and cards[0] == cards[1] and len(hands) + len(done) < 3
            choice = action(shoe, cards, up, may_split, two)
            if choice == "P":
                hands.insert(0, ([cards.pop()], True))
                from_split, split_ace = True, cards[0] == 1
                cards.append(shoe.deal())
            elif choice == "S":
                break
            else:
                cards.append(shoe.deal())
                if choice == "D":
                    bet = 2
                    break
        done.append((total(cards)[0], bet))
    shoe.see(hole)
    dealer = [up, hole]
    if any(points <= 21 for points, _ in done):
        while total(dealer)[0] < 17:
            dealer.append(shoe.deal())
    theirs = total(dealer)[0]
    for points, bet in done:
        net += bet * (-1 if points > 21 else 1 if theirs > 21 or points > theirs else 0 if points == theirs else -1)
    return net


shoes, shoe, wealth, trials, nets, flats = [], None, 0, [0, 0], [], []
for _ in range(task["rounds"]):
    if shoe is None or len(shoe.cards) <= 312 - 234 or math.floor(shoe.count()) < task["leaveBelow"]:
        shoe = Shoe()
        shoes.append([0, 0, {}])
    count = max(-10, min(10, math.floor(shoe.count())))
    bet = ramp[max(0, bisect.bisect_right([step[0] for step in ramp], count) - 1)][1]
    win = play_round(shoe)
    flats.append(win)
    nets.append(win * bet)
    shoes[-1][0] += 1
    shoes[-1][1] += win * bet
    shoes[-1][2][count] = shoes[-1][2].get(count, 0) + 1
    wealth += win * bet
    if abs(wealth) >= task["bankroll"]:
        trials[wealth > 0] += 1
        wealth = 0

rounds = len(nets)


def ratio(values):
    mean = sum(values) / rounds
    return [mean, math.sqrt(sum((value - mean * s[0]) ** 2 for value, s in zip(values, shoes))) / rounds]


def deviation(values):
    mean = sum(values) / rounds
    variance = sum((value - mean) ** 2 for value in values) / rounds
    fourth = sum((value - mean) ** 4 for value in values) / rounds
    return [math.sqrt(variance), math.sqrt((fourth - variance**2) / rounds / variance) / 2]


part = trials[0] / sum(trials)
found = {"frequency %d" % count: ratio([s[2].get(count, 0) for s in shoes]) for count in range(-3, 4)}
found["winPer100"] = [100 * figure for figure in ratio([s[1] for s in shoes])]
found["deviationPer100"] = [10 * figure for figure in deviation(nets)]
found["flatEdge"] = [sum(flats) / rounds, deviation(flats)[0] / math.sqrt(rounds)]
found["simulatedRuin"] = [part / (1 - part), math.sqrt(part * (1 - part) / sum(trials)) / (1 - part) ** 2]
print(json.dumps(found))

"""Verifies the shoes of a table from the lines of a connection: verify.py < LINES. Written from Shuffle.md alone."""
import hashlib, hmac, json, struct, sys
from base64 import urlsafe_b64decode

H = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
HM = lambda key, *parts: hmac.new(key, b"".join(parts), hashlib.sha256).digest()
u32, u64 = lambda n: struct.pack(">I", n), lambda n: struct.pack(">Q", n)
LP = lambda text: u32(len(text.encode())) + text.encode()
raw = lambda text: urlsafe_b64decode(text + "=")
NAMES = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def shuffled(cards, key):
    words = (word for j in range(2**32) for word in struct.unpack(">8I", HM(key, b"bj1/stream", u64(j))))
    cards = list(cards)
    for n in range(len(cards), 1, -1):
        word = next(word for word in words if word < 2**32 // n * n)
        cards[n - 1], cards[word % n] = cards[word % n], cards[n - 1]
    return cards


def key_of(proof, rules):
    """The digest of the list, and the key; each commitment is compared with what was revealed."""
    table, shoe, server, secret = LP(proof["table"]), u64(proof["shoe"]), raw(proof["commitment"]), raw(proof["secret"])
    made = H(b"bj1/server", table, shoe, bytes.fromhex(rules["digest"]), secret)
    assert server == made, "the server's secret is not the one of its commitment"
    list_, mix = H(b"bj1/list", server, u32(len(proof["contributors"])), *(
        LP(c["name"]) + raw(c["commitment"]) for c in proof["contributors"])), b""
    for c in proof["contributors"]:
        r = raw(c["contribution"]) if "contribution" in c else None
        assert r is None or raw(c["commitment"]) == H(b"bj1/client", table, shoe, LP(c["name"]), server, r), c["name"]
        mix += b"\0" if r is None else b"\1" + r
    return list_, HM(secret, b"bj1/shoe", H(b"bj1/mix", list_, mix))


def order_of(key, decks, segments):
    """The cards in order, and the digest of each segment's."""
    packs = [code % 52 for code in range(52 * decks)]
    cards = shuffled(packs, key)
    digests = [HM(key, b"bj1/order", u32(0), u32(0), u32(len(cards)), bytes(cards))]
    for s in segments:
        assert s["first"] == len(cards), "a segment begins where the one before ends"
        of_segment = HM(key, b"bj1/segment", u32(s["number"]))
        part = shuffled(cards[s["from"]:s["to"]] or packs, of_segment)
        digests.append(HM(of_segment, b"bj1/order", u32(s["number"]), u32(s["first"]), u32(len(part)), bytes(part)))
        cards += part
    return cards, digests


def check(proof, rules, decks, shown, seen):
    """One line for each shoe of a proof: `shown` has the items `fair` and `seen` the cards, both by the shoe's number."""
    list_, key = key_of(proof, rules)
    isContinuous = rules.get("continuousShuffle", False)
    mixed = "".join("1" if "contribution" in c else "0" for c in proof["contributors"])
    for number in range(proof["shoe"], proof["shoe"] + (32 if isContinuous else 1)):
        of_shoe = HM(key, b"bj1/round", u32(number - proof["shoe"])) if isContinuous else key
        segments = [s for s in proof.get("segments", []) if s["round"] == number - proof["shoe"]]
        cards, digests = order_of(of_shoe, decks, segments)
        for fair in shown.get(number, []):
            assert fair["commitment"] == proof["commitment"] and raw(fair["list"]) == list_, "another ceremony was shown"
            assert fair["mixed"] == mixed, "another mix was shown"
            assert raw(fair["order"]) == digests[fair.get("segment", {"number": 0})["number"]], "another order was promised"
        for place, name in sorted(seen.get(number, {}).items()):
            assert NAMES[cards[place]] == name, f"card {place} of shoe {number} was {name}, and is {NAMES[cards[place]]}"
        if number in shown:
            print(f"shoe {number} verified, {len(seen.get(number, {}))} of {len(cards)} cards seen")


rules, status, shown, seen = None, {}, {}, {}
for message in map(json.loads, sys.stdin if __name__ == "__main__" else ()):
    kind = message["type"]
    news = {item: content for item, content in message.get("items", {}).items() if content is not None}
    rules, status = news.get("rules", rules), news.get("shoe", status)
    number = status.get("number", 0)
    shown.setdefault(number, []).extend([news["fair"]] if "fair" in news else [])
    cards = {int(i[1:]): card[1] for i, card in news.items() if i[0] == "c" and i[1:].isdigit() and card[1] != "??"}
    seen.setdefault(number, {}).update(cards)
    if kind == "ok" and message["to"] == "proof":
        check(message, rules, status["decks"], shown, seen)

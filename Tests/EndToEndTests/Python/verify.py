"""Verifies the shoes of a table from the lines of a connection: verify.py < LINES. Written from Shuffle.md alone."""
import hashlib, hmac, json, struct, sys
from base64 import urlsafe_b64decode

H = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
HM = lambda key, *parts: hmac.new(key, b"".join(parts), hashlib.sha256).digest()
u32, u64 = lambda n: struct.pack(">I", n), lambda n: struct.pack(">Q", n)
LP = lambda text: u32(len(text.encode())) + text.encode()
raw = lambda text: urlsafe_b64decode(text + "=")
NAMES = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]

c_of = lambda table, shoe, name, server, r: H(b"bj1/client", LP(table), u64(shoe), LP(name), server, r)


def list_of(server, contributors):
    """The digest of a closed list."""
    return H(b"bj1/list", server, u32(len(contributors)), *(LP(c["name"]) + raw(c["commitment"]) for c in contributors))


def key_of(proof, rules):
    """Compares each commitment with the bytes that were revealed for it."""
    table, shoe, server, secret = proof["table"], proof["shoe"], raw(proof["commitment"]), raw(proof["secret"])
    made, mix = H(b"bj1/server", LP(table), u64(shoe), bytes.fromhex(rules["digest"]), secret), b""
    assert server == made, "the server's secret is not the one of its commitment"
    for c in proof["contributors"]:
        r = raw(c["contribution"]) if "contribution" in c else None
        assert r is None or raw(c["commitment"]) == c_of(table, shoe, c["name"], server, r), c["name"]
        mix += b"\0" if r is None else b"\1" + r
    return HM(secret, b"bj1/shoe", H(b"bj1/mix", list_of(server, proof["contributors"]), mix))


def shuffled(cards, key):
    words = (word for j in range(2**32) for word in struct.unpack(">8I", HM(key, b"bj1/stream", u64(j))))
    for n in range(len(cards), 1, -1):
        word = next(word for word in words if word < 2**32 // n * n)
        cards[n - 1], cards[word % n] = cards[word % n], cards[n - 1]
    return cards


def order_of(key, decks, segments):
    """The cards of a shoe and its segments, and the digest of each segment's; segment 0 is the shoe itself."""
    packs, cards, digests = [code % 52 for code in range(52 * decks)], [], []
    for s in [{"number": 0, "first": 0, "from": 0, "to": 0}] + segments:
        assert s["first"] == len(cards), "a segment begins where the one before ends"
        k = HM(key, b"bj1/segment", u32(s["number"])) if s["number"] else key
        part = shuffled(cards[s["from"]:s["to"]] or packs[:], k)
        digests.append(HM(k, b"bj1/order", u32(s["number"]), u32(s["first"]), u32(len(part)), bytes(part)))
        cards += part
    return cards, digests


def orders_of(proof, rules, decks):
    """The number of each shoe of a proof, its cards, and their digests."""
    key, count = key_of(proof, rules), 32 if rules.get("continuousShuffle") else 1
    for j in range(count):
        segments = [s for s in proof.get("segments", []) if s["round"] == j]
        yield proof["shoe"] + j, *order_of(HM(key, b"bj1/round", u32(j)) if count > 1 else key, decks, segments)


def check(proof, rules, decks, shown, seen):
    """One line for each shoe of a proof: `shown` has the items `fair` and `seen` the cards, both by the shoe's number."""
    list_ = list_of(raw(proof["commitment"]), proof["contributors"])
    mixed = "".join("1" if "contribution" in c else "0" for c in proof["contributors"])
    for number, cards, digests in orders_of(proof, rules, decks):
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

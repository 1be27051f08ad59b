"""Plays, contributes to each shoe, and prints every line that it was sent: contributor.py HOST PORT TABLE SHOES | verify.py."""
import json, os, socket, sys
from base64 import urlsafe_b64encode

from verify import c_of, list_of, raw

host, port, table, shoes = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
connection = socket.create_connection((host, port)).makefile("rwb")
items, seat, rev, asked_at = {}, None, 0, -1
drawn, committed, revealed, proved = {}, set(), set(), set()
text = lambda bytes_: urlsafe_b64encode(bytes_).decode().rstrip("=")


def say(**message):
    connection.write(json.dumps(message).encode() + b"\n")
    connection.flush()


def apply(diff):
    if "clear" in diff:  # all that goes with a round
        for item in [i for i in items if i in ("clock", "dealer") or i[0] in "caibtr" and i[1].isdigit()]:
            del items[item]
    items.update(diff["items"])
    for item in [i for i in items if items[i] is None]:
        del items[item]


def contribute(next_):
    server = raw(next_["commitment"])
    mine = drawn.setdefault(server, os.urandom(32))
    c = c_of(table, next_["shoe"], "Fair", server, mine)
    listed = next_.get("contributors")
    if listed is None and "list" not in next_ and server not in committed:
        committed.add(server)
        say(type="commit", server=next_["commitment"], commitment=text(c))
    if listed and {"name": "Fair", "commitment": text(c)} in listed and server not in revealed:
        revealed.add(server)
        say(type="reveal", list=text(list_of(server, listed)), contribution=text(mine))


say(type="login", name="Fair", bot=True, fair=True)
say(type="sit", table=table)
while len(proved) < shoes:
    line = connection.readline()
    if not line:
        sys.exit("the connection ended")
    sys.stdout.write(line.decode())
    message = json.loads(line)
    if message["type"] == "ok" and message["to"] == "sit":
        seat = message["seat"]
    elif message["type"] == "ok" and message["to"] == "proof":
        proved.add(message["shoe"])
        if not any(entry["name"] == "Fair" and "contribution" in entry for entry in message["contributors"]):
            sys.exit("not included")
    elif message["type"] == "error" and message["code"] not in ("stale", "betting_closed"):
        sys.exit(f"refused: {message}")
    elif message["type"] == "snapshot":
        items = message["items"]
        rev = message["rev"]
    elif message["type"] == "diff":
        former = items.get("fair")
        apply(message)
        rev = message["to"]
        if former and items["fair"]["shoe"] != former["shoe"] and raw(former["commitment"]) in revealed:
            say(type="proof", shoe=former["shoe"])
    if message["type"] not in ("snapshot", "diff"):
        continue
    if "next" in items:
        contribute(items["next"])
    choice = items.get(f"a{seat}")
    if choice:
        say(type="act", action="decline" if "decline" in choice["actions"] else "stand", turn=choice["turn"])
    elif items.get("phase") == "waiting" or items.get("phase") == "betting" and f"b{seat}.1" not in items:
        if asked_at != (items["round"], items["phase"]):
            asked_at = (items["round"], items["phase"])
            say(type="bet", amount=items["rules"]["minimumBet"], round=items["round"])
say(type="logout")

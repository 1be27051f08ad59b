"""A client that does what Protocol.md says; with the name of a fault, it has that one fault. Standard library only.

    steady.py HOST PORT [torn | fragile | narrow | storm | renamed | chunks | hasty | clinging | forgetful | trusting
                         | talkative]
"""
import base64
import hashlib
import json
import secrets
import socket
import struct
import sys
import time
import zlib

host, port, fault = sys.argv[1], int(sys.argv[2]), (sys.argv + [""])[3]
KNOWN = ("hello", "ok", "error", "snapshot", "diff", "bye", "ping", "chat", "note", "lobby")


def digest(tag, *parts):
    """Bytes as they are, numbers as u64, texts with their length."""
    tagged = [struct.pack(">Q", p) if isinstance(p, int) else p for p in parts]
    tagged = [struct.pack(">I", len(p.encode())) + p.encode() if isinstance(p, str) else p for p in tagged]
    return hashlib.sha256(tag + b"".join(tagged)).digest()


def raw(text):
    return base64.urlsafe_b64decode(text + "=")


def text(bytes_):
    return base64.urlsafe_b64encode(bytes_).decode().rstrip("=")


def digest_entry(entry):
    name = entry["name"].encode()
    return struct.pack(">I", len(name)) + name + raw(entry["commitment"])


class Lost(Exception):
    """The connection is gone."""


class Table:
    def __init__(self, message):
        self.name, self.epoch, self.rev, self.items = message["table"], message["epoch"], message["rev"], message["items"]
        self.get = self.items.get

    def check(self):
        text = lambda item: json.dumps({item: self.items[item]}, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return sum(zlib.crc32(text(item)[1:-1].encode()) for item in self.items) % 2**32

    def apply(self, diff):
        if diff.get("clear"):
            for item in [i for i in self.items if i in ("clock", "dealer") or i[0] in "caibtr" and i[1].isdigit()]:
                del self.items[item]
        for item, content in diff["items"].items():
            self.items[item] = content
            if content is None or fault == "narrow" and item in ("sky", "wind.speed", "tipJar"):  # drops what it does not know
                del self.items[item]
        self.rev = diff["to"]


class Client:
    def __init__(self):
        self.table = self.socket = self.seat = None
        self.secret = secrets.token_hex(32)
        self.buffer, self.last, self.open, self.shown = b"", 0, {}, -1
        self.asking, self.hello, self.later = False, None, 0
        self.drawn, self.committed, self.revealed = {}, set(), set()

    def run(self):
        pause, tries = 0.25, 0
        while True:
            try:
                self.socket, self.buffer = socket.create_connection((host, port), timeout=60), b""
                self.log_in()
                pause, tries = 0.25, 0
                self.play()
            except (Lost, OSError):
                pass
            tries += 1
            if tries > 8 and fault != "storm":
                sys.exit("no way back")
            if fault != "storm":
                time.sleep(pause)
                pause *= 2

    def say(self, *messages, **message):
        lines = [json.dumps(each).encode() + b"\n" for each in messages or [message]]
        self.socket.sendall(b"".join(lines))

    def read(self):
        if fault == "chunks":  # takes for granted that what comes at once ends with a line
            while not self.buffer:
                chunk = self.socket.recv(65536)
                if not chunk:
                    raise Lost
                self.buffer = chunk[: chunk.rfind(b"\n") + 1]
        while b"\n" not in self.buffer:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise Lost
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def hear(self):
        message = self.read()
        kind = message["type"]
        if fault == "fragile" and kind not in KNOWN:
            raise SystemExit(f"unknown type {kind}")
        if kind == "bye" and message["code"] not in ("restart", "shutting_down", "login_timeout"):
            if fault != "clinging":
                sys.exit(message["message"])
        elif kind == "bye":
            raise Lost
        elif kind == "error" and message.get("fatal"):
            if message.get("retryable"):
                raise Lost
            sys.exit(message["message"])
        elif kind == "snapshot":
            self.table, self.asking = Table(message), False
        elif kind == "diff":
            self.take(message)
        elif kind == "ok" and message["to"] == "watch":
            self.asking = False
        return message

    def take(self, diff):
        if not self.table or self.asking:
            return
        if diff["from"] != self.table.rev and fault != "torn":
            self.asking = True
            self.say(type="watch", epoch=self.table.epoch, rev=self.table.rev, id="watch")
            return
        self.table.apply(diff)
        if "check" in diff and diff["check"] != self.table.check() and fault != "torn":
            self.asking = True
            self.say(type="watch", id="watch")

    def answer(self, id):
        while True:
            message = self.hear()
            if message["type"] in ("ok", "error") and message.get("id") == id:
                return message

    def log_in(self):
        while True:
            login = {"type": "login", "name": "steady", "bot": True, "fair": True, "id": f"login-{time.monotonic_ns()}", "secret": self.secret}
            self.say(**login)
            reply = self.answer(login["id"])
            if reply["type"] == "ok":
                break
            if not reply.get("retryable"):
                sys.exit(reply["message"])
            raise Lost
        if reply.get("table"):
            if fault == "renamed":
                renamed = {self.last + k: dict(r, id=self.last + k) for k, r in enumerate(self.open.values(), 1)}
                self.open, self.last = renamed, self.last + len(renamed)
            place = {"type": "watch", "id": "watch"}
            if self.table:
                place = {"type": "watch", "epoch": self.table.epoch, "rev": self.table.rev, "id": "watch"}
                self.asking = False
            # One segment: every repeated request arrives before the reply to "watch" leaves.
            # When the ping is answered, everything caused before it has been shown.
            self.say(place, *self.open.values(), {"type": "ping", "id": "seen"})
        else:
            self.ask(type="sit")

    def ask(self, **request):
        self.last += 1
        self.open[self.last] = dict(request, id=self.last)
        self.say(**self.open[self.last])

    def play(self):
        while True:
            message = self.hear()
            id = message.get("id")
            if message["type"] == "ok" and id == "seen":
                self.shown = -1
            if message["type"] in ("ok", "error") and id in self.open:
                request = self.open.pop(id)
                if message["type"] == "error" and message.get("retryable"):
                    if fault != "hasty":
                        time.sleep(message.get("retryAfter", 100) / 1000)
                    self.shown = -1
                elif message["type"] == "error":
                    self.shown = -1
                elif request["type"] == "sit":
                    self.seat = message["seat"]
                elif request["type"] in ("bet", "act"):
                    self.shown = self.table.rev
            self.contribute()
            self.move()

    def contribute(self):
        """Commits once to each commitment of the server's, and reveals once, under the list that has it."""
        shoe = self.table and not self.asking and self.seat and self.table.get("next")
        if not shoe:
            return
        server = shoe["commitment"]
        if fault == "forgetful" and server in self.revealed and "contributors" not in shoe and "list" not in shoe:
            self.committed.discard(server)
            self.revealed.discard(server)
        if "contributors" not in shoe and "list" not in shoe and server not in self.committed:
            secret = secrets.token_bytes(32)
            mine = digest(b"bj1/client", self.table.name, shoe["shoe"], "steady", raw(server), secret)
            self.drawn[server] = secret, mine
            self.committed.add(server)
            self.say(type="commit", server=server, commitment=text(mine), id=f"commit-{server[:20]}")
        listed = shoe.get("contributors")
        if server not in self.drawn or server in self.revealed and fault != "talkative" or listed is None:
            return
        secret, mine = self.drawn[server]
        if {"name": "steady", "commitment": text(mine)} not in listed and fault != "trusting":
            return
        entries = b"".join(digest_entry(entry) for entry in listed)
        under = text(digest(b"bj1/list", raw(server), struct.pack(">I", len(listed)) + entries))
        if (server, under) not in self.revealed:
            self.revealed |= {server, (server, under)}
            self.say(type="reveal", list=under, contribution=text(secret), id=f"reveal-{server[:20]}")

    def move(self):
        table, seat = self.table, self.seat
        if not table or not seat or self.asking or self.open or table.rev == self.shown or table.get(f"p{seat}") is None:
            return
        choice = table.get(f"a{seat}")
        if choice:
            total = (table.get(f"t{seat}.{choice['hand']}") or "0").split(" ")[-1]
            total = int(total) if total.isdigit() else 21  # a blackjack that is offered even money
            wanted = "decline" if "decline" in choice["actions"] else "hit" if total < 15 else "stand"
            self.ask(type="act", action=wanted, hand=choice["hand"], turn=choice["turn"])
        elif table.get("phase") in ("waiting", "betting") and table.get(f"b{seat}.1") is None:
            self.ask(type="bet", amount=table.get("rules")["minimumBet"], round=table.get("round"))


Client().run()

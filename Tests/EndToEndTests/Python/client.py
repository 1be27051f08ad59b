"""A client for blackjack over TCP, written from Protocol.md alone. Standard library only.

Plays ROUNDS rounds at HOST:PORT, proves every check value, and loses its connection at random, also in the middle of a line (never with SEED 0). It logs in
again with its secret, asks for what it has missed, and sends again what was not answered. At the end it has
proved that no bet was lost or doubled: its chips are those of the beginning and what its hands have won.

    client.py HOST PORT ROUNDS SEED
"""
import json
import random
import re
import secrets
import select
import socket
import sys
import time
import zlib


ROUND = re.compile(r"clock|dealer|[cai]\d+|[btr]\d.*")  # what goes with a round


class Table:
    """A table as the server shows it: items by name, kept up to date by diffs."""

    def __init__(self, message):
        self.epoch, self.rev, self.items = message["epoch"], message["rev"], message["items"]
        self.get = lambda item, default=None: self.items.get(item, default)
        self.is_right = True  # as far as a check value has shown

    def check(self):
        text = lambda item: json.dumps({item: self.items[item]}, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return sum(zlib.crc32(text(item)[1:-1].encode()) for item in self.items) % 2**32

    def apply(self, diff):
        if diff.get("clear"):
            self.items = {item: content for item, content in self.items.items() if not ROUND.fullmatch(item)}
        for item, content in diff["items"].items():
            assert content is not None or item in self.items, "something goes that is not there"
            self.items[item] = content
        self.items = {item: content for item, content in self.items.items() if content is not None}
        self.rev = diff["to"]
        self.is_right = self.check() == diff.get("check", self.check())
        return int("check" in diff)


class Lost(Exception):
    """The connection is gone."""


class Client:
    def __init__(self, host, port, name, chance):
        self.address, self.name, self.chance = (host, port), name, chance
        self.table = self.start = self.seat = self.socket = None
        self.secret = secrets.token_hex(32)
        self.buffer, self.late = b"", []  # what was read of the lines to come, and what is to be said again, each with its moment
        self.open, self.answers, self.said = {}, {}, {}  # requests without an answer, answers, what was sent; by id
        self.last, self.cuts, self.checks, self.retried, self.mended = 0, 0, 0, 0, 0
        self.nets, self.unseen = [], 0  # what each round has brought; how many of them were over before we were back
        self.stake = None  # the chips before the bet of the round that is not counted yet
        self.connect()

    def connect(self):
        """Connects, and logs in with the secret, as the one that we were. Then catches up."""
        for tries in range(12):
            time.sleep(min(8, 0.25 * 2 ** (tries - 1)) if tries else 0)  # a storm helps nobody
            try:
                self.socket = socket.create_connection(self.address, timeout=20)
                self.buffer, self.late = b"", []
                self.hello = self.hear("hello")
                login = {"type": "login", "name": self.name, "bot": True, "version": 1, "secret": self.secret}
                self.write(login)
                answer = self.hear("ok", "error")
                if answer.get("code") == "name_taken":  # the server has not seen yet that the connection before is gone
                    self.socket.close()
                    continue
                assert answer["type"] == "ok", answer
                if self.start is None:
                    self.start = answer["chips"]
                if answer.get("table"):
                    known = self.table and self.table.is_right
                    self.ask({"type": "watch", "epoch": self.table.epoch, "rev": self.table.rev} if known else {"type": "watch"})
                # Unanswered requests are said again, word for word: its effect is once.
                for request in list(self.open.values()):
                    self.retried += 1
                    self.write(request)
                self.ask({"type": "ping"})  # when it is answered, all that was caused before has been told
                return
            except (Lost, OSError):
                continue
        sys.exit("no way back")

    def ask(self, request):
        """Asks what changes nothing."""
        self.last += 1
        self.write(dict(request, id=self.last))
        while self.last not in self.answers:
            self.take(self.read())
        return self.answers.pop(self.last)

    def write(self, message):
        self.said[message.get("id")] = message
        line = json.dumps(message).encode() + b"\n"
        fate = self.chance.random() if self.chance else 0.5
        try:
            if fate < 0.02:  # the connection is lost in the middle of a line …
                self.socket.sendall(line[: self.chance.randrange(len(line))])
                self.lose()
            self.socket.sendall(line)
            if fate > 0.98:  # … or when the line has left and nobody knows whether it has arrived
                self.lose()
        except OSError:
            self.lose()

    def lose(self):
        self.cuts += 1
        self.socket.close()
        raise Lost

    def read(self):
        if self.chance and self.chance.random() < 0.005:
            self.lose()
        while b"\n" not in self.buffer:
            wait = self.late[0][0] - time.monotonic() if self.late else 20
            if wait <= 0:
                self.write(self.late.pop(0)[1])
                continue
            try:
                is_there = select.select([self.socket], [], [], wait)[0]
                chunk = self.socket.recv(65536) if is_there else b""
            except OSError:
                self.lose()
            if not chunk and (is_there or not self.late):
                self.lose()
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def hear(self, *types):
        """The next message of these types; others are of no interest yet."""
        while True:
            message = self.read()
            if message["type"] in types:
                return message
            self.take(message)

    def take(self, message):
        kind = message["type"]
        if kind == "snapshot":
            self.table = Table(message)
        elif kind == "diff":
            if not self.table.is_right:
                return  # a snapshot is on its way
            if message["from"] == self.table.rev:
                self.checks += self.table.apply(message)
            else:
                self.table.is_right = False
            if not self.table.is_right:  # a diff is missing, or the table is not the server's: the whole table again
                self.mended += 1
                self.write({"type": "watch"})
        elif kind == "error" and "retryAfter" in message:  # nothing was done: the same again, a little later
            self.late.append((time.monotonic() + message["retryAfter"] / 1000, self.said[message.get("id")]))
        elif kind in ("ok", "error"):
            self.said.pop(message.get("id"), None)
            self.open.pop(message.get("id"), None)
            self.answers[message.get("id")] = message
        elif kind == "bye" and message["code"] in ("replaced", "kicked", "banned"):
            sys.exit(message["message"])  # coming back would be no help to anybody
        elif kind == "bye":
            self.lose()
        if self.table and self.seat:
            self.count()

    def request(self, message):
        """Asks for something that must happen once, however often the connection is lost."""
        self.last += 1
        number = self.last
        self.open[number] = dict(message, id=number)
        try:
            self.write(self.open[number])
        except Lost:
            self.connect()
        while number not in self.answers:
            self.step()
        return self.answers.pop(number)

    def step(self):
        try:
            self.take(self.read())
        except Lost:
            self.connect()

    def chips(self):
        return self.table.get(f"p{self.seat}")["chips"]

    def count(self):
        """Once all hands of a round have a result: the chips are those before the bet, and what was won."""
        hands = [item[1:] for item in self.table.items if item.startswith(f"b{self.seat}.")]
        results = [self.table.get("r" + hand)["net"] for hand in hands if "r" + hand in self.table.items]
        if self.stake is not None and hands and len(results) == len(hands):
            won = sum(results) + self.table.get(f"r{self.seat}", 0)
            assert self.chips() == self.stake + won, f"{self.chips()} chips after {self.stake} and {won}"
            self.nets, self.stake = self.nets + [won], None

    def count_unseen(self, most):
        """A round that was over and cleared before the connection was back: what it has brought is what is there, within reason."""
        if self.stake is not None:
            won, self.stake = self.chips() - self.stake, None
            assert abs(won) <= most, f"{won} chips in one round"
            self.nets, self.unseen = self.nets + [won], self.unseen + 1

    def play(self, rounds):
        rules = None
        while len(self.nets) < rounds:
            if not self.seat:
                answer = self.request({"type": "sit"})
                assert answer["type"] == "ok", answer
                self.seat = answer["seat"]
                while not self.table or self.table.get(f"p{self.seat}") is None:
                    self.step()
                rules = self.table.get("rules")
            choice, phase = self.table.get(f"a{self.seat}"), self.table.get("phase")
            bet = self.table.get(f"b{self.seat}.1")
            before = self.table.rev
            if choice:
                wanted = [a for a in ("split", "decline", "hit", "stand") if a in choice["actions"]]
                points = self.table.get(f"t{self.seat}.{choice['hand']}", "0").split(" ")[-1]
                if "hit" in wanted and points.isdigit() and int(points) > 14:
                    wanted.remove("hit")
                answer = self.request({"type": "act", "action": wanted[0], "hand": choice["hand"], "turn": choice["turn"]})
            elif phase == "waiting" or phase == "betting" and not bet:
                self.count_unseen(8 * rules["minimumBet"])
                if len(self.nets) == rounds:
                    break
                self.stake = self.chips()
                answer = self.request({"type": "bet", "amount": rules["minimumBet"], "round": self.table.get("round")})
                # Refused when it was said again, it may have been dealt: the table and the chips say so.
                if answer["type"] == "error" and not self.table.get(f"b{self.seat}.1") and self.chips() == self.stake:
                    self.stake = None
            else:
                self.step()
                continue
            # A clock may have been quicker. After a yes the table that shows it is on its way, or was asked for anew.
            assert answer["type"] == "ok" or answer["class"] in ("look", "again"), answer
            while answer["type"] == "ok" and self.table.rev == before:
                self.step()

    def finish(self):
        """Back to the table without a bet on it: what is there must be what was there, and what was won."""
        while self.table.get("phase") != "waiting":
            self.step()
        self.count_unseen(8 * self.table.get("rules")["minimumBet"])
        assert self.chips() == self.start + sum(self.nets)
        self.chance = None
        self.write({"type": "logout"})
        self.hear("bye")
        print(json.dumps({"rounds": len(self.nets), "unseen": self.unseen, "won": sum(self.nets), "checks": self.checks,
                          "cuts": self.cuts, "retried": self.retried, "mended": self.mended}))


if __name__ == "__main__":
    host, port, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    client = Client(host, port, "snake", random.Random(seed) if seed else None)
    client.play(rounds)
    client.finish()

"""Types at a program on a terminal of its own: terminal.py COMMAND SECONDS [TEXT KEYS]…

COMMAND is a line of a shell. Once the screen has shown TEXT (a regular expression, without escape sequences), KEYS are typed: a Python
string with its escapes (\\r is Enter). A TEXT that begins with "if " may stay away: the program then ends instead. Ends with the
command's status, or with 124 when a TEXT does not come within SECONDS; prints the end of what was on the screen then.
"""
import os
import pty
import re
import select
import sys
import time

command, seconds, steps = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm-256color", COLUMNS="100", LINES="36")
    os.execvp("bash", ["bash", "-c", f"stty rows 36 cols 100; exec {command}"])
shown, seen = b"", 0
end = time.monotonic() + seconds
escapes = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[PX^_][^\x1b]*\x1b\\|[@-Z\\^_=>])")


def read():
    """More of the screen; nothing at the end of the program."""
    global shown
    ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
    if not ready:
        sys.stderr.write(escapes.sub(b" ", shown[-4000:]).decode(errors="replace") + "\n")
        os.kill(child, 9)
        sys.exit(124)
    try:
        more = os.read(terminal, 65536)
    except OSError:
        more = b""
    shown += more
    return more


for text, keys in zip(steps[::2], steps[1::2]):
    pattern = text.removeprefix("if ").encode()
    while not (found := re.search(pattern, escapes.sub(b" ", shown)[seen:])):
        if not read():
            if pattern != text.encode():
                break
            sys.stderr.write(escapes.sub(b" ", shown[-4000:]).decode(errors="replace") + f"\nended without {text}\n")
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or 1)
    if not found:
        break
    seen += found.end()
    os.write(terminal, keys.encode().decode("unicode_escape").encode())
while read():
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

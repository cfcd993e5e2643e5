"""A match of two language models, with its record, its transcript and an animated page.

    pip install .
    python examples/text_match.py                        # two scripted models on this machine
    python examples/text_match.py --models large:llm:some-model@http://127.0.0.1:8000/v1 first:greedy

Without models of your own, two scripted ones answer at a local address with OpenAI's chat completions: one
prefers large pieces, the other one takes the first move of the list. They read the same messages as any
model, and show that the program only needs an address.
"""

import argparse
import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--env", default="tilewe")
parser.add_argument("--set", nargs="*", default=["players=2", "mode=blokus_duo"], metavar="KEY=VALUE")
parser.add_argument("--models", nargs="*", metavar="NAME:PLAYER", help="one player per seat")
parser.add_argument("--out", type=Path, default=Path("."), help="folder of the results")
args = parser.parse_args()


def moves(message):
    """The legal moves of a message that lists them with their meaning."""
    listed = message.partition("Legal moves, with their meaning:\n")[2].partition("\n\n")[0]
    return [line.split("  ")[0] for line in listed.splitlines()]


def large(message):
    """A move with the largest piece: the digit of its name is its number of squares."""
    size = lambda move: max(map(int, re.findall(r"^[A-Z](\d)", move)), default=0)
    best = max(moves(message), key=size)
    return f"Large pieces first, while there is room.\nMove: {best}"


def first(message):
    """The first move of the list."""
    return f"Move: {moves(message)[0]}"


class Server(BaseHTTPRequestHandler):
    """Chat completions of the scripted models."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = asked["messages"][-1]["content"]
        reply = {"large": large, "first": first}[asked["model"]](message)
        usage = {"prompt_tokens": len(message) // 4, "completion_tokens": len(reply) // 4}
        answer = {"choices": [{"message": {"role": "assistant", "content": reply}}], "usage": usage}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


def ludovec(*call):
    """Runs the program."""
    subprocess.run([sys.executable, "-m", "ludovec", *call], check=True)


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1?legal=listed"
players = args.models or [f"{name}:llm:{name}@{address}" for name in ("large", "first")]
record, page = args.out / "match.json", args.out / "match.html"
settings = [word for pair in args.set for word in ("--set", pair)]
ludovec("play", args.env, "--players", ",".join(players), "--quiet", "--record", str(record), *settings)
ludovec("replay", str(record), "--html", str(page))
exchanges = (args.out / "match.transcript.jsonl").read_text().splitlines()
print(f"{page}: the match as a page; {len(exchanges)} exchanges in match.transcript.jsonl, the first reply:")
print(json.loads(exchanges[0])["messages"][-1]["content"])

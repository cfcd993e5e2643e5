"""Writes the screenshots of `docs/watch/watch.md` into `docs/pictures/web/`.

    python docs/screenshots.py

Drives a headless Chromium (DevTools protocol over a pair of pipes) over the static pages of `make web-pages`.
"""

import base64
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES, PICTURES = ROOT / "target" / "web", ROOT / "docs" / "pictures" / "web"
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
#: Seconds that a page may take to show something, on a busy machine.
PATIENCE = 300.0

#: Plays moves of the adviser in the page until the person has made some.
PLAY = """
(async () => {
  const find = selector => document.querySelector("#play " + selector);
  const until = async test => { while (!test()) await new Promise(done => setTimeout(done, 20)); };
  const mine = () => find(".status").textContent.includes("your turn");
  find(".delay").value = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    await until(mine);
    find(".hint").click();
    await until(() => !find(".said").hidden);
    const before = find(".log").children.length;
    find(".best button").click();
    await until(() => find(".log").children.length > before);
  }
  await until(mine);
})()
"""
REVIEW = """
(async () => {
  const find = selector => document.querySelector("#play " + selector);
  find(".adviser").value = "net:champion:16";
  find(".judge").click();
  while (find(".judge").disabled || !find(".review .summary").children.length) {
    await new Promise(done => setTimeout(done, 50));
  }
  find(".review").scrollIntoView({ block: "end" });
})()
"""
ANALYSE = """
(async () => {
  const find = selector => document.querySelector("#play " + selector);
  find(".adviser").value = "net:champion:64";
  find(".hint").click();
  while (find(".said").hidden) await new Promise(done => setTimeout(done, 20));
})()
"""
WATCHED = """
(async () => {
  const find = selector => document.querySelector("#play " + selector);
  find(".delay").value = 0;
  const running = () => !find(".status").textContent || find(".status").textContent.includes("is to move");
  while (running()) await new Promise(done => setTimeout(done, 50));
})()
"""
WATCH = """
(async () => {
  const summary = () => document.querySelector("#watch .summary").textContent;
  const steps = () => parseInt(summary().replace(/\\D*/, "")) || 0;
  document.querySelector("#watch .delay").value = 0;
  const cards = () => document.querySelectorAll("#watch .card").length;
  while (cards() === 0 || steps() < STEPS) await new Promise(done => setTimeout(done, 20));
  document.querySelector("#watch .pause").click();
})()
"""
#: The two players of the shots of chess.
NAMES = "names=Ann,Champion"
PEOPLE = "names=Ann,Ada,Ben,Cem"
#: Screenshots: name, address in the page, scripts.
SHOTS: list[tuple[str, str, list[str]]] = [
    ("home", "#new", []),
    (
        "play",
        f"#play/smallworld?seed=4&players=2&seats=human,net:champion&{NAMES}",
        [PLAY.replace("TURNS", "14")],
    ),
    (
        "phone",
        f"#play/tilewe?seed=1&seats=human,net:champion,net:champion,net:champion&{PEOPLE}",
        [PLAY.replace("TURNS", "5")],
    ),
    (
        "watch",
        "#watch/tilewe?seed=1&games=16&seats=greedy,greedy,greedy,greedy",
        [WATCH.replace("STEPS", "640")],
    ),
    (
        "analyse",
        f"#play/chess?seed=3&seats=human,net:champion&{NAMES}",
        [PLAY.replace("TURNS", "6"), ANALYSE],
    ),
    (
        "review",
        "#play/chess?seed=3&seats=net:champion,greedy&names=Champion,Greedy&max_plies=40",
        [WATCHED, REVIEW],
    ),
]
#: Whether a board or the picture of a card is drawn.
DRAWN = """
[...document.querySelectorAll("main:not([hidden]) :is(.board, .picture)")].some(drawn => drawn.shadowRoot)
"""


class Handler(SimpleHTTPRequestHandler):
    """Serves the static pages without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps the terminal quiet."""


class Tab:
    """A tab of a headless browser."""

    def __init__(self, program: str, profile: str) -> None:
        """Starts the browser."""
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        command = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--hide-scrollbars",
        ]
        command += ["--remote-debugging-pipe", f"--user-data-dir={profile}"]
        # The protocol uses the file descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._browser = subprocess.Popen(
            ["bash", "-c", script, *command], pass_fds=[theirs_in, theirs_out], stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._session: str | None = None
        self._calls, self._read = 0, b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a call."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._read:
                self._read += os.read(self._in, 1 << 20) or sys.exit("the browser has ended")
            text, _, self._read = self._read.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self._calls:
                if "error" in answer or "exceptionDetails" in answer["result"]:
                    sys.exit(f"{method}: {answer}")
                result: dict[str, Any] = answer["result"]
                return result

    def resize(self, width: int, height: int, mobile: bool = False) -> None:
        """Sets the size of the screen."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.call("Emulation.setDeviceMetricsOverride", **screen)

    def run(self, script: str) -> Any:
        """The value of an expression, awaited."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        return self.call("Runtime.evaluate", **asked)["result"].get("value")

    def wait(self, expression: str) -> None:
        """Waits until an expression is true in the page."""
        end = time.monotonic() + PATIENCE
        while not self.run(expression):
            if time.monotonic() > end:
                sys.exit("the page does not get ready")
            time.sleep(0.1)

    def close(self) -> None:
        """Ends the browser."""
        self._browser.terminate()
        self._browser.wait()


def main() -> None:
    """Makes every screenshot, or those named on the command line."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f"no browser: one of {', '.join(BROWSERS)} is needed")
    if not (PAGES / "index.html").exists():
        sys.exit("there are no static pages: make web-pages builds them")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(PAGES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        tab = Tab(program, profile)
        for name, address, scripts in SHOTS:
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            if name.startswith("phone"):
                tab.resize(390, 800, mobile=True)
            else:
                tab.resize(1200, 800)
            tab.call("Page.navigate", url="about:blank")
            tab.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/index.html{address}")
            tab.wait(DRAWN)
            for script in scripts:
                tab.run(script)
            shot = tab.call("Page.captureScreenshot", format="png")["data"]
            (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot))
            print(f"docs/pictures/web/{name}.png")
        tab.close()
    server.shutdown()


if __name__ == "__main__":
    main()

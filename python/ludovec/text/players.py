"""Players that are language models: ``llm:MODEL@URL[?SETTING=VALUE,...]``, wherever players are named.

The engine calls :func:`make` for such a text, and the player for its moves.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from .. import _core
from .._shared.errors import config_error, shown
from ..game import Game
from .chat import Chat, Interrupted, Message, NoAnswer, endpoint, key_for
from .moves import LISTINGS, Listing
from .obfuscation import Obfuscation
from .prompts import prompt
from .replies import READER_VERSION, Reply, read_move

if TYPE_CHECKING:
    from pathlib import Path

#: Default time limit of a move in seconds, over all requests for it.
TIME_LIMIT = 60.0
#: Maximum number of consecutive moves without any answer; then the model is no longer asked.
PATIENCE = 3
#: Largest number of requests at a time.
MOST_PARALLEL = 256

_FORM = "llm:MODEL@URL is needed, as in llm:some-model@http://127.0.0.1:8000/v1?retries=2,legal=listed"


def make(text: str, time_limit: float | None) -> LanguageModel:
    """The player named by a text.

    Args:
        text: ``llm:MODEL@URL`` with settings.
        time_limit: Seconds per move, unless the settings say it; ``None`` is :data:`TIME_LIMIT`.

    Raises:
        InvalidConfig: The text is malformed, or a variable of the environment is missing.
    """
    model, at, rest = text.removeprefix("llm:").rpartition("@http")
    if not at or not model.strip():
        raise config_error(f"bot {text!r:.200}: {_FORM}")
    address, _, listed = f"http{rest}".partition("?")
    try:
        given = _settings(listed)
        url = endpoint(address)
        chat = Chat(model, url, key_for(url, given.pop("key", None)), given.pop("request"))
    except _core.InvalidConfig as error:
        what = str(error).removeprefix("invalid configuration: ")
        raise config_error(f"bot llm:{shown(model, 60)}: {what}") from None
    limit = TIME_LIMIT if time_limit is None else time_limit
    return LanguageModel(chat, **{"time_limit": limit, **given})


def _settings(listed: str) -> dict[str, Any]:
    """The settings by the argument that they set; ``request`` has those for the server."""
    readers: dict[str, tuple[str, Callable[[str, str], Any]]] = {
        "key": ("key", lambda name, value: value),
        "legal": ("legal", _listing),
        "log": ("log", _file),
        "max_tokens": ("max_tokens", lambda name, value: _whole(name, value, 1, 10**7)),
        "obfuscate": ("obfuscate", lambda name, value: _whole(name, value, 0, 10**9)),
        "parallel": ("parallel", lambda name, value: _whole(name, value, 1, MOST_PARALLEL)),
        "retries": ("retries", lambda name, value: _whole(name, value, 0, 100)),
        "temperature": ("temperature", lambda name, value: _number(name, value, 0.0, 100.0)),
        "timeout": ("time_limit", lambda name, value: _number(name, value, 0.001, 1e6)),
    }
    found: dict[str, Any] = {"request": {}}
    for pair in filter(None, listed.split(",")):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if name not in readers:
            raise config_error(f"setting {name!r:.40}: {', '.join(readers)} are allowed")
        argument, read = readers[name]
        if not equals or not value:
            raise config_error(f"{name}: a value is needed, as in {name}=...")
        place = found["request"] if name in ("max_tokens", "temperature") else found
        if argument in place:
            raise config_error(f"{name} is given twice")
        place[argument] = read(name, value)
    return found


def _listing(name: str, value: str) -> str:
    if value not in LISTINGS:
        raise config_error(f"{name}={value!r:.40}: {', '.join(LISTINGS)} are allowed")
    return value


def _file(name: str, value: str) -> str:
    try:
        with open(value, "a", encoding="utf-8"):
            return value
    except OSError as error:
        raise config_error(f"{name}={value!r:.100}: {error.strerror}") from None


def _whole(name: str, value: str, least: int, most: int) -> int:
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else -1
    if not least <= number <= most:
        raise config_error(f"{name}={value!r:.40}: {least} to {most} is allowed")
    return number


def _number(name: str, value: str, least: float, most: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise config_error(f"{name}={value!r:.40}: a number from {least:g} to {most:g} is allowed")
    return number


class LanguageModel:
    """A language model as a player.

    A request has the rules, the moves since the model's last decision, the position as the current player
    sees it, and the legal moves. Equal games give equal requests. A reply without a legal move is answered
    with its reason, at most ``retries`` times.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        legal: Listing = "grouped",
        retries: int = 2,
        time_limit: float = TIME_LIMIT,
        parallel: int = 8,
        log: str | None = None,
        obfuscate: int | None = None,
    ) -> None:
        self._chat = chat
        self._obfuscate = obfuscate
        self._legal: Any = legal
        self._retries, self._parallel = retries, parallel
        self._time_limit = time_limit
        self._log: Path | str | None = log
        self._lock = threading.Lock()
        self._silent = 0
        self._requests = self._prompt_tokens = self._completion_tokens = 0
        self._moves = 0

    def usage(self) -> tuple[int, int, int, int]:
        """Requests, those of them that repeat or correct another, tokens of messages, tokens of replies."""
        with self._lock:
            repeated = self._requests - self._moves
            return self._requests, repeated, self._prompt_tokens, self._completion_tokens

    def write_transcript(self, file: str | Path) -> None:
        """Appends every exchange to a file from now on, unless the settings name one."""
        if self._log is None:
            self._log = os.fspath(file)

    def games(self, games: list[_core.SingleGame], stopped: Callable[[], bool]) -> list[int | str]:
        """An action per game, or the reason why there is none; several requests at a time."""
        answers: list[int | str] = ["interrupted"] * len(games)
        waiting: SimpleQueue[int] = SimpleQueue()
        for i in range(len(games)):
            waiting.put(i)

        def work() -> None:
            while True:
                try:
                    i = waiting.get_nowait()
                except Empty:
                    return
                try:
                    answers[i] = self._choose(Game._wrap(games[i]), stopped)
                except Interrupted:
                    return
                # A lost move must not end the others.
                except Exception as error:
                    answers[i] = shown(self._chat.hide(f"{type(error).__name__}: {error}"), 300)

        if len(games) == 1:
            work()
            return answers
        threads = [
            threading.Thread(target=work, name="ludovec llm player", daemon=True)
            for _ in range(min(self._parallel, len(games)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def _choose(self, game: Game, stopped: Callable[[], bool]) -> int | str:
        legal = game.legal_actions()
        if len(legal) == 1:
            # Nothing to ask.
            return legal[0]
        if stopped():
            raise Interrupted
        with self._lock:
            if self._silent >= PATIENCE:
                return f"it is no longer asked after {PATIENCE} moves without an answer"
        names = None if self._obfuscate is None else Obfuscation(game, self._obfuscate)

        def hidden(text: str) -> str:
            return text if names is None else names.hide(text)

        messages: list[Message] = [{"role": "user", "content": hidden(prompt(game, legal=self._legal))}]
        begun = time.monotonic()
        said, failure = Reply(None, "The model was not asked."), None
        tokens = [0, 0]
        sent = [0]

        def count() -> None:
            with self._lock:
                self._requests += 1
                self._moves += sent[0] == 0
            sent[0] += 1

        for _ in range(self._retries + 1):
            try:
                answer = self._chat.ask(messages, begun + self._time_limit, stopped, count)
            except NoAnswer as error:
                failure = error
                break
            tokens[0] += answer.prompt_tokens
            tokens[1] += answer.completion_tokens
            said = read_move(game, answer.reply if names is None else names.read(answer.reply))
            written = answer.reply if isinstance(answer.reply, str) else json.dumps(answer.reply)
            messages.append({"role": "assistant", "content": self._chat.hide(written)})
            if said.action is not None:
                break
            messages.append({"role": "user", "content": hidden(said.reason or "")})
        if messages[-1]["role"] == "user" and len(messages) > 1 and failure is None:
            # The last reason was not sent.
            messages.pop()
        with self._lock:
            self._silent = self._silent + 1 if failure is not None and failure.silent else 0
            self._prompt_tokens += tokens[0]
            self._completion_tokens += tokens[1]
        chosen: int | str
        if failure is not None:
            late = "no answer within the time limit"
            chosen = f"no answer within {self._time_limit:g} s" if str(failure) == late else str(failure)
        elif said.action is None:
            chosen = f"no legal move in {len(messages) // 2} replies: {said.reason}"
        else:
            chosen = said.action
        self._note(game, messages, chosen, sent[0], tokens)
        return chosen

    def _note(
        self, game: Game, messages: list[Message], chosen: int | str, sent: int, tokens: list[int]
    ) -> None:
        """Appends an exchange to the transcript."""
        if self._log is None:
            return
        is_move = isinstance(chosen, int)
        entry = {
            "model": self._chat.model,
            "env": game.spec.env,
            "version": game.spec.version,
            "reader": READER_VERSION,
            "step": game.steps,
            "player": game.current_player,
            "action": chosen if is_move else None,
            "move": game.action_to_string(chosen) if isinstance(chosen, int) else None,
            "fault": None if is_move else chosen,
            "requests": sent,
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "messages": messages,
        }
        line = json.dumps(entry, ensure_ascii=False) + "\n"
        with self._lock, open(self._log, "a", encoding="utf-8") as file:
            file.write(line)

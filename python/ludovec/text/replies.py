"""Reads a move from the reply of a language model: prose, JSON or a tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._core import LudovecError
from .._errors import shown
from ..game import Game

#: Longest reply that is read: its end, because answers come last.
LONGEST = 100_000
#: Keys of JSON objects that hold a move, or an object with one.
_KEYS = ("move", "action", "answer", "label", "choice", "play")
_WRAPPERS = ("arguments", "function", "input", "parameters", "args", "tool_calls", "tool_call", "content")

_MARKED = re.compile(
    r"<(?:move|action|answer)>(?P<tag>[^<]*)</(?:move|action|answer)>"
    r"|\\boxed\{(?P<boxed>[^{}]*)\}"
    r"|(?:^|[\s*_#>`])(?:final |my |chosen |best )*(?:move|action|answer)(?: is)?"
    r"\s*[*_`]*\s*[:=]\s*(?P<line>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
#: A sentence with a decision, such as "I will play e4"; conditions do not decide.
_DECISION = re.compile(
    r"(?<!if )(?<!when )(?<!should )(?<!could )\b(?:I|we|let us|let['\u2019]s)"
    r"(?:['\u2019]ll| will| shall)?\s+(?:now |therefore |thus |finally )*"
    r"(?:play|choose|pick|select|take|go with|go for|settle on|decide on)\b"
    r"(?:\s+\d{1,3}\.+(?=\s))?"
    r"(?P<move>(?:[^\n.;!?]|\.(?=\S|\s*[\d.]))+)",
    re.IGNORECASE,
)
#: The end of a decision; its reasons follow.
_REASONS = re.compile(
    r",\s|\s[(\u2013-]|\b(?:because|since|over|instead|rather|not|but|before|after|then|if)\b", re.I
)
_WORD = re.compile(r"[^\W_]+|@")
#: Quotes and signs around a move.
_AROUND = " \t\r\n`'\"*_.,;:!()[]{}<>#\u201c\u201d\u2018\u2019"


@dataclass(frozen=True)
class Reply:
    """A reply as a move, or the reason why it is none."""

    #: The legal action, or ``None``.
    action: int | None
    #: One sentence for a second try, or ``None``.
    reason: str | None
    #: The part of the reply that was read.
    read: str = ""

    def __bool__(self) -> bool:
        return self.action is not None


def read_move(game: Game, reply: str | Mapping[str, Any] | Sequence[Any]) -> Reply:
    """Finds the legal move in a reply.

    A reply is text or a tool call. In text, the last of these decides: a JSON object, or a mark (``Move: x``,
    ``<move>x</move>``, ``\\boxed{x}``). A text without them is the move itself, decides in a sentence
    (``I will play x``), or names exactly one legal move, in the text or in its last line.

    A move is a label (``CONQUER 12``), a sentence of the list of legal moves, another notation that
    :meth:`ludovec.Game.string_to_action` reads, or an object of :meth:`ludovec.Game.legal_moves`. Case,
    spaces and punctuation do not matter where the rest is clear.

    Args:
        game: The position; the current player answers.
        reply: Text, or a tool call as an object: ``{"name": ..., "arguments": ...}`` and its relatives.
    """
    if game.is_terminal:
        return Reply(None, "The game is over.")
    names = _Names(game)
    if not isinstance(reply, str):
        found = _first(_read_object(game, names, reply, 0))
        return found or Reply(None, _ask("The tool call has no move."))
    text = reply[-LONGEST:]
    marked = [*_objects(game, names, text), *_marks(game, names, text)]
    if marked:
        return max(marked, key=lambda pair: pair[0])[1]
    whole = text.strip(_AROUND)
    if not whole:
        return Reply(None, _ask("The reply is empty."))
    exact = _read_text(names, whole, strict=True)
    if exact:
        return exact
    prose = _read_prose(names, text)
    return _refusal(game, whole) if prose is None else prose


def _ask(problem: str) -> str:
    return f"{problem} Answer with one legal move, in the form: Move: ..."


class _Names:
    """The names of the legal actions as sequences of words; a name of two actions names neither."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.legal = set(game.legal_actions())

    @cached_property
    def exact(self) -> dict[tuple[str, ...], int | None]:
        game = self.game
        labels = [(_words(game.action_to_string(action)), action) for action in sorted(self.legal)]
        return _unique(
            labels + [(_words(game.action_in_words(action)), action) for action in sorted(self.legal)]
        )

    @cached_property
    def folded(self) -> dict[tuple[str, ...], int | None]:
        return _unique((_folded(name), action) for name, action in self.exact.items())

    @cached_property
    def longest(self) -> int:
        return max((len(name) for name in self.exact), default=0)

    def notation(self, text: str) -> int | None:
        """Reads the notations of the game itself."""
        if not 0 < len(text) <= 200:
            return None
        try:
            action = self.game.string_to_action(text)
        except LudovecError:
            return None
        return action if action in self.legal else None

    def of(self, text: str) -> int | None:
        """The action of a text that is nothing but a name."""
        words = _words(text)
        found = self.exact.get(words)
        return self.folded.get(_folded(words)) if found is None else found

    def mentioned(self, text: str) -> set[int]:
        """The actions that a text mentions, the longest name at each place."""
        words = _words(text)
        found = self._scan(words, self.exact)
        return found or self._scan(_folded(words), self.folded)

    def _scan(self, words: tuple[str, ...], names: dict[tuple[str, ...], int | None]) -> set[int]:
        found, at = set(), 0
        while at < len(words):
            for length in range(min(self.longest, len(words) - at), 0, -1):
                action = names.get(words[at : at + length])
                if action is not None:
                    found.add(action)
                    at += length - 1
                    break
            at += 1
        return found


def _unique(names: Iterable[tuple[tuple[str, ...], int | None]]) -> dict[tuple[str, ...], int | None]:
    """Names with their action, or ``None`` for a name of several."""
    found: dict[tuple[str, ...], int | None] = {}
    for name, action in names:
        if name:
            found[name] = action if found.get(name, action) == action else None
    return found


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


def _folded(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words)


def _read_text(names: _Names, text: str, *, strict: bool = False) -> Reply | None:
    """Reads a text that is a move; not strict: or begins with one, or mentions exactly one."""
    text = text.strip(_AROUND)
    action = names.notation(text)
    if action is None:
        action = names.of(text)
    if action is None and not strict:
        mentioned = names.mentioned(text)
        if len(mentioned) == 1:
            (action,) = mentioned
    return None if action is None else Reply(action, None, text)


def _marks(game: Game, names: _Names, text: str) -> Iterator[tuple[int, Reply]]:
    for mark in _MARKED.finditer(text):
        said = (mark["tag"] or mark["boxed"] or mark["line"] or "").strip(_AROUND)
        # The form of an answer, repeated.
        if said and said != "...":
            several = len(names.mentioned(said)) > 1
            refused = _several(names, said) if several else _refusal(game, said)
            yield mark.end(), _read_text(names, said) or refused


def _objects(game: Game, names: _Names, text: str) -> Iterator[tuple[int, Reply]]:
    """The JSON objects of a text that hold a move."""
    decoder, at, tries = json.JSONDecoder(), text.find("{"), 0
    while at >= 0 and tries < 1000:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = _first(_read_object(game, names, value, 0))
            if found is not None:
                yield end, found
        at = text.find("{", end)


def _first(found: Iterator[Reply]) -> Reply | None:
    """The first move, otherwise the first refusal."""
    replies = list(found)
    return next((reply for reply in replies if reply), replies[0] if replies else None)


def _read_object(game: Game, names: _Names, value: Any, depth: int) -> Iterator[Reply]:
    """Moves of a JSON value; objects in objects and JSON in strings are searched."""
    if depth > 8:
        return
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    if isinstance(value, Mapping):
        if "type" in value and value["type"] != "function":
            yield from _structured(game, names, value)
        for key in _KEYS:
            if key in value:
                yield from _read_value(game, names, value[key], depth)
        for key in _WRAPPERS:
            if key in value:
                yield from _read_object(game, names, value[key], depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for entry in value[-100:]:
            yield from _read_object(game, names, entry, depth + 1)


def _read_value(game: Game, names: _Names, value: Any, depth: int) -> Iterator[Reply]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        if value in names.legal:
            yield Reply(value, None, str(value))
        else:
            yield Reply(None, _ask(f"Action {shown(str(value), 40)} is not legal."), shown(str(value), 40))
    elif isinstance(value, str) and not value.lstrip().startswith("{"):
        yield _read_text(names, value) or _refusal(game, value)
    else:
        yield from _read_object(game, names, value, depth + 1)


def _structured(game: Game, names: _Names, value: Mapping[str, Any]) -> Iterator[Reply]:
    """An object of ``legal_moves()``."""
    try:
        action = game.move_to_action(value)
    except (LudovecError, TypeError, ValueError):
        # Objects with a ``type`` of their own are no moves, for example parts of a message.
        return
    text = shown(json.dumps(dict(value), default=str), 200)
    yield Reply(action, None, text) if action in names.legal else _refusal(game, text)


def _read_prose(names: _Names, text: str) -> Reply | None:
    """A text that decides for one legal move, or that mentions exactly one as a whole or in its last line."""
    decided = _decisions(names, text)
    # The last decision counts, even for an illegal move; two different legal ones are ambiguous.
    if decided and (not decided[-1] or len({reply.action for reply in decided if reply}) == 1):
        return decided[-1]
    mentioned = names.mentioned(text)
    if not mentioned:
        return None
    last = next(line for line in reversed(text.splitlines()) if line.strip())
    for part in (text, last):
        found = names.mentioned(part)
        if len(found) == 1:
            return Reply(found.pop(), None, shown(part, 200))
    return _several(names, text)


def _several(names: _Names, text: str) -> Reply:
    """A text that names several legal moves and decides for none."""
    mentioned = sorted(names.mentioned(text))
    some = ", ".join(names.game.action_to_string(action) for action in mentioned[:3])
    return Reply(None, _ask(f"The reply names {len(mentioned)} legal moves, for example {some}."), "")


def _decisions(names: _Names, text: str) -> list[Reply]:
    """The decisions of a text: one legal move each, or a refusal for a move that is not legal."""
    found: list[Reply] = []
    for decision in _DECISION.finditer(text):
        whole = decision["move"].strip(_AROUND)
        cut = _REASONS.split(whole)[0].strip(_AROUND)
        for part in (whole, cut):
            actions = names.mentioned(part)
            if len(actions) == 1:
                found.append(Reply(actions.pop(), None, shown(part, 200)))
                break
        else:
            # Moves have digits and few words; "I take 5 minutes to think" decides nothing.
            is_move = any(letter.isdigit() for letter in cut) and len(cut.split()) <= 3
            if is_move and not names.mentioned(whole):
                found.append(_refusal(names.game, cut))
    return found


def _refusal(game: Game, text: str) -> Reply:
    """A text that is no legal move, with the engine's reason if it has one."""
    said = shown(text.strip(_AROUND), 80)
    why = ""
    if 0 < len(text) <= 200:
        try:
            game.string_to_action(text.strip(_AROUND))
        except LudovecError as error:
            why = shown(str(error).partition(": ")[2], 200)
    return Reply(
        None, _ask(f"{said!r} is not a legal move{': ' + why if why else ''}.".replace("..", ".")), said
    )

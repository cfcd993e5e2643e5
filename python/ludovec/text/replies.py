"""Reads a move from the reply of a language model: prose, JSON or a tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._core import LudovecError
from .._shared.errors import shown
from ..game import Game
from .chess_words import ChessWords

#: Version of the rules below: results of other versions are not comparable.
READER_VERSION = 2
#: Longest reply that is read: its end, because answers come last.
LONGEST = 100_000
#: Keys of JSON objects that hold a move, or an object with one.
_KEYS = ("move", "action", "answer", "label", "choice", "play")
_WRAPPERS = ("arguments", "function", "input", "parameters", "args", "tool_calls", "tool_call", "content")

#: Words that may come before a decision or a mark.
_SO = r"(?:(?:so|therefore|thus|hence|ok|okay|well|finally|now|but|instead|in the end),?\s+)*"
#: A mark at the start of a line or a sentence, with the rest of its line.
_MARKED = re.compile(
    r"<(?:move|action|answer)>(?P<tag>[^<]*)</(?:move|action|answer)>"
    r"|\\boxed\{(?P<boxed>[^{}]*)\}"
    rf"|(?:^|[.!?:;)}}\]]\s)[ \t*_#>`-]{{0,20}}{_SO}(?:the |my |final |chosen |best |next )*"
    r"(?:move|action|answer)(?: is)?\s{0,20}[*_`]{0,4}\s{0,20}[:=]\s*(?P<line>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
#: A sentence with a decision, such as "I will play e4"; conditions do not decide.
_DECISION = re.compile(
    rf"(?:^|[.!?:;)]\s|,\s+(?=but|so|therefore|thus))[ \t*_#>`\"]{{0,20}}{_SO}"
    r"(?:I|we|let us|let['\u2019]s)(?:['\u2019]ll| will| shall)?\s+(?:now |therefore |thus |finally )*"
    r"(?:play|choose|pick|select|take|go with|go for|settle on|decide on)\b",
    re.IGNORECASE | re.MULTILINE,
)
#: The end of a decision; its reasons follow.
_REASONS = re.compile(
    r"\n|[,;!?]\s|(?<!\s\d)(?<!\s\d\d)\.(?:\s+\D|\s*$)|\s[(\u2013-]"
    r"|\b(?:(?:and )?not|instead|rather|over|because)\b",
    re.I,
)
#: Words after a name that begin a reason or end a sentence; any other word changes or questions the name.
_REASON = re.compile(
    r"(?:and|as|because|before|after|by|for|from here|given|here|in order|in this|instead of|"
    r"is (?:my|the) (?:best|choice|final|move)|it is|now|over|rather than|since|so|that|then|to|when|which|"
    r"while|with)\b",
    re.IGNORECASE,
)
#: A second thought after a move.
_SECOND_THOUGHT = re.compile(r"(?:[.;!,\u2013-]\s*|\n\s*)(?:no|wait|actually|sorry|instead)\b(?! of)", re.I)
#: Separators of two alternatives.
_BETWEEN = re.compile(
    r"(?:[\s,;/&|*_`'\"()\[\]\u2013\u2014-]|\b(?:or|and|not|nor|maybe|perhaps|alternatively)\b)*", re.I
)
#: The number of a move or of a point of a list.
_NUMBER = re.compile(r"\d{1,3}(?:\.+|\))\s*(?=[^\W\d])")
#: The ends of sentences; the number of a move ends none.
_SENTENCES = re.compile(r"\n|(?<=[.!?;])(?<!\d\.)\s+")
#: A reply to a move in a line of chess.
_LINE = re.compile(r"(?:\d+\.|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|O-O)")
#: Words, and signs that change the meaning of a name; other signs are left out.
_WORD = re.compile(r"[^\W_]+|[^\w\s`'\"*.,;:!()\[\]{}<>#_+=/\u2013\u2014\u201c\u201d\u2018\u2019-]")
#: Quotes and signs around a move.
_AROUND = " \t\r\n`'\"*_.,;:!()[]{}<>#\u201c\u201d\u2018\u2019"
#: Quotes and brackets that close after a name.
_CLOSERS = "`'\"*_)]}>\u201d\u2019"


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
    ``<move>x</move>``, ``\\boxed{x}``). A text without them decides in a sentence (``I will play x``), or
    is or begins with a move, as a whole or in its last sentence.

    A move is a label (``CONQUER 12``), a sentence of the list of legal moves, another notation that
    :meth:`ludovec.Game.string_to_action` reads, or an object of :meth:`ludovec.Game.legal_moves`. In chess it
    may be in long notation or in words: ``Ng1-f3``, ``knight to f3``, ``e8(Q)``. Case, spaces and punctuation
    do not matter where the rest is clear. A reason may follow a move. A reply that is not clearly one legal
    move is none: other moves beside it, questions, conditions, negations.

    Args:
        game: The position; the current player answers.
        reply: Text, or a tool call as an object: ``{"name": ..., "arguments": ...}`` and its relatives.
    """
    if game.is_terminal:
        return Reply(None, "The game is over.")
    names = _Names(game)
    if not isinstance(reply, str):
        found = _only(names, _read_object(game, names, reply, 0))
        return found or Reply(None, _ask("The tool call has no move."))
    text = names.plain(reply[-LONGEST:])
    marked = [*_objects(game, names, text), *_marks(names, text)]
    if marked:
        return max(marked, key=lambda pair: pair[0])[1]
    if not text.strip(_AROUND):
        return Reply(None, _ask("The reply is empty."))
    return _read_prose(names, text)


def _ask(problem: str) -> str:
    return f"{problem} Answer with one legal move, in the form: Move: ..."


class _Names:
    """The names of the legal actions as sequences of words; a name of two actions names neither."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.legal = set(game.legal_actions())
        self.chess = ChessWords(game) if game.spec.env == "chess" else None

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

    def plain(self, text: str) -> str:
        """The text with letters instead of signs of pieces."""
        return text if self.chess is None else self.chess.plain(text)

    def of(self, text: str) -> int | None:
        """The action of a text that is nothing but a name: exactly, or by readings that agree."""
        words = _words(text)
        found = self.exact.get(words)
        if found is None and words and "?" not in text:
            found = self._notation(text)
        if found is not None:
            return found
        readings = {self.folded.get(_folded(words))}
        if self.chess is not None:
            readings.add(self.chess.read(text))
        readings.discard(None)
        return readings.pop() if len(readings) == 1 else None

    def _notation(self, text: str) -> int | None:
        """Reads the notations of the game itself; an action may be illegal."""
        if not 0 < len(text) <= 200:
            return None
        try:
            return self.game.string_to_action(text)
        except LudovecError:
            return None

    def start(self, text: str) -> tuple[int, str] | None:
        """The action that a text begins with, the longest name, and the rest of the text."""
        text = text[:1000].lstrip(_AROUND)
        if number := _NUMBER.match(text):
            text = text[number.end() :]
        ends = [word.end() for word in _WORD.finditer(text)]
        for end in reversed(ends[: max(self.longest, 8)]):
            # A bracket belongs to a promotion, as in e8(Q).
            for piece in (text[: end + 1], text[:end]) if text[end : end + 1] == ")" else (text[:end],):
                action = self.of(piece)
                if action is not None:
                    return action, text[len(piece) :]
        return None

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


def _read_text(names: _Names, text: str) -> Reply:
    """Reads a text that is a move, or begins with one."""
    text = text.strip(_AROUND)
    action = names.of(text)
    if action is None:
        begun = names.start(text)
        if begun is not None and (begun[0] not in names.legal or _is_clear(names, *begun)):
            action = begun[0]
    if action is not None and action in names.legal:
        return Reply(action, None, shown(text, 200))
    return _several(names, text) if len(names.mentioned(text)) > 1 else _refusal(names.game, text)


def _is_clear(names: _Names, action: int, rest: str) -> bool:
    """Whether a name ends here, and the rest neither changes it nor offers another move."""
    rest = rest.lstrip("+#!").lstrip(_CLOSERS)
    if not rest.strip(_AROUND):
        return True
    first, after = rest[0], rest[1:2]
    if first in ",.;:" and not after.isalnum():
        is_end = True
    elif first in "(\u2013\u2014":
        is_end = True
    else:
        following = rest.lstrip()
        is_end = first.isspace() and (
            "\n" in rest[: len(rest) - len(following)]
            or following[0] in "(-\u2013\u2014,.;:"
            or _REASON.match(following) is not None
            or (names.chess is not None and _LINE.match(following) is not None)
        )
    if not is_end or (_SECOND_THOUGHT.search(rest) and names.mentioned(rest) - {action}):
        return False
    between = _BETWEEN.match(rest)
    other = names.start(rest[between.end() :] if between else rest)
    return other is None or other[0] == action or other[0] not in names.legal


def _marks(names: _Names, text: str) -> Iterator[tuple[int, Reply]]:
    for mark in _MARKED.finditer(text):
        said = (mark["tag"] or mark["boxed"] or mark["line"] or "").strip(_AROUND)
        # The form of an answer, repeated.
        if said and said != "...":
            yield mark.end(), _read_text(names, said)


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
            found = _only(names, _read_object(game, names, value, 0))
            if found is not None:
                yield end, found
        at = text.find("{", end)


def _only(names: _Names, found: Iterator[Reply]) -> Reply | None:
    """The one move of an object; a refusal if one of its moves is illegal, or if they differ."""
    replies = list(found)
    actions = {reply.action for reply in replies}
    if len(actions - {None}) > 1:
        return _several(names, ", ".join(reply.read for reply in replies))
    return next((reply for reply in replies if not reply), replies[0] if replies else None)


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
        found: list[Reply] = []
        if "type" in value and value["type"] != "function":
            found = list(_structured(game, names, value))
        for key in _KEYS:
            # The first key decides: another one may have the name of a tool.
            if not found and key in value:
                found = list(_read_value(game, names, value[key], depth))
        yield from found
        for key in _WRAPPERS:
            if not found and key in value:
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
        yield _read_text(names, names.plain(value))
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


def _read_prose(names: _Names, text: str) -> Reply:
    """A text that is a move, decides for one, or begins with one, as a whole or in its last sentence."""
    whole = text.strip(_AROUND)
    action = names.of(whole)
    if action is not None and action in names.legal:
        return Reply(action, None, shown(whole, 200))
    decided = _decisions(names, text)
    if decided:
        # The last decision counts, even for an illegal move; two different legal ones are ambiguous.
        several = len({reply.action for reply in decided if reply}) > 1
        return _several(names, text) if decided[-1] and several else decided[-1]
    last = [part for part in _SENTENCES.split(text) if part.strip(_AROUND)][-1]
    found = [_read_text(names, part) for part in (whole, last)]
    actions = {reply.action for reply in found if reply}
    if len(actions) == 1:
        return next(reply for reply in found if reply)
    return _several(names, text) if len(names.mentioned(text)) > 1 else _refusal(names.game, whole)


def _several(names: _Names, text: str) -> Reply:
    """A text that names several legal moves and decides for none."""
    mentioned = sorted(names.mentioned(text))
    some = ", ".join(names.game.action_to_string(action) for action in mentioned[:3])
    return Reply(None, _ask(f"The reply names {len(mentioned)} legal moves, for example {some}."), "")


def _decisions(names: _Names, text: str) -> list[Reply]:
    """The decisions of a text: one legal move each, or a refusal for a move that is not legal."""
    found: list[Reply] = []
    at = 0
    while decision := _DECISION.search(text, at):
        cut = _REASONS.search(text, decision.end())
        # The next sentence may decide, too.
        at = cut.start() if cut else len(text)
        short = text[decision.end() : at]
        if text[at : at + 1] == "?":
            continue
        reply = _read_text(names, short)
        if reply:
            found.append(reply)
            continue
        # Moves have digits and few words; "I take 5 minutes to think" decides nothing.
        short = short.strip(_AROUND)
        if any(letter.isdigit() for letter in short) and len(short.split()) <= 3:
            found.append(reply)
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

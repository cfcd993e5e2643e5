"""Star Wars Risk in the original's terms: agents, the games between them, the board as data.

>>> from ludovec.starwars_risk import AttackAgent, HeadlessAgentGame, RandomAgent, testAgents
>>> class Saber(RandomAgent):
...     def pickAction(self, game, actions):
...         sabers = [action for action in actions if ("lightsaber",) in action]
...         return sabers[0] if sabers else super().pickAction(game, actions)
>>> hag = HeadlessAgentGame(Saber(), AttackAgent())
>>> nturns = hag.play()
>>> print("Winner was %s!" % hag.winner)
>>> winners, medianTurns = testAgents(Saber(), AttackAgent(), ntests=100)

An agent is shown a :class:`State`, cards and plays. A card is the tuple of its icons; a play is a list of
sub-actions, tuples whose first element says what they do:

======================================  ===================================================================
``("move", a, ships, b)``               ships, a :class:`ShipCounter`, go from space ``a`` to ``b``
``("spawn", a)``                        4 TIE fighters appear where the Executor is
``("attack", ships, a)``                those ships attack space ``a``
``("attack_deathstar", ships)``         those ships attack the Death Star
``("fire_deathstar", a)``               the Death Star fires at space ``a``
``("lightsaber",)``, ``("lightning",)``  in the throne room: a roll, 2 hits
``("hat",)``                            ends it
``("stormtroopers",)``, ``("shield",)``  3 stormtroopers onto the shield run, a roll for it
======================================  ===================================================================

The empty list is playing none of the icons.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from . import _arguments, _core
from ._errors import config_error, illegal_action
from .game import Game
from .spec import spec

#: A card's icons: ``("move_tie", "stormtroopers")``.
Card: TypeAlias = "tuple[str, ...]"
#: A way to play a card: its sub-actions.
Play: TypeAlias = "list[tuple[Any, ...]]"

_VALUES = spec("starwars_risk").values

SIDES = _VALUES["side"]
"""By seat."""
SHIPS = _VALUES["ship"]
"""By number."""
ICONS = _VALUES["icon"]
"""By number."""
PHASES = _VALUES["phase"]
"""By number."""
SPACES = _VALUES["space"]
"""By number, with the ring that each is in."""
REBEL_CARDS, EMPIRE_CARDS = _VALUES["rebel_card"], _VALUES["empire_card"]
"""The cards of each deck by number; ``"none"`` past the last."""


class ShipCounter(NamedTuple):
    """How many ships of each kind there are; of the Falcon and the Executor, how many hit points."""

    xwing: int = 0
    ywing: int = 0
    bwing: int = 0
    falcon: int = 0
    tie: int = 0
    executor: int = 0


_board, _decks = (json.loads(text) for text in _core.starwars_risk_board())

BOARD: list[tuple[int, ...]] = [tuple(space["neighbours"]) for space in _board["spaces"]]
"""By space, the spaces it is connected to. The first six are the motherships."""

RINGS: list[str] = [space["ring"] for space in _board["spaces"]]
"""By space: ``"mothership"``, ``"outer"``, ``"middle"`` or ``"inner"``."""

START: list[ShipCounter] = [ShipCounter(**space["ships"]) for space in _board["spaces"]]
"""By space, the ships that a game starts with."""

SHIELD_ROLLS: list[int] = _board["shield_run"]
"""The value of every space of the shield run."""

REBEL_CARDS, IMPERIAL_CARDS = (
    [tuple(card["icons"]) for card in _decks[side] for _ in range(card["copies"])] for side in SIDES
)
"""The 30 cards of each deck."""


@dataclass(frozen=True)
class State:
    """What a side sees of a game, its own hand and order stack included."""

    side: str
    """Whose view it is."""
    winner: str | None
    round: int
    board: tuple[ShipCounter, ...]
    """By space."""
    survivingMotherships: tuple[int, ...]
    """Those that the Death Star has not destroyed."""
    shieldRolls: tuple[int, ...]
    """What is left of the shield run, without what stormtroopers add."""
    stormtroopers: tuple[bool, ...]
    """Which of those spaces have a stormtrooper."""
    lightsaberPosition: dict[str, int]
    """The counters of the throne room, by side; the rebels' starts at 12."""
    hand: tuple[Card, ...]
    """Cards in hand."""
    down: tuple[Card, ...]
    """Cards on the order stack that are known, the next one first."""
    card: Card | None
    """The card that is turned."""

    @property
    def has_won(self) -> bool:
        """Whether somebody has won."""
        return self.winner is not None

    def shipCount(self) -> ShipCounter:
        """All ships on the board."""
        return ShipCounter(*map(sum, zip(*self.board)))

    @classmethod
    def of(cls, game: Game, player: int) -> State:
        """What a seat sees of a game of the environment ``starwars_risk``."""
        seen = game.observation_object(player)
        run, covered = seen["shield"], seen["stormtroopers"]
        left = SHIELD_ROLLS[run:]
        return cls(
            side=SIDES[player],
            winner=seen["outcome"] if seen["outcome"] in SIDES else None,
            round=seen["round"],
            board=tuple(ShipCounter(**ships) for ships in seen["spaces"]),
            survivingMotherships=tuple(seen["motherships"]),
            shieldRolls=tuple(left),
            stormtroopers=tuple(place < covered for place in range(len(left))),
            lightsaberPosition=dict(seen["throne"]),
            hand=tuple(_card(name) for name, copies in seen["hand"].items() for _ in range(copies)),
            down=tuple(map(_card, seen["stack"])),
            card=None if seen["card"] is None else _card(seen["card"]),
        )


class Agent(Protocol):
    """What plays a side. Whoever derives from :class:`RandomAgent` needs to write only what differs."""

    def newGame(self) -> None:
        """A new game begins."""

    def pickDownCards(self, game: State, hand: list[Card]) -> Sequence[Card]:
        """Three cards of the hand; the last one is played first."""
        ...

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """One of the ways to play the card that was turned."""
        ...

    def feedback(self, startState: State, card: Card, action: Play, endState: State, bonusCards: int) -> None:
        """How a play went: before and after it, and how many bonus cards it brought."""

    def roundFeedback(
        self, startState: State, hand: list[Card], chosenCards: Sequence[Card], endState: State
    ) -> None:
        """How a round went: when its cards were chosen, and when all of them had been played."""


class RandomAgent:
    """Plays at random. Which ship a die destroys is left to chance, too, as with every agent."""

    def newGame(self) -> None:
        """Nothing to prepare."""

    def pickDownCards(self, game: State, hand: list[Card]) -> Sequence[Card]:
        """The first three."""
        return hand[:3]

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """Any play."""
        return random.choice(actions)

    def feedback(self, startState: State, card: Card, action: Play, endState: State, bonusCards: int) -> None:
        """Learns nothing."""

    def roundFeedback(
        self, startState: State, hand: list[Card], chosenCards: Sequence[Card], endState: State
    ) -> None:
        """Learns nothing."""


class AttackAgent(RandomAgent):
    """Attacks where it can."""

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """A play with an attack, else any play."""
        return random.choice(_with("attack", actions) or actions)


class ShieldAgent(RandomAgent):
    """Makes for the shield generator, then for the Death Star."""

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """The shield run, else an attack on the Death Star, else any attack, else any play."""
        for kind in ("shield", "attack_deathstar", "attack"):
            if wanted := _with(kind, actions):
                return random.choice(wanted)
        return random.choice(actions)


def _with(kind: str, actions: list[Play]) -> list[Play]:
    return [action for action in actions if any(part[0] == kind for part in action)]


class HeadlessAgentGame:
    """Games between two agents.

    Args:
        rebelAgent, empireAgent: Who plays the sides.
        seed: Of the first game's cards and dice; each game that is played after it has the next one. ``None``
            draws one. What agents draw from Python's :mod:`random` is theirs.
        options: Of the environment: ``max_rounds``.
    """

    def __init__(
        self, rebelAgent: Agent, empireAgent: Agent, seed: int | None = None, **options: Any
    ) -> None:
        for agent in (rebelAgent, empireAgent):
            missing = [name for name in vars(RandomAgent) if name[0] != "_" and not hasattr(agent, name)]
            if missing:
                raise config_error(f"agent {agent!r:.100}: it has no {', '.join(missing)}")
        self.agents: tuple[Agent, Agent] = (rebelAgent, empireAgent)
        #: ``"rebel"`` or ``"empire"``; None before a game has ended, and when it came to no end in the rounds
        #: it had.
        self.winner: str | None = None
        #: Cards turned in the game.
        self.num_turns = 0
        self._seed = _arguments.seed(seed)
        self._options = options
        self.game: Game | None = None

    def play(self) -> int:
        """Plays a game and returns how many cards were turned.

        Raises:
            IllegalAction: An agent chose what it was not offered; says what.
        """
        game = self.game = Game("starwars_risk", self._seed, **self._options)
        self._seed = (self._seed + 1) % 2**64
        self.winner, self.num_turns = None, 0
        for agent in self.agents:
            agent.newGame()
        rounds: dict[int, tuple[State, list[Card], Sequence[Card]]] = {}
        while not game.is_terminal:
            player = game.current_player
            if _phase(game) == "order":
                if len(rounds) == 2:
                    self._end_round(rounds)
                rounds[player] = self._choose_cards(player)
            else:
                self._play_card(player)
        self._end_round(rounds)
        self.winner = State.of(game, 0).winner
        self.num_turns = game.observation_object(0)["turns"]
        return self.num_turns

    def _choose_cards(self, player: int) -> tuple[State, list[Card], Sequence[Card]]:
        game = _some(self.game)
        state = State.of(game, player)
        hand = list(state.hand)
        chosen = self.agents[player].pickDownCards(state, list(hand))
        if not isinstance(chosen, Sequence):
            raise illegal_action(f"{chosen!r:.100}: three cards of the hand are needed")
        left = list(hand)
        for card in chosen:
            if card not in left:
                raise illegal_action(f"card {card!r:.100}: the hand has {', '.join(map(str, left))}")
            left.remove(card)
        if len(chosen) != 3:
            raise illegal_action(f"{len(chosen)} cards were chosen, 3 are needed")
        for card in chosen:
            game.submit(player, {"type": "order", "card": "+".join(card)})
        return state, hand, chosen

    def _play_card(self, player: int) -> None:
        game = _some(self.game)
        agent, start = self.agents[player], State.of(game, player)
        plays = game.compound_actions()
        actions = [[_sub_action(part) for part in parts] for parts, _ in plays]
        action = agent.pickAction(start, list(actions))
        if action not in actions:
            raise illegal_action(f"{action!r:.200} is none of the {len(actions)} plays of {start.card}")
        first, waiting = game.steps, _to_come(game, player)
        game.step_all(plays[actions.index(action)][1])
        while not game.is_terminal and _phase(game) == "hit":
            game.step(game.bot_action("plays"))
        turned = [_turned(game, step).count(player) for step in range(first, game.steps)]
        bonus = _to_come(game, player) + sum(turned) - waiting
        agent.feedback(start, start.card or (), action, State.of(game, player), bonus)

    def _end_round(self, rounds: dict[int, tuple[State, list[Card], Sequence[Card]]]) -> None:
        for player, (start, hand, chosen) in rounds.items():
            self.agents[player].roundFeedback(start, hand, chosen, State.of(_some(self.game), player))
        rounds.clear()


def test_agents(
    rebelAgent: Agent, empireAgent: Agent, ntests: int = 100, seed: int | None = None, **options: Any
) -> tuple[dict[str, int], float]:
    """Plays games between two agents.

    Args:
        rebelAgent, empireAgent, seed, options: As for :class:`HeadlessAgentGame`.
        ntests: How many games.

    Returns:
        How many games each side won, ``{"rebel": ..., "empire": ...}``, and the median of the cards turned in
        a game.
    """
    games = HeadlessAgentGame(rebelAgent, empireAgent, seed, **options)
    winners: dict[str, int] = dict.fromkeys(SIDES, 0)
    turns = []
    for _ in range(_arguments.positive("ntests", ntests)):
        turns.append(games.play())
        if games.winner is not None:
            winners[games.winner] += 1
    return winners, statistics.median(turns)


testAgents = test_agents
"""The original's name for :func:`test_agents`."""
setattr(test_agents, "__test__", False)  # noqa: B010  (it is no test of pytest's)


def _card(name: str) -> Card:
    return tuple(name.split("+"))


def _sub_action(part: list[Any]) -> tuple[Any, ...]:
    return tuple(ShipCounter(**value) if isinstance(value, dict) else value for value in part)


def _phase(game: Game) -> str:
    phase: str = game.observation_object()["phase"]
    return phase


def _to_come(game: Game, player: int) -> int:
    """How many cards lie on a seat's order stack and under it."""
    own = game.observation_object(player)["own"]
    waiting: int = own["ordered"] + own["bonus"]
    return waiting


def _turned(game: Game, step: int) -> list[int]:
    """The seats that turned a card in a step, one entry a card."""
    said = (game._core.describe(step) or "").split("; ")
    names = list(enumerate(game.names))
    return [seat for part in said for seat, name in names if part.startswith(f"{name} turns: ")]


def _some(game: Game | None) -> Game:
    assert game is not None
    return game

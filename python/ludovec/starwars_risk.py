"""Star Wars Risk in the original's terms: agents, the games between them, the board as data.

>>> from ludovec.starwars_risk import AttackAgent, RandomAgent
>>> from ludovec.starwars_risk import HeadlessAgentGame, testAgents
>>> class Saber(RandomAgent):
...     def pickAction(self, game, actions):
...         sabers = [action for action in actions if ("lightsaber",) in action]
...         return sabers[0] if sabers else super().pickAction(game, actions)
>>> hag = HeadlessAgentGame(Saber(), AttackAgent())
>>> nturns = hag.play()
>>> print("Winner was %s!" % hag.winner)
>>> winners, medianTurns = testAgents(Saber(), AttackAgent(), ntests=100)

Agents get a :class:`State`, cards and plays. A card is the tuple of its icons. A play is a list of
sub-actions, tuples with their kind as the first element:

======================================  ===================================================================
``("move", a, ships, b)``               ships, a :class:`ShipCounter`, go from space ``a`` to ``b``
``("spawn", a)``                        4 TIE fighters appear in the space of the Executor
``("attack", ships, a)``                these ships attack space ``a``
``("attack_deathstar", ships)``         these ships attack the Death Star
``("fire_deathstar", a)``               the Death Star fires at space ``a``
``("lightsaber",)``, ``("lightning",)``  in the throne room: a roll, 2 hits
``("hat",)``                            ends it
``("stormtroopers",)``, ``("shield",)``  3 stormtroopers onto the shield run, a roll for it
======================================  ===================================================================

The empty list plays none of the icons.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from . import _core
from ._shared import checks
from ._shared.errors import config_error, illegal_action
from .game import Game
from .spec import spec

#: Icons of a card: ``("move_tie", "stormtroopers")``.
Card: TypeAlias = "tuple[str, ...]"
#: A way to play a card: its sub-actions.
Play: TypeAlias = "list[tuple[Any, ...]]"

_VALUES = spec("starwars_risk").values

SIDES = _VALUES["side"]
"""The sides, by seat."""
SHIPS = _VALUES["ship"]
"""By number."""
ICONS = _VALUES["icon"]
"""By number."""
PHASES = _VALUES["phase"]
"""By number."""
SPACES = _VALUES["space"]
"""By number, with the ring of each."""


class ShipCounter(NamedTuple):
    """Number of ships of each kind; for the Falcon and the Executor, hit points."""

    xwing: int = 0
    ywing: int = 0
    bwing: int = 0
    falcon: int = 0
    tie: int = 0
    executor: int = 0


_board, _decks = (json.loads(text) for text in _core.starwars_risk_board())

BOARD: list[tuple[int, ...]] = [tuple(space["neighbours"]) for space in _board["spaces"]]
"""Adjacent spaces, by space. The first six are the motherships."""

RINGS: list[str] = [space["ring"] for space in _board["spaces"]]
"""Ring of each space: ``"mothership"``, ``"outer"``, ``"middle"`` or ``"inner"``."""

START: list[ShipCounter] = [ShipCounter(**space["ships"]) for space in _board["spaces"]]
"""Ships at the start, by space."""

SHIELD_ROLLS: list[int] = _board["shield_run"]
"""Value of every space of the shield run."""

REBEL_CARDS, IMPERIAL_CARDS = (
    [tuple(card["icons"]) for card in _decks[side] for _ in range(card["copies"])] for side in SIDES
)
"""The 30 cards of each deck."""


@dataclass(frozen=True)
class State:
    """The observation of one side, including its own hand and order stack."""

    side: str
    """The observing side."""
    winner: str | None
    round: int
    board: tuple[ShipCounter, ...]
    """Ships by space."""
    survivingMotherships: tuple[int, ...]
    """The motherships that the Death Star has not destroyed."""
    shieldRolls: tuple[int, ...]
    """Remaining values of the shield run, without the stormtroopers' additions."""
    stormtroopers: tuple[bool, ...]
    """Flags by space of the shield run: it has a stormtrooper."""
    lightsaberPosition: dict[str, int]
    """The counters of the throne room, by side; the rebels' starts at 12."""
    hand: tuple[Card, ...]
    """Cards in hand."""
    down: tuple[Card, ...]
    """Known cards on the order stack, the next one first."""
    card: Card | None
    """The turned card."""

    @property
    def has_won(self) -> bool:
        """True if the game has a winner."""
        return self.winner is not None

    def shipCount(self) -> ShipCounter:
        """All ships on the board."""
        return ShipCounter(*map(sum, zip(*self.board)))

    @classmethod
    def of(cls, game: Game, player: int) -> State:
        """The observation of a player in a game of the environment ``starwars_risk``."""
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
    """A player of one side. Derive from :class:`RandomAgent` to override only some methods."""

    def newGame(self) -> None:
        """Called when a new game begins."""

    def pickDownCards(self, game: State, hand: list[Card]) -> Sequence[Card]:
        """Chooses three cards of the hand; the last one is played first."""
        ...

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """Chooses one of the plays of the turned card."""
        ...

    def feedback(self, startState: State, card: Card, action: Play, endState: State, bonusCards: int) -> None:
        """Called after a play, with the states before and after it and the number of bonus cards."""

    def roundFeedback(
        self, startState: State, hand: list[Card], chosenCards: Sequence[Card], endState: State
    ) -> None:
        """Called after a round, with the state when cards were chosen and the state after the last card."""


class RandomAgent:
    """Plays at random. The ship that a die destroys is chosen at random too, for every agent."""

    def newGame(self) -> None:
        """Does nothing."""

    def pickDownCards(self, game: State, hand: list[Card]) -> Sequence[Card]:
        """Chooses the first three cards."""
        return hand[:3]

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """Chooses a play uniformly."""
        return random.choice(actions)

    def feedback(self, startState: State, card: Card, action: Play, endState: State, bonusCards: int) -> None:
        """Does nothing."""

    def roundFeedback(
        self, startState: State, hand: list[Card], chosenCards: Sequence[Card], endState: State
    ) -> None:
        """Does nothing."""


class AttackAgent(RandomAgent):
    """Attacks if it can."""

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """Chooses a play with an attack, otherwise any play."""
        return random.choice(_with("attack", actions) or actions)


class ShieldAgent(RandomAgent):
    """Runs for the shield generator, then attacks the Death Star."""

    def pickAction(self, game: State, actions: list[Play]) -> Play:
        """Chooses in this order: the shield run, an attack on the Death Star, any attack, any play."""
        for kind in ("shield", "attack_deathstar", "attack"):
            if wanted := _with(kind, actions):
                return random.choice(wanted)
        return random.choice(actions)


def _with(kind: str, actions: list[Play]) -> list[Play]:
    return [action for action in actions if any(part[0] == kind for part in action)]


class HeadlessAgentGame:
    """Games between two agents.

    Args:
        rebelAgent, empireAgent: The agents of the two sides.
        seed: Seed of cards and dice of the first game; each further game adds 1. ``None`` draws a seed.
            Agents that use Python's :mod:`random` seed it themselves.
        options: Options of the environment: ``max_rounds``.
    """

    def __init__(
        self, rebelAgent: Agent, empireAgent: Agent, seed: int | None = None, **options: Any
    ) -> None:
        for agent in (rebelAgent, empireAgent):
            missing = [name for name in vars(RandomAgent) if name[0] != "_" and not hasattr(agent, name)]
            if missing:
                raise config_error(f"agent {agent!r:.100}: it has no {', '.join(missing)}")
        self.agents: tuple[Agent, Agent] = (rebelAgent, empireAgent)
        #: ``"rebel"`` or ``"empire"``; None before the end of a game, and after a game without a result in
        #: the round limit.
        self.winner: str | None = None
        #: Number of cards turned in the game.
        self.num_turns = 0
        self._seed = checks.seed(seed)
        self._options = options
        self.game: Game | None = None

    def play(self) -> int:
        """Plays a game and returns the number of turned cards.

        Raises:
            IllegalAction: An agent made an invalid choice; the message names it.
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
            raise illegal_action(f"{chosen!r:.100}: a list of 3 cards of the hand is needed")
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
            raise illegal_action(f"{action!r:.200} is not one of the {len(actions)} plays of {start.card}")
        first, waiting = game.steps, _cards_left(game, player)
        game.step_all(plays[actions.index(action)][1])
        while not game.is_terminal and _phase(game) == "hit":
            game.step(game.bot_action("plays"))
        turned = [_turned(game, step).count(player) for step in range(first, game.steps)]
        bonus = _cards_left(game, player) + sum(turned) - waiting
        agent.feedback(start, start.card or (), action, State.of(game, player), bonus)

    def _end_round(self, rounds: dict[int, tuple[State, list[Card], Sequence[Card]]]) -> None:
        for player, (start, hand, chosen) in rounds.items():
            self.agents[player].roundFeedback(start, hand, chosen, State.of(_some(self.game), player))
        rounds.clear()


def test_agents(
    rebelAgent: Agent, empireAgent: Agent, ntests: int = 100, seed: int | None = None, **options: Any
) -> tuple[dict[str, int], float]:
    """Plays several games between two agents.

    Args:
        rebelAgent, empireAgent, seed, options: As for :class:`HeadlessAgentGame`.
        ntests: Number of games.

    Returns:
        Number of wins of each side, ``{"rebel": ..., "empire": ...}``, and the median number of turned cards
        per game.
    """
    games = HeadlessAgentGame(rebelAgent, empireAgent, seed, **options)
    winners: dict[str, int] = dict.fromkeys(SIDES, 0)
    turns = []
    for _ in range(checks.positive("ntests", ntests)):
        turns.append(games.play())
        if games.winner is not None:
            winners[games.winner] += 1
    return winners, statistics.median(turns)


testAgents = test_agents
"""The original's name for :func:`test_agents`."""
setattr(test_agents, "__test__", False)  # noqa: B010  (pytest must not collect it)


def _card(name: str) -> Card:
    return tuple(name.split("+"))


def _sub_action(part: list[Any]) -> tuple[Any, ...]:
    return tuple(ShipCounter(**value) if isinstance(value, dict) else value for value in part)


def _phase(game: Game) -> str:
    phase: str = game.observation_object()["phase"]
    return phase


def _cards_left(game: Game, player: int) -> int:
    """Number of cards on a player's order stack and under it."""
    own = game.observation_object(player)["own"]
    waiting: int = own["ordered"] + own["bonus"]
    return waiting


def _turned(game: Game, step: int) -> list[int]:
    """The players that turned a card in a step, one entry per card."""
    said = (game._core.describe(step) or "").split("; ")
    names = list(enumerate(game.names))
    return [seat for part in said for seat, name in names if part.startswith(f"{name} turns: ")]


def _some(game: Game | None) -> Game:
    assert game is not None
    return game

"""Star Wars Risk in the original's terms: the examples of its documentation."""

import random

import ludovec
import pytest
from ludovec import starwars_risk
from ludovec.starwars_risk import (
    BOARD,
    AttackAgent,
    HeadlessAgentGame,
    ShieldAgent,
    ShipCounter,
    State,
    testAgents,
)

KINDS = {
    "move": (int, ShipCounter, int),
    "spawn": (int,),
    "attack": (ShipCounter, int),
    "attack_deathstar": (ShipCounter,),
    "fire_deathstar": (int,),
    "lightsaber": (),
    "lightning": (),
    "hat": (),
    "stormtroopers": (),
    "shield": (),
}


class RandomAgent:
    # Verbatim from the original document.
    def __init__(self):
        pass

    def newGame(self):
        pass

    def pickDownCards(self, game, hand):
        return [hand[0], hand[1], hand[2]]

    def pickAction(self, game, actions):
        return random.choice(actions)

    def feedback(self, startState, card, action, endState, bonusCards):
        pass

    def roundFeedback(self, startState, hand, chosenCards, endState):
        pass


def test_the_original_agent_plays_games(capsys):
    rebelAgent, empireAgent = RandomAgent(), AttackAgent()
    hag = HeadlessAgentGame(rebelAgent, empireAgent)
    nturns = hag.play()
    print("Winner was %s!" % hag.winner)  # noqa: UP031
    assert nturns > 0 and capsys.readouterr().out.startswith("Winner was ")
    winners, medianTurns = testAgents(rebelAgent, empireAgent, ntests=4, seed=0)
    assert set(winners) == {"rebel", "empire"} and sum(winners.values()) <= 4 and medianTurns > 0
    random.seed(3)
    first = testAgents(rebelAgent, empireAgent, ntests=3, seed=5)
    random.seed(3)
    assert testAgents(rebelAgent, empireAgent, ntests=3, seed=5) == first
    assert starwars_risk.test_agents is testAgents


def test_the_board_is_available_as_data():
    assert len(BOARD) == 28 and BOARD[0] == (6,) and BOARD[1] == BOARD[2] == (7,)
    assert all(a in BOARD[b] for a, near in enumerate(BOARD) for b in near)
    assert starwars_risk.RINGS[:6] == ["mothership"] * 6 and starwars_risk.RINGS.count("inner") == 6
    assert ShipCounter(xwing=5, ywing=0, bwing=0, falcon=6, tie=0, executor=0) == starwars_risk.START[15]
    assert len(starwars_risk.REBEL_CARDS) == len(starwars_risk.IMPERIAL_CARDS) == 30
    assert len(starwars_risk.SHIELD_ROLLS) == 28 and set(starwars_risk.SHIELD_ROLLS) == {2, 3, 4, 5}
    state = State.of(ludovec.Game("starwars_risk", seed=0), 0)
    assert list(state.board) == starwars_risk.START and state.survivingMotherships == (0, 1, 2, 3, 4, 5)
    assert list(state.shieldRolls) == starwars_risk.SHIELD_ROLLS and len(state.hand) == 6
    assert state.shipCount().executor == 8 and state.lightsaberPosition == {"rebel": 12, "empire": 13}


class Watching(starwars_risk.RandomAgent):
    """Records all feedback, and checks its consistency."""

    def __init__(self):
        self.plays, self.rounds, self.bonus, self.games = 0, 0, 0, 0

    def newGame(self):
        self.games += 1

    def pickDownCards(self, game, hand):
        assert len(hand) == 6 and list(game.hand) == hand and all(isinstance(card, tuple) for card in hand)
        self.chosen = hand[1:4]
        return self.chosen

    def pickAction(self, game, actions):
        assert [] in actions
        for action in actions:
            for name, *values in action:
                assert tuple(map(type, values)) == KINDS[name], action
                if name == "move":
                    source, ships, target = values
                    assert target in BOARD[source] and sum(ships) > 0
        self.shown = game
        self.action = super().pickAction(game, actions)
        return self.action

    def feedback(self, startState, card, action, endState, bonusCards):
        assert startState is self.shown and card == startState.card and action is self.action
        assert 0 <= bonusCards <= 6
        if bonusCards:
            cleared = any(
                part[0] in ("attack", "fire_deathstar", "lightsaber", "lightning", "hat") for part in action
            )
            assert cleared
        self.bonus += bonusCards
        self.plays += 1

    def roundFeedback(self, startState, hand, chosenCards, endState):
        assert list(startState.hand) == hand and chosenCards == self.chosen
        self.rounds += 1


def test_agents_get_feedback_of_plays_and_rounds():
    rebel, empire = Watching(), Watching()
    random.seed(0)
    game = HeadlessAgentGame(rebel, empire, seed=3)
    for _ in range(3):
        game.play()
    assert rebel.games == 3 and rebel.rounds == empire.rounds > 3
    assert rebel.plays > 10 and empire.plays > 10 and rebel.bonus + empire.bonus > 0


def test_feedback_counts_the_bonus_cards():
    """Compares the feedback with the events in a player's information state."""
    told = []

    class Counting(AttackAgent):
        def feedback(self, startState, card, action, endState, bonusCards):
            told.append((startState.side, bonusCards))

    random.seed(1)
    game = HeadlessAgentGame(Counting(), Counting(), seed=8)
    game.play()
    events = [e for e in game.game.information_state(0)["events"] if e[0] == "bonus"]
    for side in starwars_risk.SIDES:
        given = sum(cards for _, seat, cards in events if seat == side)
        assert sum(cards for seat, cards in told if seat == side) == given
    assert events


def test_the_shield_agent_runs_for_the_generator():
    runs = []

    class Runner(ShieldAgent):
        def roundFeedback(self, startState, hand, chosenCards, endState):
            runs.append(28 - len(endState.shieldRolls))

    testAgents(Runner(), RandomAgent(), ntests=2, seed=0)
    assert max(runs) > 10


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (type("A", (RandomAgent,), {"pickDownCards": lambda self, game, hand: hand[:2]}), "3 are needed"),
        (type("B", (RandomAgent,), {"pickDownCards": lambda self, game, hand: ["ace"] * 3}), "card 'ace'"),
        (
            type("D", (RandomAgent,), {"pickDownCards": lambda self, game, hand: None}),
            "None: a list of 3 cards",
        ),
        (
            type("C", (RandomAgent,), {"pickAction": lambda self, game, actions: [("jump",)]}),
            "not one of the",
        ),
    ],
)
def test_invalid_choices_of_an_agent_are_reported(agent, reason):
    with pytest.raises(ludovec.IllegalAction, match=reason):
        HeadlessAgentGame(agent(), RandomAgent(), seed=0).play()


def test_objects_without_agent_methods_are_refused():
    half = type("Half", (), {"newGame": print, "pickAction": print})()
    for agents, reason in (((3, RandomAgent()), "agent 3"), ((RandomAgent(), half), "no pickDownCards")):
        with pytest.raises(ludovec.InvalidConfig, match=reason):
            HeadlessAgentGame(*agents)


def test_ship_counters_are_written_as_documented():
    # Represents 5 X-Wings
    five = ShipCounter(xwing=5, ywing=0, bwing=0, falcon=0, tie=0, executor=0)
    # Represents 5 X-Wings and a fully-charged falcon.
    charged = ShipCounter(xwing=5, ywing=0, bwing=0, falcon=6, tie=0, executor=0)
    # Represents 16 TIE fighters and a heavily damaged executor.
    damaged = ShipCounter(xwing=0, ywing=0, bwing=0, falcon=0, tie=16, executor=1)
    assert five._replace(falcon=6) == charged and damaged.tie == 16 and damaged.executor == 1
    # "The first 6 elements are the six motherships."
    assert all(isinstance(neighbors, tuple) for neighbors in BOARD) and starwars_risk.RINGS[5] == "mothership"
    winners, medianTurns = testAgents(RandomAgent(), RandomAgent(), ntests=2)
    assert set(winners) == {"rebel", "empire"} and medianTurns > 0

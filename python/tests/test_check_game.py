"""`check_game` refuses wrong games: one fault each in a small game with hidden cards and secret bets."""

import json
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import ludovec
import ludovec.testing
import numpy as np
import pytest
from ludovec.rules import registration
from ludovec.testing import game_checks

#: Cards of each kind, from the lowest.
CARDS = [6, 3, 2, 1]
LEFT, RIGHT, CHANGE, BET = range(4)
NAMES = ["left", "right", "change", "bet low", "bet high"]


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    # Checks end by themselves, because a loaded machine would cut them at other places.
    monkeypatch.setattr(game_checks, "_SECONDS", 60.0)
    yield
    registration.forget_all()


class Cards:
    """Three players hold a card each, and the highest wins after four turns each.

    A turn moves the public token, changes the card (the old one is shown), or bets in secret.
    """

    players = 3
    actions = {"left": 1, "right": 1, "change": 1, "bet low": 1, "bet high": 1}
    state = [
        ("cards", np.int8, 3),
        ("bets", np.int8, 3),
        ("discards", np.int8, 4),
        ("token", np.int8),
        ("moves", np.int8),
    ]
    observation = {
        "token": (1, 4),
        "moves": (1, 12),
        "card": (1, 4),
        "bet": (1, 2),
        "discards": (4, 6),
        "has_bet": (3, 1),
    }
    max_episode_steps = 12
    hidden_actions = True
    bots = {"careful": "careful"}

    def unseen(self, state, known):
        """The number of cards of each kind that `known` players do not hold."""
        held = [int(state["cards"][player]) for player in known]
        return [
            n - int(out) - held.count(kind)
            for kind, (n, out) in enumerate(zip(CARDS, state["discards"], strict=True), 1)
        ]

    def others(self, state, player):
        """The cards that only other players know."""
        return int(state["cards"].sum() - state["cards"][player])

    def init(self, state, chance):
        state["token"] = 2
        for player in range(3):
            state["cards"][player] = 1 + chance.weighted(self.unseen(state, range(player)))

    def current_player(self, state):
        return None if state["moves"] == 12 else int(state["moves"]) % 3

    def legal(self, state):
        bets = bool(state["bets"][int(state["moves"]) % 3] == 0)
        deck = sum(self.unseen(state, range(3))) > 0
        return [bool(state["token"] > 0), bool(state["token"] < 4), deck, bets, bets]

    def step(self, state, action, chance):
        player = int(state["moves"]) % 3
        if action in (LEFT, RIGHT):
            state["token"] += 1 if action == RIGHT else -1
        elif action == CHANGE:
            deck = self.unseen(state, range(3))
            state["discards"][state["cards"][player] - 1] += 1
            state["cards"][player] = 1 + chance.weighted(deck)
        else:
            state["bets"][player] = 1 + action - BET
        state["moves"] += 1

    def observe(self, state, player):
        has_bet = np.roll(state["bets"] > 0, -player)
        own = [state["token"], state["moves"], state["cards"][player], state["bets"][player]]
        return np.concatenate([own, state["discards"], has_bet])

    def returns(self, state):
        return (state["cards"] / 4).tolist()

    def estimate(self, state):
        return (state["cards"] / 4).tolist()

    def validate(self, state):
        if min(self.unseen(state, range(3))) < 0:
            raise ValueError("more cards than there are")

    def determinize(self, state, player, chance):
        others = [(player + 1) % 3, (player + 2) % 3]
        known = [player]
        for other in others:
            state["cards"][other] = 1 + chance.weighted(self.unseen(state, known))
            known.append(other)
            if state["bets"][other]:
                state["bets"][other] = 1 + chance.uniform(2)

    def careful(self, state, legal, chance):
        """Changes a low card, and otherwise moves the token."""
        if state["cards"][int(state["moves"]) % 3] < 3 and CHANGE in legal:
            return CHANGE
        return chance.choice([action for action in legal if action < CHANGE])

    def to_text(self, state, player):
        cards = [int(card) if player in (None, seat) else 0 for seat, card in enumerate(state["cards"])]
        return f"token {state['token']} cards {cards}"


def found(**members):
    """What the check says about a variant of the game."""
    variant = type("Cards", (Cards,), members)
    ludovec.register(variant)
    return ludovec.testing.check_game("cards")


def test_the_right_game_conforms_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found() is None


# ---- the faults ----


def copies(self, state, player, chance):
    pass


def draws_kinds_evenly(self, state, player, chance):
    known = [player]
    for other in ((player + 1) % 3, (player + 2) % 3):
        weights = [min(number, 1) for number in self.unseen(state, known)]
        state["cards"][other] = 1 + chance.weighted(weights)
        known.append(other)
        if state["bets"][other]:
            state["bets"][other] = 1 + chance.uniform(2)


def redraws_one_player(self, state, player, chance):
    other = (player + 1) % 3
    state["cards"][other] = 1 + chance.weighted(self.unseen(state, [player, (player + 2) % 3]))


def redraws_the_own_card(self, state, player, chance):
    Cards.determinize(self, state, player, chance)
    state["cards"][player] = 1 + chance.weighted(self.unseen(state, [p for p in range(3) if p != player]))


def redraws_impossible_cards(self, state, player, chance):
    state["cards"][(player + 1) % 3] = 4
    state["cards"][(player + 2) % 3] = 4


def draws_of_its_own(self, state, player, chance):
    Cards.determinize(self, state, player, np_chance)


class NumpyChance:
    """A source of chance outside of the engine."""

    generator = np.random.default_rng()

    def weighted(self, weights):
        return int(self.generator.choice(len(weights), p=np.array(weights) / sum(weights)))

    def uniform(self, n):
        return int(self.generator.integers(n))


np_chance = NumpyChance()


def step_draws_of_its_own(self, state, action, chance):
    Cards.step(self, state, action, np_chance)


def observes_others(self, state, player):
    seen = Cards.observe(self, state, player)
    seen[2] = state["cards"].max()
    return seen


def legal_of_others(self, state):
    mask = Cards.legal(self, state)
    mask[CHANGE] = mask[CHANGE] and self.others(state, int(state["moves"]) % 3) > 3
    return mask if any(mask) else [True] * 5


def bot_peeks(self, state, legal, chance):
    """Changes unless the card is the highest."""
    highest = state["cards"].max() == state["cards"][int(state["moves"]) % 3]
    if not highest and CHANGE in legal:
        return CHANGE
    return chance.choice([action for action in legal if action < CHANGE])


def bot_plays_illegal(self, state, legal, chance):
    """Moves left."""
    return LEFT


def bot_plays_impossible(self, state, legal, chance):
    """Plays an action that does not exist."""
    return 64


def estimate_peeks(self, state):
    return [float(state["cards"][player] - self.others(state, player)) for player in range(3)]


def estimate_is_nan(self, state):
    return [0.0, 0.0, float("nan") if state["token"] == 0 else 0.0]


def names_cards(self, state, action):
    return f"{NAMES[action]} {self.others(state, int(state['moves']) % 3)}"


def one_name_for_two(self, state, action):
    return "bet" if action >= BET else NAMES[action]


def names_with_blanks(self, state, action):
    return f"{NAMES[action]} "


def shows_all_cards(self, state, player):
    return f"token {state['token']} cards {state['cards'].tolist()}"


def draws_all_cards(self, state, player):
    return f'<svg viewBox="0 0 9 9"><text>{state["cards"].tolist()}</text></svg>'


def scores_of_cards(self, state):
    return state["cards"].astype(float).tolist()


def scores_of_moves(self, state):
    return [float(state["moves"]), 0.0, 0.0]


def low_cards_win(self, state):
    return (-state["cards"].astype(float)).tolist()


def step_remembers(self, state, action, chance):
    """Keeps a part of the position outside of the state."""
    self.steps = getattr(self, "steps", 0) + 1
    Cards.step(self, state, action, chance)
    state["token"] = self.steps % 5


def refuses_discards(self, state):
    return state["discards"].sum() == 0


def keeps_bets(self, state, player, chance):
    bets = state["bets"].copy()
    Cards.determinize(self, state, player, chance)
    state["bets"] = bets


def keeps_bets_of_one(self, state, player, chance):
    bet = int(state["bets"][2])
    Cards.determinize(self, state, player, chance)
    state["bets"][2] = bet


def legal_as_integers(self, state):
    return [int(is_legal) for is_legal in Cards.legal(self, state)]


def legal_as_array_of_integers(self, state):
    return np.array(Cards.legal(self, state)).astype(int)


def legal_twice(self, state):
    actions = np.flatnonzero(Cards.legal(self, state)).tolist()
    return [*actions, actions[0]]


def draws_for_nothing(self, state, action, chance):
    chance.uniform(6)
    Cards.step(self, state, action, chance)


def first_two_alone(self, state):
    return None if state["moves"] == 12 else int(state["moves"]) % 2


def never_ends(self, state):
    return int(state["moves"]) % 3


#: A step that depends on more than state and chance: of two replays either may be the one that differs.
STEPS_DIFFER = "under the same chance steps differently|the recorded chance outcomes lead elsewhere"

#: A fault: the members of the wrong variant, and a regular expression of the check's sentence.
WRONG = {
    "determinize copies": ({"determinize": copies}, "determinize never changes a position"),
    "wrong probabilities": (
        {"determinize": draws_kinds_evenly},
        "determinize draws with wrong probabilities",
    ),
    "one player is kept": ({"determinize": redraws_one_player}, "never redraws byte"),
    "own card is redrawn": (
        {"determinize": redraws_the_own_card},
        "observation_to_json for player 0 reveals hidden information",
    ),
    "impossible cards": (
        {"determinize": redraws_impossible_cards},
        "cards.validate raised ValueError: more cards than there are",
    ),
    "determinize by NumPy": ({"determinize": draws_of_its_own}, "determinize draws from another source"),
    "step by NumPy": ({"step": step_draws_of_its_own}, STEPS_DIFFER),
    "state beside the state": ({"step": step_remembers}, STEPS_DIFFER),
    "observation of others": ({"observe": observes_others}, "the observation of player"),
    "legal actions of others": ({"legal": legal_of_others}, "legal"),
    "bot peeks": ({"careful": bot_peeks}, "bot careful looks at information hidden from player"),
    "estimate peeks": ({"estimate": estimate_peeks}, "is made of information hidden from it"),
    "actions are told": ({"hidden_actions": False}, "describe_step tells player"),
    "words tell cards": ({"action_to_string": names_cards}, "describe_step tells player"),
    "one text for two actions": ({"action_to_string": one_name_for_two}, "its label"),
    "texts end with blanks": ({"action_to_string": names_with_blanks}, "label"),
    "text shows cards": ({"to_text": shows_all_cards}, "the pictures for player"),
    "drawing shows cards": ({"to_svg": draws_all_cards}, "the pictures for player"),
    "scores show cards": ({"scores": scores_of_cards}, "a score that shows_score allows for player"),
    "reached states are refused": ({"validate": refuses_discards}, "validate"),
    "bets are kept": ({"determinize": keeps_bets}, "never redraws byte"),
    "one bet is kept": ({"determinize": keeps_bets_of_one}, "never redraws byte"),
    "rewards leave their range": ({"reward_range": (0, 0.5)}, "leave the declared range 0 to 0.5"),
    "scores differ": (
        {"payoff": "common", "reward_range": (0, 4), "scores": scores_of_cards, "hidden_scores": True},
        "the payoff is common",
    ),
    "scores leave their range": (
        {"payoff": "general", "reward_range": (0, 2), "scores": scores_of_cards, "hidden_scores": True},
        "leave the declared range 0 to 2",
    ),
}


#: A game with scores; a change of the card changes its score by 3 at most.
SCORED = {"scores": scores_of_cards, "hidden_scores": True, "reward_range": (-3, 4)}


@pytest.mark.parametrize("fault", WRONG)
def test_every_wrong_variant_is_refused_by_the_name_of_its_fault(fault):
    members, said = WRONG[fault]
    sentence = found(**members)
    assert sentence is not None and re.search(said, sentence), sentence


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"careful": bot_plays_illegal}, "the bot careful plays action 0, which is illegal"),
        ({"careful": bot_plays_impossible}, "bot careful .* action 64"),
        ({"legal": legal_as_integers}, "a mask of integers"),
        ({"legal": legal_as_array_of_integers}, "a mask of integers"),
        ({"legal": legal_twice}, "is twice in"),
        ({"legal": lambda self, state: [1] * 5}, "a mask of integers"),
        ({"payoff": "shared"}, "payoff='shared': ranks, common or general is allowed"),
        ({"estimate": estimate_is_nan}, "estimate: NaN, a finite number is needed"),
    ],
)
def test_answers_that_are_nonsense_are_errors_of_the_rules(members, said):
    with pytest.raises(ludovec.RulesError, match=said):
        found(**members)


def test_an_exception_of_a_method_that_only_the_suite_calls_arrives():
    def determinize(self, state, player, chance):
        if state["moves"] > 8:
            raise KeyError("late")
        Cards.determinize(self, state, player, chance)

    with pytest.raises(KeyError, match="late"):
        found(determinize=determinize)


def test_what_may_be_right_is_a_warning():
    with pytest.warns(UserWarning, match="ranks may be turned around"):
        assert found(**SCORED, returns=low_cards_win) is None
    with pytest.warns(UserWarning, match="observes the same in two positions of its own, and player"):
        assert found(determinize=None) is None


def warnings_of(**members):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert found(**members) is None
    return " | ".join(str(warning.message) for warning in caught)


def test_what_was_not_reached_is_a_warning():
    assert "draw 0 of chance in step has no effect" in warnings_of(step=draws_for_nothing)
    cut = warnings_of(max_episode_steps=5, current_player=never_ends)
    assert "every game is cut by max_episode_steps=5" in cut
    ludovec.register(Cards)
    with pytest.warns(UserWarning, match="no game ended within 6 decisions.*give more steps"):
        assert ludovec.testing.check_game("cards", steps=6) is None


def test_games_in_which_all_are_paid_alike_are_asked_for_their_payoff():
    alike = {"returns": lambda self, state: [int(state["token"])] * 3, "estimate": None}
    assert "say payoff common" in warnings_of(**alike, reward_range=(0, 4))
    ludovec.register(type("Cards", (Cards,), {**alike, "payoff": "common", "reward_range": (0, 4)}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ludovec.testing.check_game("cards") is None
    game = ludovec.Game("cards", seed=0)
    while not game.is_terminal:
        game.step(game.bot_action("random"))
    token = json.loads(game.to_json())["position"]["token"]
    assert game.returns().tolist() == [token / 2 - 1] * 3
    env = ludovec.make("cards", 8, seed=0)
    assert env.game_spec.payoff == "common"
    # The token is worth most at its right end: searches move it there, together.
    result = ludovec.tournament("cards", ["search:20", "search:21"], games=8)
    assert min(standing.mean_score for standing in result.standings) > 2.5
    result = ludovec.tournament("cards", ["random", "search:20"], games=30, seed=0)
    best, last = result.standings
    assert result.compared_by == "score" and best.bot == "search:20"
    assert best.mean_score - best.score_margin > last.mean_score + last.score_margin
    head, first, *_ = str(result).splitlines()
    assert "mean score" in head and "points" not in head and f"{best.mean_score:.2f}" in first
    # With other partners, the same policy has another score.
    by_partner = [
        ludovec.evaluate("cards", "search:20", other, 30, seed=0) for other in ("random", "search:21")
    ]
    scores = [result.opponents[0] for result in by_partner]
    assert scores[0].mean_score + scores[0].score_margin < scores[1].mean_score
    with pytest.raises(ludovec.InvalidConfig, match="sprt: it compares points"):
        ludovec.tournament("cards", ["random", "search:20"], games=4, sprt={"elo0": 0, "elo1": 50})


def test_integers_may_be_all_actions_of_two():
    members = {
        "actions": 2,
        "legal": lambda self, state: [0, 1],
        "step": lambda self, state, action, chance: Cards.step(self, state, BET, chance),
        "bots": {},
    }
    ludovec.register(type("Cards", (Cards,), members))
    assert ludovec.Game("cards", seed=0).legal_actions() == [0, 1]


def test_members_that_are_almost_right_are_refused():
    for slip, meant in [
        ("max_episode_step", "max_episode_steps"),
        ("action_to_str", "action_to_string"),
        ("hidden_score", "hidden_scores"),
        ("reward_ranges", "reward_range"),
    ]:
        with pytest.raises(ludovec.RulesError, match=rf"{slip}: .*did you mean {meant}\?"):
            ludovec.register(type("Cards", (Cards,), {slip: 5}))


@pytest.mark.parametrize("name", ["goofspiel", "hanabi"])
def test_examples_conform(name):
    ludovec.load(Path(__file__).parents[2] / "examples" / "python_games" / f"{name}.py")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ludovec.testing.check_game(name) is None


def hanabi(**members):
    ludovec.load(Path(__file__).parents[2] / "examples" / "python_games" / "hanabi.py")
    variant = registration._classes["hanabi"]
    return type("Hanabi", (variant,), members)


def test_cards_that_contradict_hints_are_found_by_validate():
    def determinize(self, state, player, chance):
        slots = np.flatnonzero(state["hands"][player] >= 0)
        for slot in slots:
            state["deck"][state["hands"][player, slot]] += 1
        for slot in slots:
            kind = chance.weighted(state["deck"].tolist())
            state["deck"][kind] -= 1
            state["hands"][player, slot] = kind

    ludovec.register(hanabi(determinize=determinize))
    assert "not what its owner was told" in ludovec.testing.check_game("hanabi")


def test_a_forgotten_card_is_refused():
    def determinize(self, state, player, chance):
        kept = int(state["hands"][player, 2])
        right = registration._classes["hanabi"].__mro__[1]
        for _ in range(1000):
            again = state.copy()
            right.determinize(self, again, player, chance)
            if again["hands"][player, 2] == kept:
                state["hands"], state["deck"] = again["hands"], again["deck"]
                return

    ludovec.register(hanabi(determinize=determinize))
    sentence = ludovec.testing.check_game("hanabi")
    assert sentence is not None and "never redraws byte" in sentence


def test_check_game_needs_no_gymnasium():
    code = "import sys; sys.modules['gymnasium'] = None; from ludovec.testing import check_game"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_scores_may_be_hidden():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(**SCORED) is None
    game = ludovec.Game("cards", seed=0)
    cards = json.loads(game.to_json())["position"]["cards"]
    assert game.scores().tolist() == cards


def test_scores_are_paid_to_the_last():
    """With scores of its own, a game's returns only say who has won."""
    ludovec.register(
        type("Cards", (Cards,), {"scores": scores_of_moves, "returns": lambda self, state: [0, 5, 9]})
    )
    env = ludovec.make("cards", 1, seed=0, reward="score")
    paid = np.zeros(3)
    while not env.step(env.sample_actions())[2][0]:
        paid += env.rewards[0]
    assert (paid + env.rewards[0]).tolist() == [12, 0, 0]
    env = ludovec.make("cards", 1, seed=0)
    while not env.step(env.sample_actions())[2][0]:
        pass
    assert env.rewards[0].tolist() == [-1, 0, 1]


def test_ctrl_c_ends_the_check():
    code = """
    import os, signal, sys, threading, time
    sys.path.insert(0, sys.argv[1])
    import ludovec, ludovec.testing
    from test_check_game import Cards
    def slow(self, state):
        time.sleep(0.01)
        return Cards.validate(self, state)
    ludovec.register(type("Cards", (Cards,), {"validate": slow}))
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(1.0, interrupt).start()
    try:
        ludovec.testing.check_game("cards", games=100, steps=1000)
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # Half a second on an idle machine.
    assert done.returncode == 0 and float(done.stdout) < 5, done.stderr

"""Simultaneous decisions: phases of sealed ones, and the games that leak them."""

import re
import warnings
from pathlib import Path

import ludovec
import numpy as np
import pytest
from ludovec.rules import registration

EXAMPLE = Path(__file__).parents[2] / "examples" / "python_games" / "goofspiel.py"
pytestmark = pytest.mark.skipif(not EXAMPLE.exists(), reason="needs the checkout")


@pytest.fixture(autouse=True)
def loaded():
    """The example, also after variants of it."""
    ludovec.load(EXAMPLE)
    global example
    example = registration._classes["goofspiel"]


def variant(**members):
    ludovec.register(type("Goofspiel", (example,), members))


def right(name):
    """A method of the example."""
    return getattr(example, name)


def bids_are_flags(self, players=3):
    right("__init__")(self, players)
    self.observation = {**self.observation, "has_bid": (players, 5)}


def observes_bids(self, state, player):
    seen = right("observe")(self, state, player)
    at = len(seen) - 2 * self.players
    seen = seen.astype(int)
    seen[at : at + self.players] = state["sealed"][[(player + i) % self.players for i in range(self.players)]]
    return seen


def observes_own_flag_only(self, state, player):
    seen = right("observe")(self, state, player)
    at = len(seen) - 2 * self.players
    seen[at + 1 : at + self.players] = 0
    return seen


def observes_no_flags(self, state, player):
    seen = right("observe")(self, state, player)
    seen[len(seen) - 2 * self.players : len(seen) - self.players] = 0
    return seen


def accepts(self, state):
    pass


def step_shows_card(self, state, action, chance):
    state["hands"][self.current_player(state), action] = False
    right("step")(self, state, action, chance)


def step_turns_up_early(self, state, action, chance):
    """The second player observes a prize that the first one did not know."""
    right("step")(self, state, action, chance)
    if state["sealed"][0] and not state["sealed"][1]:
        state["prizes"][chance.uniform(5)] ^= True


def step_opens_high_bids(self, state, action, chance):
    if action == 4:
        state["sealed"][state["sealed"] == 0] = action + 1
        state["decisions"] += self.players - 1 - int(state["decisions"]) % self.players
    right("step")(self, state, action, chance)


def legal_other_bids(self, state):
    mask = state["hands"][self.current_player(state)].copy()
    bids = [bid - 1 for bid in state["sealed"] if bid]
    if mask.sum() > len(bids):
        mask[bids] = False
    return mask


def scores_pay_bids(self, state):
    return (state["points"] + (state["sealed"] == 5)).tolist()


def next_player_after_high_bids(self, state):
    player = right("current_player")(self, state)
    return 2 if player == 1 and state["sealed"][0] == 5 else player


def same_player_again(self, state):
    player = right("current_player")(self, state)
    return 0 if player == 1 else player


def shows_bids(self, state, player):
    return f"bids {state['sealed'].tolist()}"


def tells_bids(self, state, action):
    return f"bid {action + 1} after {state['sealed'].tolist()}"


def keeps_bids(self, state, player, chance):
    for other in range(self.players):
        if other not in (player, 0) and state["sealed"][other]:
            state["sealed"][other] = 1 + chance.choice(np.flatnonzero(state["hands"][other]).tolist())


#: A leak: the members of the wrong variant, and a regular expression of the check's sentence.
WRONG = {
    "bids in the flag": (
        {"__init__": bids_are_flags, "observe": observes_bids},
        "the observation of player . (tells the sealed decision|reveals hidden)",
    ),
    "flags of some": ({"observe": observes_own_flag_only}, "the players do not agree whether has_bid is 0"),
    "the card is shown": (
        {"step": step_shows_card, "validate": accepts},
        r"changes element \d+ of the observation of player \d \(hands\); .* only has_bid may change",
    ),
    "later players know more": (
        {"step": step_turns_up_early},
        r"changes element \d of the observation of player . \(prizes\)",
    ),
    "the end of the phase": ({"step": step_opens_high_bids}, "whether a simultaneous phase goes on depends"),
    "legal actions": ({"legal": legal_other_bids}, "the legal actions of player . depend"),
    "scores": ({"scores": scores_pay_bids}, "changes the score of player 0, which player . knows"),
    "the next player": (
        {"current_player": next_player_after_high_bids, "validate": accepts},
        "changes the current player|who decides next in a simultaneous phase depends",
    ),
    "twice": (
        {"current_player": same_player_again, "validate": accepts},
        "player 0 decides twice in a simultaneous phase",
    ),
    "actions are told": ({"hidden_actions": False}, "describe_step tells player"),
    "text": ({"to_text": shows_bids}, "the pictures for player"),
    "words": ({"action_to_string": tells_bids}, "describe_step tells|reveals hidden|action_to_string"),
    "a bid is kept": ({"determinize": keeps_bids}, "never redraws byte"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_leaks_are_refused(fault):
    members, said = WRONG[fault]
    variant(**members)
    sentence = ludovec.testing.check_game("goofspiel", games=2, steps=100, players=3)
    assert sentence is not None and re.search(said, sentence), sentence


@pytest.mark.parametrize("players", [2, 4])
def test_the_example_conforms(players):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ludovec.testing.check_game("goofspiel", games=2, steps=100, players=players) is None


def test_wrong_declarations():
    with pytest.raises(ludovec.RulesError, match=r"simultaneous='bids': a field .* prizes, prize, hands"):
        variant(simultaneous="bids")
    with pytest.raises(ludovec.RulesError, match="redraws those that are sealed"):
        variant(determinize=None)

    variant(observe=observes_no_flags)
    with pytest.warns(UserWarning, match="has_bid was 0 after every decision"):
        ludovec.testing.check_game("goofspiel")


def test_a_phase_is_one_parallel_step():
    pz = pytest.importorskip("ludovec.pettingzoo")
    env = pz.parallel_env("goofspiel", players=3)
    observations, _ = env.reset(seed=5)
    field = {part.name: part for part in env.game.game_spec.observation}
    rng = np.random.default_rng(5)
    cycles, paid = 0, dict.fromkeys(env.agents, 0.0)
    while env.agents:
        for seen in observations.values():
            hand = field["hands"].view(seen["observation"])[:5]
            np.testing.assert_array_equal(seen["action_mask"], hand)
            assert not field["has_bid"].view(seen["observation"]).any()
        actions = {a: int(rng.choice(np.flatnonzero(o["action_mask"]))) for a, o in observations.items()}
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert set(map(len, (observations, rewards, terminations, truncations, infos))) == {3}
        paid = {agent: paid[agent] + reward for agent, reward in rewards.items()}
        cycles += 1
    assert cycles == 5 and all(terminations.values()) and sum(paid.values()) == pytest.approx(0)
    # The same decisions in turn.
    twin = pz.aec_env("goofspiel", players=3)
    twin.reset(seed=5)
    assert twin.observe("player_1")["action_mask"].sum() == 0


def test_pettingzoo_accepts_parallel_phases():
    pz = pytest.importorskip("ludovec.pettingzoo")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    for players in (2, 3):
        parallel_api_test(pz.parallel_env("goofspiel", players=players), num_cycles=100)
        parallel_api_test(
            pz.parallel_env("goofspiel", players=players, noop=True, masks="infos"), num_cycles=30
        )
    parallel_seed_test(lambda: pz.parallel_env("goofspiel", on_illegal="lose"), num_cycles=30)


def test_illegal_actions_of_a_phase():
    pz = pytest.importorskip("ludovec.pettingzoo")
    env = pz.parallel_env("goofspiel")
    before, _ = env.reset(seed=1)
    after, rewards, *_, infos = env.step({"player_0": 1, "player_1": 9})
    assert infos == {"player_0": {}, "player_1": {"illegal_action": True}} and not any(rewards.values())
    np.testing.assert_array_equal(before["player_0"]["observation"], after["player_0"]["observation"])
    with pytest.raises(ludovec.InvalidConfig, match="an action of player_1, a current agent, is needed"):
        env.step({"player_0": 1})
    env = pz.parallel_env("goofspiel", on_illegal="raise")
    before, _ = env.reset(seed=1)
    with pytest.raises(ludovec.IllegalAction, match="player_1: 9 is not among its legal actions"):
        env.step({"player_0": 1, "player_1": 9})
    np.testing.assert_array_equal(env.observe("player_1")["observation"], before["player_1"]["observation"])
    env = pz.parallel_env("goofspiel", on_illegal="lose")
    env.reset(seed=1)
    _, rewards, terminations, *_ = env.step({"player_0": 1, "player_1": 9})
    assert rewards == {"player_0": 1.0, "player_1": -1.0} and all(terminations.values())


@pytest.mark.parametrize("obs", ["u8", "packed", "f32"])
def test_rollouts_number_the_phases(obs):
    env = ludovec.make("goofspiel", 4, seed=2, players=3, obs=obs)
    env.reset()
    played = ludovec.rollout(env, None, 21)
    np.testing.assert_array_equal(played.cycles, np.repeat(np.arange(7), 3)[:, None].repeat(4, axis=1))
    collector = ludovec.Collector(env, None)
    collector.collect(4)
    fragment = collector.collect(4)
    for game in range(4):
        own = fragment.games == game
        seats, cycles = fragment.seats[own], fragment.cycles[own]
        for cycle in np.unique(cycles):
            of_cycle = seats[cycles == cycle].tolist()
            assert of_cycle == sorted(set(of_cycle))
    env = ludovec.make("tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0], 2)
    assert ludovec.rollout(env, None, 2).cycles is None

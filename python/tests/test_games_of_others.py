"""Games of OpenSpiel and PettingZoo as environments."""

import importlib
import sys
import threading
from types import ModuleType, SimpleNamespace

import ludovec
import ludovec.rules.registration
import ludovec.testing
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def forget():
    yield
    ludovec.rules.registration.forget_all()


class Observer:
    """An observer of OpenSpiel: one array, written number by number."""

    def __init__(self):
        self.tensor = np.zeros(40, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state, player):
        for i in range(len(self.tensor)):
            self.tensor[i] = (state + player + i) % 200


def in_eight_threads(work):
    """Calls ``work(0)`` to ``work(7)`` in threads that switch all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)


def test_observations_of_threads_do_not_mix(monkeypatch):
    """Eight threads that switch all the time observe the same as one thread; a stand-in for OpenSpiel."""
    spiel, observation = ModuleType("pyspiel"), ModuleType("open_spiel.python.observation")
    spiel.IIGObservationType = lambda perfect_recall: None
    observation.make_observation = lambda game, kind: Observer()
    for name, module in {
        "pyspiel": spiel,
        "open_spiel": ModuleType("open_spiel"),
        "open_spiel.python": ModuleType("open_spiel.python"),
        "open_spiel.python.observation": observation,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "ludovec.adapters.openspiel_games", raising=False)
    games = importlib.import_module("ludovec.adapters.openspiel_games")
    # Not by monkeypatch, which would put the module over the stand-in back.
    del sys.modules["ludovec.adapters.openspiel_games"], sys.modules["ludovec.adapters"].openspiel_games
    monkeypatch.setattr(games, "_first_decision", lambda game: 0)
    kind = SimpleNamespace(provides_observation_tensor=True, provides_information_state_tensor=False)
    members = games._tensor(SimpleNamespace(get_type=lambda: kind), 255)
    assert members["observation"] == {"observation": (40, 255)}
    rules = SimpleNamespace(_at=lambda state: state)
    wrong = []

    def look(number):
        for state in range(number, number + 300):
            row = members["observe"](rules, state, number)
            if row.tolist() != [(state + number + i) % 200 for i in range(40)]:
                wrong.append((number, state))

    in_eight_threads(look)
    assert not wrong


class TestOpenSpiel:
    @pytest.fixture(autouse=True)
    def module(self):
        pytest.importorskip("pyspiel")
        importlib.import_module("ludovec.openspiel")

    @pytest.mark.parametrize("name", ["python_tic_tac_toe", "python_kuhn_poker", "leduc_poker"])
    def test_games_conform(self, name):
        id = ludovec.openspiel.register(name)
        assert id == name and ludovec.testing.check_game(id) is None
        ludovec.tournament(id, ["search:10", "random"], games=4)

    def test_games_follow_the_original(self):
        import pyspiel

        ludovec.openspiel.register("python_tic_tac_toe", id="ttt")
        state = pyspiel.load_game("tic_tac_toe").new_initial_state()
        game = ludovec.Game("ttt", seed=0)
        for action in (4, 0, 8, 2, 1, 7, 6, 3, 5):
            assert game.legal_actions() == state.legal_actions()
            game.step(action)
            state.apply_action(action)
        assert game.is_terminal and game.returns().tolist() == state.returns()

    def test_threads_see_the_observations_of_one_thread(self):
        ludovec.openspiel.register("tic_tac_toe", id="ttt")

        def played(seed):
            env = ludovec.make("ttt", 16, seed=seed, num_threads=1)
            env.reset(seed=seed)
            rows = []
            for _ in range(12):
                rows.append(env.step(env.sample_actions())[0].copy())
            found[seed] = np.stack(rows)

        found = {}
        for seed in range(8):
            played(seed)
        wanted = dict(found)
        in_eight_threads(played)
        for seed, rows in wanted.items():
            np.testing.assert_array_equal(found[seed], rows)

    def test_kuhn_poker_redraws_the_card_of_the_other(self):
        ludovec.openspiel.register("python_kuhn_poker", id="kuhn")
        game = ludovec.Game("kuhn", seed=3)
        mine = game.observation(0)
        others = set()
        for seed in range(60):
            twin = game.determinize(0, seed)
            assert np.array_equal(twin.observation(0), mine)
            others.add(twin.observation(1).tobytes())
        assert len(others) == 2
        assert ludovec.spec("kuhn").hidden_information

    def test_what_cannot_be_played_is_refused(self):
        with pytest.raises(ludovec.InvalidConfig, match="simultaneous"):
            ludovec.openspiel.register("python_iterated_prisoners_dilemma")
        with pytest.raises(ludovec.InvalidConfig, match="Unknown game 'no_such_game'"):
            ludovec.openspiel.register("no_such_game")
        with pytest.raises(ludovec.InvalidConfig, match="a game of OpenSpiel"):
            ludovec.openspiel.register(3)
        with pytest.raises(ludovec.InvalidConfig, match="other than 0 to 255: give the argument observe"):
            ludovec.openspiel.register("python_tic_tac_toe", observe=lambda state, player: [300])

    def test_fields_have_their_true_highest_value(self):
        """One-hot fields are 0 and 1 as floats, and counts reach 1."""
        id = ludovec.openspiel.register("leduc_poker")
        high = {field.name: field.high for field in ludovec.spec(id).observation}
        assert high == {"player": 1, "private_card": 1, "community_card": 1, "pot_contribution": 13}
        env = ludovec.make(id, 4, obs="f32", seed=0)
        obs, _ = env.reset()
        for _ in range(30):
            assert obs.max() <= 1 and (obs[:, 2:8].sum(axis=1) == 1).all()
            obs = env.step(env.sample_actions())[0]
        ludovec.openspiel.register("leduc_poker", highest=20)
        assert {field.high for field in ludovec.spec(id).observation} == {20}

    def test_an_observation_of_ones_own(self):
        ludovec.openspiel.register(
            "python_tic_tac_toe", id="ttt", observe=lambda state, player: [player], highest=1
        )
        assert ludovec.make("ttt", 2).single_observation_space.shape == (1,)


class TestPettingZoo:
    @pytest.fixture(autouse=True)
    def module(self):
        pytest.importorskip("pettingzoo")
        importlib.import_module("ludovec.pettingzoo")

    @pytest.mark.parametrize("name", ["tictactoe_v3", "connect_four_v3"])
    def test_classic_games_conform(self, name):
        pytest.importorskip("pygame")
        id = ludovec.pettingzoo.register(importlib.import_module(f"pettingzoo.classic.{name}").env)
        assert id == name and ludovec.testing.check_game(id) is None

    def test_a_game_that_draws_is_redrawn(self):
        id = ludovec.pettingzoo.register(higher_card)
        assert ludovec.spec(id).hidden_information
        # Each determinization tries seeds.
        assert ludovec.testing.check_game(id, games=1) is None
        game = ludovec.Game(id, seed=1)
        mine = game.observation(0)
        others = {game.determinize(0, seed).observation(1).tobytes() for seed in range(60)}
        assert all(np.array_equal(game.determinize(0, seed).observation(0), mine) for seed in range(5))
        assert len(others) == 3

    def test_what_cannot_be_played_is_refused(self):
        with pytest.raises(ludovec.InvalidConfig, match="AEC environment is needed"):
            ludovec.pettingzoo.register(3)
        with pytest.raises(ludovec.InvalidConfig, match="cannot be copied"):
            ludovec.pettingzoo.register(lambda: higher_card(generator=(k for k in range(3))))


def higher_card(generator=None):
    """Two players get one of four cards each and pass or bet in turn: the higher card wins the bets."""
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv

    class HigherCard(AECEnv, EzPickle):
        metadata = {"name": "higher_card_v0", "is_parallelizable": False}

        def __init__(self):
            EzPickle.__init__(self)
            AECEnv.__init__(self)
            self.generator = generator
            self.possible_agents = ["first", "second"]

        def action_space(self, agent):
            return Discrete(2)

        def observation_space(self, agent):
            return Dict({"observation": Box(0, 255, (3,), np.uint8), "action_mask": Box(0, 1, (2,), np.int8)})

        def reset(self, seed=None, options=None):
            self.agents = self.possible_agents[:]
            self.agent_selection = "first"
            self.cards = np.random.default_rng(seed).permutation(4)[:2]
            self.bets = [1, 1]
            self.moves = 0
            self.rewards = dict.fromkeys(self.agents, 0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos = {agent: {} for agent in self.agents}

        def observe(self, agent):
            seat = self.possible_agents.index(agent)
            seen = np.array([self.cards[seat], *self.bets], np.uint8)
            return {"observation": seen, "action_mask": np.ones(2, np.int8)}

        def step(self, action):
            if self.terminations[self.agent_selection]:
                return self._was_dead_step(action)
            self._clear_rewards()
            seat = self.possible_agents.index(self.agent_selection)
            self.bets[seat] += action
            self.moves += 1
            if self.moves == 4:
                winner = int(self.cards[1] > self.cards[0])
                won = self.bets[1 - winner]
                self.rewards = {agent: won if k == winner else -won for k, agent in enumerate(self.agents)}
                self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[1 - seat]

    return HigherCard()

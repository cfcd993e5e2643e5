"""PettingZoo's own checkers, for every environment."""

import functools
import subprocess
import sys
import types

import ludovec
import ludovec.pettingzoo as pz
import numpy as np
import pettingzoo
import pytest
from pettingzoo.env_registry.exceptions import VersionNotFound
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec

#: Not an error: a mask without legal actions is normal for an agent that is not the current one.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_aec_api(env_id):
    api_test(pz.aec_env(id=env_id, max_steps=60), num_cycles=200)


def test_parallel_api(env_id):
    parallel_api_test(pz.parallel_env(env_id, max_steps=60), num_cycles=100)


def test_seeds(env_id):
    seed_test(lambda: pz.aec_env(env_id, max_steps=60), num_cycles=50)
    parallel_seed_test(lambda: pz.parallel_env(env_id), num_cycles=50)
    parallel_seed_test(lambda: pz.parallel_env(env_id, on_illegal="lose"), num_cycles=50)


def test_max_cycles(env_id):
    # A cycle is one action of every agent; turn by turn, that is one move.
    parallel = functools.partial(pz.parallel_env, env_id)
    aec = lambda **arguments: parallel_to_aec(parallel(**arguments))
    max_cycles_test(types.SimpleNamespace(parallel_env=parallel, env=aec))


def test_rendering(env_id):
    render_test(functools.partial(pz.aec_env, env_id))


def test_only_the_current_agent_has_legal_actions(env_id):
    env = pz.aec_env(env_id, max_steps=20)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        for other in env.agents:
            assert env.observe(other)["action_mask"].any() == (other == agent)
        env.step(np.int32(rng.choice(np.flatnonzero(observation["action_mask"]))))


def test_illegal_actions(env_id):
    env = pz.aec_env(env_id)
    env.reset(seed=0)
    agent = env.agent_selection
    illegal = int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
    env.step(illegal)
    assert all(env.terminations.values()) and env.rewards[agent] == -1
    env = pz.aec_env(env_id, on_illegal="raise")
    env.reset(seed=0)
    with pytest.raises(ludovec.LudovecError):
        env.step(illegal)
    env = pz.parallel_env(env_id)
    env.reset(seed=0)
    *_, infos = env.step(dict.fromkeys(env.agents, illegal))
    assert infos[agent] == {"illegal_action": True}
    with pytest.raises(ludovec.InvalidConfig, match="on_illegal"):
        pz.parallel_env(env_id, on_illegal="explode")


def test_masks_in_infos_with_plain_observations(env_id):
    """SuperSuit's wrappers cannot handle dicts."""
    env = pz.aec_env(env_id, masks="infos", max_steps=12)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(observation)
        if terminated or truncated:
            env.step(None)
            continue
        for other in env.agents:
            assert env.infos[other]["action_mask"].any() == (other == agent)
        env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
    parallel_api_test(pz.parallel_env(env_id, masks="infos", max_steps=20), num_cycles=30)
    parallel = pz.parallel_env(env_id, masks="infos")
    observations, infos = parallel.reset(seed=0)
    twins, _ = (twin := pz.parallel_env(env_id)).reset(seed=0)
    for agent in parallel.agents:
        np.testing.assert_array_equal(observations[agent], twins[agent]["observation"])
        np.testing.assert_array_equal(infos[agent]["action_mask"], twins[agent]["action_mask"])
    assert twin.state().shape == parallel.state().shape
    with pytest.raises(ludovec.InvalidConfig, match="masks"):
        pz.aec_env(env_id, masks="nowhere")


def test_the_state_is_the_observations_of_all_players(env_id):
    for env in (pz.aec_env(env_id), pz.parallel_env(env_id)):
        env.reset(seed=3)
        state = env.state()
        assert env.state_space.contains(state) and len(state) == len(env.possible_agents)
        for seat, row in enumerate(state):
            np.testing.assert_array_equal(row, env.game.game(0).observation(seat))


def test_an_aec_game_is_truncated_after_max_cycles(env_id):
    env = pz.aec_env(env_id, max_cycles=3)
    env.reset(seed=1)
    for _ in range(3):
        assert not any(env.truncations.values()) and env.agents
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(env.truncations.values()) or all(env.terminations.values())
    with pytest.raises(ludovec.InvalidConfig, match="max_cycles"):
        pz.aec_env(env_id, max_cycles=0)


#: SuperSuit's wrappers of rows of numbers, with their arguments.
SUPERSUIT = {
    "dtype_v0": ("float32",),
    "frame_stack_v1": (3,),
    "flatten_v0": (),
    "agent_indicator_v0": (),
    "pad_observations_v0": (),
    "pad_action_space_v0": (),
    "clip_reward_v0": (),
    "sticky_actions_v0": (0.0,),
    "delay_observations_v0": (2,),
    "max_observation_v0": (2,),
    "nan_random_v0": (),
}


def fits(observation, space):
    """SuperSuit's indicators are beyond the bounds that it declares."""
    return observation.shape == space.shape and observation.dtype == space.dtype


@pytest.mark.parametrize("wrapper", SUPERSUIT)
def test_supersuits_wrappers_take_plain_observations(env_id, wrapper):
    supersuit = pytest.importorskip("supersuit")
    wrap = getattr(supersuit, wrapper)
    for make in (pz.env, pz.raw_env):
        env = wrap(make(env_id, masks="infos", max_cycles=8), *SUPERSUIT[wrapper])
        env.reset(seed=0)
        seen = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            assert fits(observation, env.observation_space(agent))
            env.step(None if terminated or truncated else int(info["action_mask"].argmax()))
            seen += 1
        assert seen >= 8
    env = wrap(pz.parallel_env(env_id, masks="infos", max_cycles=8), *SUPERSUIT[wrapper])
    _, infos = env.reset(seed=0)
    cycles = 0
    while env.agents:
        actions = {agent: int(infos[agent]["action_mask"].argmax()) for agent in env.agents}
        observations, *_, infos = env.step(actions)
        assert all(fits(row, env.observation_space(agent)) for agent, row in observations.items())
        cycles += 1
    assert cycles == 8


def test_supersuit_makes_a_vector_environment(env_id):
    supersuit = pytest.importorskip("supersuit")
    games = pz.parallel_env(env_id, masks="infos", max_cycles=5)
    batch = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(games), 2, num_cpus=1, base_class="gymnasium"
    )
    observations, infos = batch.reset(seed=0)
    rows = 2 * len(games.possible_agents)
    assert observations.shape == (rows, *batch.observation_space.shape) and len(infos) == rows
    ended = 0
    for _ in range(12):
        actions = np.array([info["action_mask"].argmax() for info in infos])
        observations, _, terminated, truncated, infos = batch.step(actions)
        assert observations.any()
        ended += (terminated | truncated).sum()
    assert ended >= rows


@pytest.mark.parametrize("action", [None, "a", 1.7, [1], object()])
def test_actions_are_integers(action):
    """Numbers are not rounded to actions."""
    env = pz.aec_env("tilewe")
    env.reset(seed=0)
    with pytest.raises(ludovec.InvalidConfig, match="actions"):
        env.step(action)
    for on_illegal in ("pass", "lose", "raise"):
        env = pz.parallel_env("tilewe", on_illegal=on_illegal)
        env.reset(seed=0)
        for actions in ({"player_0": action}, [action]):
            with pytest.raises(ludovec.InvalidConfig, match="actions"):
                env.step(actions)


def test_a_game_before_reset_or_after_its_end_cannot_be_stepped():
    for env in (pz.aec_env("tilewe"), pz.parallel_env("tilewe")):
        with pytest.raises(ludovec.LudovecError, match="reset first"):
            env.step({"player_0": 0})
    env = pz.parallel_env("tilewe", max_cycles=1)
    env.reset()
    env.step({"player_0": 0})
    with pytest.raises(ludovec.LudovecError, match="reset first"):
        env.step({"player_0": 0})


@pytest.mark.parametrize("argument", [{"obs": "packed"}, {"mask": "bits"}, {"num_envs": 2}, {"seed": 1}])
def test_arguments_of_batches_are_refused_as_options(argument):
    """Spaces and masks are always for one game in bytes, with no batch formats."""
    for make in (pz.aec_env, pz.parallel_env):
        with pytest.raises(ludovec.InvalidConfig, match="unknown option"):
            make("tilewe", **argument)


def test_a_waiting_agent_has_one_action_that_does_nothing(env_id):
    """With ``noop``, actions sampled from the masks of all agents play the games of the same masks without
    it."""
    rng = np.random.default_rng(0)
    env, plain = (pz.parallel_env(env_id, max_steps=12, noop=noop) for noop in (True, False))
    parallel_api_test(pz.parallel_env(env_id, max_steps=20, noop=True), num_cycles=30)
    observations, _ = env.reset(seed=1)
    plain.reset(seed=1)
    actions = env.game.game_spec.num_actions
    while env.agents:
        assert all(env.observation_space(agent).contains(observations[agent]) for agent in env.agents)
        masks = {agent: observations[agent]["action_mask"] for agent in env.agents}
        mover = env.possible_agents[int(env.game.current_player[0])]
        for agent, mask in masks.items():
            assert len(mask) == actions + 1 == env.action_space(agent).n
            assert mask[:-1].any() if agent == mover else np.flatnonzero(mask).tolist() == [actions]
        assert not masks[mover][-1]
        chosen = {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}
        observations, rewards, *_, infos = env.step(chosen)
        assert rewards == plain.step(chosen)[1] and not any(infos.values())
    env.reset(seed=1)
    mover = env.possible_agents[int(env.game.current_player[0])]
    assert env.step(dict.fromkeys(env.agents, actions))[-1][mover] == {"illegal_action": True}


def test_the_names_of_pettingzoo(env_id):
    api_test(pz.env(env_id, max_steps=20), num_cycles=60)
    assert isinstance(pz.raw_env(env_id), pz.AECEnv)
    env = pz.env(env_id)
    with pytest.raises(AssertionError, match=r"reset\(\)"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="action"):
        env.step(env.action_space("player_0").n)


def test_the_registry_has_every_environment(env_id):
    known = ludovec.spec(env_id)
    for id in (f"ludovec/{known.name}-v{known.version}", f"ludovec/{known.name}"):
        env = pettingzoo.make("aec", id, max_steps=30)
        assert env.metadata["name"] == f"{env_id}_v{known.version}"
        api_test(env, num_cycles=40)
        parallel_api_test(pettingzoo.make("parallel", id, max_steps=30), num_cycles=20)
    assert pettingzoo.spec("aec", f"ludovec/{known.name}").version == known.version
    with pytest.raises(VersionNotFound, match=f"v{known.version}"):
        pettingzoo.make("aec", f"ludovec/{known.name}-v99")


@pytest.mark.parametrize("first", ["pettingzoo", "ludovec"])
def test_ids_are_there_whichever_library_is_imported_first(first):
    libraries = ["import pettingzoo", "import ludovec"]
    libraries = libraries if first == "pettingzoo" else [*reversed(libraries), "import ludovec.pettingzoo"]
    code = "; ".join([*libraries, "print(pettingzoo.make('aec', 'ludovec/Chess').metadata['name'])"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("chess_v")

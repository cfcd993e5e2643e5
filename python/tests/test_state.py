"""Saving, restoring, forking, pickling."""

import copy
import itertools
import multiprocessing
import pickle

import ludovec
import numpy as np
import pytest
from helpers import short_games


def run(env, steps=6):
    """Plays the first legal action, which depends on the position only."""
    seen = []
    for _ in range(steps):
        obs, reward, terminated, truncated, info = env.step(env.action_mask.argmax(axis=1))
        seen.append((obs.copy(), reward.copy(), terminated.copy(), truncated.copy(), info["credit"].copy()))
    return seen


def same(a, b):
    for left, right in zip(a, b):
        for x, y in zip(left, right):
            np.testing.assert_array_equal(x, y)


def test_saved_games_continue_identically(env_id, autoreset):
    env = short_games(env_id, autoreset=autoreset)
    env.reset(seed=1)
    run(env, 3)
    state = env.get_state()
    steps = 2 if autoreset == "disabled" else 8
    first = run(env, steps)
    env.set_state(None, state)
    same(first, run(env, steps))
    other = short_games(env_id, autoreset=autoreset, seed=99)
    other.set_state(range(8), state)
    same(first, run(other, steps))


def test_snapshots_of_some_games_restore_into_others(env_id):
    env = ludovec.make(env_id, 6)
    run(env, 5)
    env.set_state([0, 1], env.get_state([5, 2]))
    np.testing.assert_array_equal(env.observations[0], env.observations[5])
    np.testing.assert_array_equal(env.observations[1], env.observations[2])
    np.testing.assert_array_equal(env.action_mask[1], env.action_mask[2])
    assert env.get_state([0]) == env.get_state([5])
    with pytest.raises(ludovec.InvalidState, match="2 games"):
        env.set_state([0], env.get_state([1, 2]))


def test_forks_share_the_position_not_the_future(env_id):
    env = ludovec.make(env_id, 6)
    run(env, 4)
    env.fork([3] * 5, [0, 1, 2, 4, 5])
    for i in range(6):
        np.testing.assert_array_equal(env.observations[i], env.observations[3])
        np.testing.assert_array_equal(env.action_mask[i], env.action_mask[3])
    assert env.get_state([0]) != env.get_state([3])
    run(env, 4)
    with pytest.raises(ludovec.InvalidConfig):
        env.fork([0, 1], [2])


def test_one_game_is_forked_into_many_with_optional_observations(env_id):
    env, twin = (ludovec.make(env_id, 6) for _ in range(2))
    for batch in (env, twin):
        run(batch, 4)
    env.fork(3, [5, 0, 1])
    twin.fork([3, 3, 3], [0, 1, 5], show=False)
    actions = [int(row.argmax()) for row in env.action_masks()]
    for batch in (env, twin):
        batch.step_games([5, 1, 0], [actions[i] for i in (5, 1, 0)])
    np.testing.assert_array_equal(env.observations, twin.observations)
    np.testing.assert_array_equal(env.action_mask, twin.action_mask)
    assert env.get_state() == twin.get_state()
    with pytest.raises(ludovec.InvalidConfig, match="show"):
        env.fork(0, 1, show=2)


def test_determinize_resamples_hidden_information(env_id):
    env, blocks = ludovec.make(env_id, 6, seed=4), ludovec.make(env_id, 6, seed=4, batch_size=3)
    blocks.reset()
    # Players have hidden coins after their first turns.
    run(env, 60)
    blocks.set_state(None, env.get_state())
    before = env.get_state()
    seen, masks = env.observations.copy(), env.action_mask.copy()
    env.determinize([4, 1, 1], seed=9)
    blocks.determinize([1, 4], seed=9)
    # The observation and the mask of the current player do not change; without hidden information, nothing
    # changes.
    np.testing.assert_array_equal(env.observations, seen)
    np.testing.assert_array_equal(env.action_mask, masks)
    assert env.get_state() == blocks.get_state()
    assert (env.get_state() != before) == env.game_spec.hidden_information
    players = env.game_spec.players
    env.determinize(player=players - 1, seed=None)
    for wrong in ({"ids": [6]}, {"player": -1}, {"player": players}, {"seed": -1}):
        with pytest.raises(ludovec.LudovecError):
            env.determinize(**wrong)


def test_a_game_is_forked_for_every_chance_outcome(env_id):
    env = ludovec.make(env_id, 12, seed=2)
    blocks = ludovec.make(env_id, 12, seed=2, batch_size=12)
    blocks.reset()
    run(env, 25)
    game = env.game(3)
    listed = ((action, list(itertools.islice(game.outcomes(action), 9))) for action in game.legal_actions())
    action, outcomes = max(itertools.islice(listed, 30), key=lambda one: len(one[1]))
    ids = list(range(len(outcomes), 0, -1))
    scripts = [script for _, script, _ in outcomes]
    env.fork(3, ids)
    blocks.set_state(None, env.get_state())
    before = env.get_state()
    for wrong in ([[0] * 500, *scripts[1:]], scripts[1:], "none", [None] * len(ids)):
        with pytest.raises(ludovec.LudovecError):
            env.step_scripted(ids, [action] * len(ids), wrong)
    assert env.get_state() == before
    rows = env.step_scripted(ids, [action] * len(ids), scripts)
    for id, (_, _, after) in zip(ids, outcomes):
        assert env.game(id).to_json() == after.to_json()
        np.testing.assert_array_equal(rows[0][id], after.observation().reshape(rows[0][id].shape))
    for one, other in zip(rows[:4], blocks.step_scripted(ids, [action] * len(ids), scripts)):
        np.testing.assert_array_equal(one, other)


def test_pickle_and_copy(env_id, autoreset):
    env = short_games(env_id, autoreset=autoreset, obs="f32", seed=3, reward="score")
    run(env, 3)
    twins = [pickle.loads(pickle.dumps(env)), copy.copy(env), copy.deepcopy(env)]
    expected = run(env, 2)
    for twin in twins:
        assert twin.autoreset == autoreset and twin.observations.dtype == np.float32
        same(expected, run(twin, 2))
    # A copy of an environment that writes to the caller's arrays has arrays of its own.
    rewards = np.zeros((8, env.game_spec.players), np.float32)
    shared = short_games(env_id, autoreset=autoreset, seed=3, out={"rewards": rewards})
    run(shared, 3)
    twin = pickle.loads(pickle.dumps(shared))
    kept = rewards.copy()
    expected = run(twin, 2)
    np.testing.assert_array_equal(rewards, kept)
    same(expected, run(shared, 2))


def test_hostile_bytes_are_refused(env_id):
    env = ludovec.make(env_id, 2)
    run(env, 3)
    state = env.get_state()
    rng = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(state)
        broken[rng.integers(len(broken))] ^= 1 << rng.integers(8)
        with pytest.raises(ludovec.InvalidState):
            env.set_state(None, bytes(broken))
    for bad in (b"", state[:-1], state + b"\0", rng.bytes(len(state)), state[:40]):
        with pytest.raises(ludovec.InvalidState):
            env.set_state(None, bad)
    assert env.get_state() == state
    for other in ludovec.list_envs():
        if other != env_id:
            with pytest.raises(ludovec.InvalidState):
                ludovec.make(other, 2).set_state(None, state)


def test_positions_from_json(env_id):
    import json

    env = ludovec.make(env_id, 3)
    run(env, 4)
    game = env.game(1)
    env.set_position(2, json.dumps(json.loads(game.to_json())["position"]))
    np.testing.assert_array_equal(env.observations[2], env.observations[1])
    for bad in ("{}", "[1]", "nonsense", '{"a": 1e400}'):
        with pytest.raises(ludovec.InvalidState):
            env.set_position(0, bad)


def _step_in_child(env, queue):
    try:
        env.step(env.sample_actions())
    except ludovec.LudovecError as error:
        queue.put(str(error))
    else:
        queue.put("stepped")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_gets_an_error_not_a_hang():
    env = ludovec.make(ludovec.list_envs()[0], 4, num_threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_step_in_child, args=(env, queue))
    child.start()
    assert "another process" in queue.get(timeout=30)
    child.join()


def test_a_spawned_process_receives_the_games():
    env = ludovec.make(ludovec.list_envs()[0], 4)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=_step_in_child, args=(env, queue))
    child.start()
    assert queue.get(timeout=60) == "stepped"
    child.join()
